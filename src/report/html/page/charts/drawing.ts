// A chart is a pure function from the report and the reader's filters to a drawing, with the same content in words and as a
// table, so that no reader depends on the picture.
import type { EChartsOption } from "echarts";
import type { ReportData } from "../../report-data.js";
import type { ChartTheme, Dash } from "./theme.js";

export interface Treatment {
  readonly id: string;
  readonly label: string;
  readonly colour: string;
  readonly dash: Dash;
  readonly symbol: string;
}

/** All trials summarised, each trial separately, or the number of one trial in the experiment. */
export type TrialChoice = "all" | "each" | number;

export interface View {
  readonly report: ReportData;
  readonly treatments: readonly Treatment[];
  readonly operations: readonly string[];
  readonly trials: TrialChoice;
  /** Choices of the chart's controls, by control id. */
  readonly choices: Readonly<Record<string, string>>;
  readonly theme: ChartTheme;
  /** Width available for the picture. */
  readonly widthPx: number;
}

/** Properties of the drawing surface that a picture needs in addition to its data. */
export type Surface = Pick<View, "theme" | "widthPx">;

export interface ChartTable {
  readonly caption: string;
  /** The first column heads the rows. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface LegendEntry {
  /** The name of the series that the entry shows and hides. */
  readonly name: string;
  readonly colour: string;
  readonly dash?: Dash;
  /** True for an area or a bar, false for a line. */
  readonly isFilled?: boolean;
}

export interface Plot {
  readonly kind: "plot";
  readonly option: EChartsOption;
  readonly heightPx: number;
  readonly legend: readonly LegendEntry[];
  /** The picture in a few sentences. */
  readonly words: string;
  readonly table: () => ChartTable;
  /** Note that a reader needs to read the picture correctly, if it depends on the shown data. */
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
  /** Value and text; the first choice is the default. */
  readonly choices: readonly (readonly [string, string])[];
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  /** Content of the chart and how to read it, in a sentence or two. */
  readonly lead: string;
  /** True if the reader unfolds the chart by its title, since the first screen has its main content. */
  readonly isFolded?: boolean;
  /** Controls of this chart in addition to the filters of the page. */
  readonly controls?: (report: ReportData) => readonly Control[];
  readonly draw: (view: View) => Drawing;
}

export function nothing(why: string): NothingToPlot {
  return { kind: "nothing", why };
}

/** The reader's choice; the control's first choice if nothing that the control has was chosen. */
export function chosenValue(view: View, control: Control): string {
  const value = view.choices[control.id];
  const known = control.choices.some(([each]) => each === value);
  return known && value !== undefined ? value : (control.choices[0]?.[0] ?? "");
}
