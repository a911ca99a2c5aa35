// Panels with their lines over one axis, which the picture, the table and the words share.
import type { Mark } from "./marks.js";
import type { Dash } from "./theme.js";
import type { Unit } from "./values.js";

export type Point = readonly [x: number, y: number | null];

export interface Line {
  /** Name in the legend, which shows and hides all lines of one name together, in all panels. */
  readonly name: string;
  /** Addition to the name in the table, where several lines share a name. */
  readonly detail?: string;
  readonly colour: string;
  readonly dash?: Dash;
  readonly points: readonly Point[];
  /** Colours by point, if points have another colour than the line. */
  readonly pointColours?: readonly string[];
  /** True if drawn as an area, stacked on the areas before it. */
  readonly isArea?: boolean;
  /** True if drawn faintly, as one of many lines with the same name. */
  readonly isFaint?: boolean;
  /** Shape of the points of a line that is drawn as points only. */
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
  /** True if ticks show the unit, so that the axis needs no name. */
  readonly hasUnitInTicks?: boolean;
  /** Formats x as the heading of a table's row. Default: `tick`, or the number itself. */
  readonly cell?: (x: number) => string;
  readonly min?: number;
  /** End of the axis. Default: the last point or mark. */
  readonly max?: number;
  /** True if ticks stand at whole numbers only. */
  readonly isWhole?: boolean;
  /** True if the axis is time. The chart's text then states the median over time. */
  readonly isTime?: boolean;
}

/** Axis of every chart over time. Its numbers are never abbreviated, since 12.3k seconds would be unclear. */
export const SECONDS_AXIS: LineAxis = {
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
  /** True if all panels have the same value scale, so that a reader can compare them. */
  readonly hasOneScale?: boolean;
  readonly words?: string;
  readonly note?: string;
}
