// A chart is a pure function from the report and the reader's filters to a drawing, with the same in words and as a table, so that
// nobody depends on the picture.
import type { EChartsOption } from "echarts";
import type { ReportData } from "../../report-data.js";
import type { ChartTheme, Dash } from "./theme.js";

/** A treatment as it looks in every chart. */
export interface Treatment {
  readonly id: string;
  readonly label: string;
  readonly colour: string;
  readonly dash: Dash;
  readonly symbol: string;
}

/** All trials summarised, each one by itself, or one: its number in the experiment. */
export type TrialChoice = "all" | "each" | number;

export interface View {
  readonly report: ReportData;
  /** Those that the reader wants to see, in the report's order. */
  readonly treatments: readonly Treatment[];
  readonly operations: readonly string[];
  readonly trials: TrialChoice;
  /** Of the chart's own controls, by their id. */
  readonly choices: Readonly<Record<string, string>>;
  readonly theme: ChartTheme;
  /** Room for the picture. */
  readonly widthPx: number;
}

/** What a picture is drawn on: all that it takes beside its data. */
export type Surface = Pick<View, "theme" | "widthPx">;

export interface ChartTable {
  readonly caption: string;
  /** The first one heads the rows. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface LegendEntry {
  /** The name of the series that it shows and hides. */
  readonly name: string;
  readonly colour: string;
  readonly dash?: Dash;
  /** Of an area or a bar, not of a line. */
  readonly isFilled?: boolean;
}

export interface Plot {
  readonly kind: "plot";
  readonly option: EChartsOption;
  readonly heightPx: number;
  readonly legend: readonly LegendEntry[];
  /** The picture in a few sentences. */
  readonly words: string;
  /** Made when it is asked for: some are long. */
  readonly table: () => ChartTable;
  /** What must be known to read it rightly, where that depends on what is shown. */
  readonly note?: string;
}

export interface NothingToPlot {
  readonly kind: "nothing";
  readonly why: string;
}

export type Drawing = Plot | NothingToPlot;

export interface Control {
  readonly id: string;
  readonly label: string;
  /** Value and text; the first one is what a reader starts with. */
  readonly choices: readonly (readonly [string, string])[];
}

export interface Chart {
  /** Of the section, in the address, and in `View.choices`. */
  readonly id: string;
  readonly title: string;
  /** What it shows and how to read it, in a sentence or two. */
  readonly lead: string;
  /** Controls of its own, beside the filters of the page. */
  readonly controls?: (report: ReportData) => readonly Control[];
  readonly draw: (view: View) => Drawing;
}

export function nothing(why: string): NothingToPlot {
  return { kind: "nothing", why };
}

/** What the reader chose; the control's first choice where nothing (that it has) was chosen. */
export function chosen(view: View, control: Control): string {
  const value = view.choices[control.id];
  const known = control.choices.some(([each]) => each === value);
  return known && value !== undefined ? value : (control.choices[0]?.[0] ?? "");
}
