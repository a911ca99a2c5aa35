// Panels with their lines over one axis, which the picture, the table and the words share.
import type { Mark } from "./marks.js";
import type { Dash } from "./theme.js";
import type { Unit } from "./values.js";

export type Point = readonly [x: number, y: number | null];

export interface Line {
  /** Name in the legend; lines of one name are shown and hidden together, in all panels. */
  readonly name: string;
  /** Detail in the table if several lines share a name. */
  readonly detail?: string;
  readonly colour: string;
  readonly dash?: Dash;
  readonly points: readonly Point[];
  /** Colours of single points that differ from the line's. */
  readonly pointColours?: readonly string[];
  /** True if stacked on the lines before it. */
  readonly isArea?: boolean;
  /** True if it is one of many lines with the same name. */
  readonly isFaint?: boolean;
  /** Shape of points that are drawn without a line. */
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
  /** True if the picture needs no name of the axis. */
  readonly hasUnitInTicks?: boolean;
  /** Text that heads the table's rows; default: `tick` or the number itself. */
  readonly cell?: (x: number) => string;
  readonly min?: number;
  /** True if ticks are at whole numbers only. */
  readonly isWhole?: boolean;
  /** True if the axis is time, so that the median over it deserves a word. */
  readonly isTime?: boolean;
}

/** Axis of every chart over time. Never shortened: many seconds would be 12.3k. */
export const SECONDS: LineAxis = {
  name: "seconds into the window",
  min: 0,
  isWhole: true,
  isTime: true,
  tick: (x) => `${Math.round(x)} s`,
  hasUnitInTicks: true,
  cell: (x) => String(Math.round(x)),
};

export interface LineChart {
  readonly caption: string;
  readonly panels: readonly LinePanel[];
  readonly x: LineAxis;
  readonly isLogarithmic?: boolean;
  /** True if all panels share the scale of their values, because a reader compares them. */
  readonly hasOneScale?: boolean;
  readonly words?: string;
  readonly note?: string;
}
