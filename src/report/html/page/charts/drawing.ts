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

/** Trials that a chart shows: "all" summarised, "each" separately, or the trial with that number. */
export type TrialChoice = "all" | "each" | number;

export interface View {
  readonly report: ReportData;
  readonly treatments: readonly Treatment[];
  readonly operations: readonly string[];
  readonly trials: TrialChoice;
  /** The reader's choices by the id of the chart's control. */
  readonly choices: Readonly<Record<string, string>>;
  readonly theme: ChartTheme;
  /** Width available for the picture, in pixels. */
  readonly widthPx: number;
}

/** Properties of the drawing surface that a picture needs besides its data. */
export type DrawingSurface = Pick<View, "theme" | "widthPx">;

export interface ChartTable {
  readonly caption: string;
  /** Columns; the first one has the headings of the rows. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface LegendEntry {
  /** Name of the series that a click on the entry shows or hides. */
  readonly name: string;
  readonly colour: string;
  readonly dash?: Dash;
  /** True for the sign of an area or a bar, false for the sign of a line. */
  readonly isFilled?: boolean;
}

export interface Plot {
  readonly kind: "plot";
  readonly option: EChartsOption;
  readonly heightPx: number;
  readonly legend: readonly LegendEntry[];
  /** Text alternative of the picture, in a few sentences. */
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
  /** Values with their texts; the first one is the default. */
  readonly choices: readonly (readonly [string, string])[];
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  /** One or two sentences on what the chart shows and how to read it. */
  readonly lead: string;
  /** True if the chart is folded until the reader opens it by its title. The first screen then has only the main content. */
  readonly isFolded?: boolean;
  /** Controls of this chart in addition to the filters of the page. */
  readonly controls?: (report: ReportData) => readonly Control[];
  readonly draw: (view: View) => Drawing;
}

export function nothingToPlot(why: string): NothingToPlot {
  return { kind: "nothing", why };
}

/** The reader's choice in a control; the control's first choice if there is none or if the control does not know it. */
export function chosenValue(view: View, control: Control): string {
  const value = view.choices[control.id];
  const isChoice = control.choices.some(([each]) => each === value);
  return isChoice && value !== undefined ? value : (control.choices[0]?.[0] ?? "");
}
