import type {
  GridComponentOption,
  TitleComponentOption,
  XAXisComponentOption,
  YAXisComponentOption,
} from "echarts";
import type { ChartTheme } from "./theme.js";

export interface Layout {
  readonly grids: GridComponentOption[];
  readonly titles: TitleComponentOption[];
  readonly heightPx: number;
  /** Width in pixels of one panel's plot, without its axes. */
  readonly plotWidthPx: number;
}

export interface LayoutRequest {
  readonly widthPx: number;
  /** Height in pixels of each plot, without axes. Panels of one row get the greatest height in it. */
  readonly heightsPx: readonly number[];
  readonly leastWidthPx: number;
  readonly mostColumns: number;
  /** Pixels for the labels of the y axis, left of each plot. */
  readonly leftPx: number;
  /** True if the name of the y axis stands above the axis. */
  readonly isNamedAbove?: boolean;
  /** True if the name of the x axis stands below the axis. */
  readonly isNamedBelow?: boolean;
}

const PANEL_GAP_PX = 20;
const RIGHT_MARGIN_PX = 18;
const TITLE_HEIGHT_PX = 26;
const AXIS_NAME_HEIGHT_PX = 18;
const TICK_LABELS_HEIGHT_PX = 26;
export const FONT_PX = 12;
export const FONT_FAMILY =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif';

function columnCountFor(count: number, wish: LayoutRequest): number {
  const fitting = Math.floor((wish.widthPx + PANEL_GAP_PX) / (wish.leastWidthPx + PANEL_GAP_PX));
  const most = Math.max(1, Math.min(count, wish.mostColumns, fitting));
  // Rows are filled evenly: four panels become two rows of two, not three and one.
  return Math.ceil(count / Math.ceil(count / most));
}

export function layOut(titles: readonly string[], wish: LayoutRequest, theme: ChartTheme): Layout {
  const columns = columnCountFor(titles.length, wish);
  const panelWidthPx = (wish.widthPx - PANEL_GAP_PX * (columns - 1)) / columns;
  const plotWidthPx = Math.max(40, panelWidthPx - wish.leftPx - RIGHT_MARGIN_PX);
  const grids: GridComponentOption[] = [];
  const titleOptions: TitleComponentOption[] = [];
  const abovePlotPx = TITLE_HEIGHT_PX + (wish.isNamedAbove ? AXIS_NAME_HEIGHT_PX : 0);
  const belowPlotPx = TICK_LABELS_HEIGHT_PX + (wish.isNamedBelow ? AXIS_NAME_HEIGHT_PX : 0);
  let rowTopPx = 0;
  for (let first = 0; first < titles.length; first += columns) {
    const row = titles.slice(first, first + columns);
    const heightPx = Math.max(...row.map((_, i) => wish.heightsPx[first + i] ?? 0));
    for (const [i, text] of row.entries()) {
      const left = i * (panelWidthPx + PANEL_GAP_PX);
      const height = wish.heightsPx[first + i] ?? heightPx;
      grids.push({ left: left + wish.leftPx, top: rowTopPx + abovePlotPx, width: plotWidthPx, height });
      titleOptions.push({
        text,
        left,
        top: rowTopPx + 4,
        padding: 0,
        textStyle: {
          color: theme.text,
          fontSize: FONT_PX,
          fontWeight: 600,
          width: panelWidthPx,
          overflow: "truncate",
        },
      });
    }
    rowTopPx += abovePlotPx + heightPx + belowPlotPx;
  }
  return { grids, titles: titleOptions, heightPx: rowTopPx, plotWidthPx };
}

/** Options that the x axis and the y axis have in common. */
const axisOptions = (theme: ChartTheme) => ({
  nameTextStyle: { color: theme.muted, fontSize: FONT_PX },
  axisLabel: { color: theme.muted, fontSize: FONT_PX, hideOverlap: true },
  axisLine: { lineStyle: { color: theme.muted } },
});

export function xAxis(theme: ChartTheme, name: string): XAXisComponentOption & object {
  return {
    ...axisOptions(theme),
    name,
    nameLocation: "middle",
    nameGap: 26,
    splitLine: { show: false },
    axisTick: { lineStyle: { color: theme.muted } },
  };
}

export function yAxis(theme: ChartTheme, name: string): YAXisComponentOption {
  return {
    ...axisOptions(theme),
    name,
    nameLocation: "end",
    nameGap: 12,
    nameTextStyle: { color: theme.muted, fontSize: FONT_PX, align: "left" },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: theme.line } },
    splitNumber: 4,
  };
}

const TICK_COUNT = 4;

/** Smallest scale with round ticks that includes all values. A linear scale starts at 0. */
export function sharedScale(
  values: readonly number[],
  isLogarithmic = false,
): { min: number; max: number; interval?: number } {
  const most = Math.max(...values, 0);
  if (isLogarithmic) {
    const least = Math.min(...values.filter((value) => value > 0));
    return { min: 10 ** Math.floor(Math.log10(least)), max: 10 ** Math.ceil(Math.log10(most)) };
  }
  if (most === 0) return { min: 0, max: 1, interval: 1 };
  const magnitude = 10 ** Math.floor(Math.log10(most / TICK_COUNT));
  const interval = magnitude * ([1, 2, 2.5, 5].find((step) => step * magnitude * TICK_COUNT >= most) ?? 10);
  return { min: Math.min(0, ...values), max: Math.ceil(most / interval) * interval, interval };
}

/** ECharts options of tooltips in the colours of the theme. */
export function tooltipOptions(theme: ChartTheme): Record<string, unknown> {
  return {
    confine: true,
    backgroundColor: theme.page,
    borderColor: theme.muted,
    borderWidth: 1,
    textStyle: { color: theme.text, fontSize: FONT_PX },
    transitionDuration: 0,
  };
}
