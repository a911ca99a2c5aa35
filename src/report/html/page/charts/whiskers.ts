import type { CustomSeriesOption } from "echarts";

export interface RowInterval {
  /** Index of the row on the y axis, which has categories. */
  readonly row: number;
  readonly low: number;
  readonly high: number;
  readonly colour?: string;
}

const HALF_END_STROKE_PX = 4;
const WHISKER_WIDTH_PX = 1.5;

export function intervalWhiskers(
  intervals: readonly RowInterval[],
  axisIndex: number,
  colour: string,
): CustomSeriesOption {
  return whiskerSeries(
    intervals.map(({ row, low, high, colour: own }) => ({
      from: [low, row],
      to: [high, row],
      colour: own ?? colour,
    })),
    axisIndex,
  );
}

export interface Whisker {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly colour: string;
}

/** A series of whiskers, each between two points of the coordinate system `axisIndex`. */
export function whiskerSeries(all: readonly Whisker[], axisIndex: number): CustomSeriesOption {
  return {
    type: "custom",
    xAxisIndex: axisIndex,
    yAxisIndex: axisIndex,
    silent: true,
    tooltip: { show: false },
    z: 3,
    clip: true,
    encode: { x: [0, 2], y: [1, 3] },
    data: all.map(({ from, to }) => [...from, ...to]),
    renderItem: (params, api) => {
      const [x1 = 0, y1 = 0] = api.coord([api.value(0), api.value(1)]);
      const [x2 = 0, y2 = 0] = api.coord([api.value(2), api.value(3)]);
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      // Half of an end stroke, at a right angle to the whisker.
      const [dx, dy] = [
        (-(y2 - y1) / length) * HALF_END_STROKE_PX,
        ((x2 - x1) / length) * HALF_END_STROKE_PX,
      ];
      const style = { stroke: all[params.dataIndex]?.colour ?? "currentColor", lineWidth: WHISKER_WIDTH_PX };
      const line = (a: number, b: number, c: number, d: number) => ({
        type: "line" as const,
        shape: { x1: a, y1: b, x2: c, y2: d },
        style,
      });
      return {
        type: "group",
        children: [
          line(x1, y1, x2, y2),
          line(x1 - dx, y1 - dy, x1 + dx, y1 + dy),
          line(x2 - dx, y2 - dy, x2 + dx, y2 + dy),
        ],
      };
    },
  };
}
