// What a chart of lines is made of: panels with their lines over one axis, which the picture, the table and the words share.
// Types, and the axis of every chart over time.
import type { Mark } from "./marks.js";
import type { Dash } from "./theme.js";
import type { Unit } from "./values.js";

export type Point = readonly [x: number, y: number | null];

export interface Line {
  /** In the legend; lines of one name are shown and hidden together, in all panels. */
  readonly name: string;
  /** In the table, where several lines share a name. */
  readonly detail?: string;
  readonly colour: string;
  readonly dash?: Dash;
  readonly points: readonly Point[];
  /** Stacked on the lines before it. */
  readonly isArea?: boolean;
  /** One of many of a name. */
  readonly isFaint?: boolean;
  /** Points alone, in this shape. */
  readonly symbol?: string;
}

export interface LinePanel {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly unit: Unit;
  readonly marks?: readonly Mark[];
}

export interface LineAxis {
  readonly name: string;
  readonly isLogarithmic?: boolean;
  readonly tick?: (x: number) => string;
  /** Heads the table's rows; `tick` or the number itself. */
  readonly cell?: (x: number) => string;
  readonly min?: number;
  /** Ticks at whole numbers alone. */
  readonly isWhole?: boolean;
  /** Of moments that are alike, so that the median over them is worth a word. */
  readonly isTime?: boolean;
}

/** Of every chart over time. Never shortened: many seconds would be 12.3k. */
export const SECONDS: LineAxis = {
  name: "seconds into the window",
  min: 0,
  isWhole: true,
  isTime: true,
  tick: (x) => String(Math.round(x)),
};

export interface LineChart {
  readonly caption: string;
  readonly panels: readonly LinePanel[];
  readonly x: LineAxis;
  readonly isLogarithmic?: boolean;
  readonly words?: string;
  readonly note?: string;
}
