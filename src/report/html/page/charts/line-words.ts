// A chart of lines without its picture: the table behind it, which has every point, and the sentences for readers of
// screens. A median is said of moments alone: that of the points of a curve is no number of what the curve is about.
import { median } from "../../../../analysis/statistics/quantiles.js";
import type { ChartTable } from "./drawing.js";
import type { Line, LineChart, LinePanel, Point } from "./lines.js";
import { markText, type Mark } from "./marks.js";
import { ticked, written, type Unit } from "./values.js";

function valuesAt(points: readonly Point[]): Map<number, (number | null)[]> {
  const values = new Map<number, (number | null)[]>();
  for (const [x, y] of points) values.set(x, [...(values.get(x) ?? []), y]);
  return values;
}

/** A row for each place on the axis, and several where a line has several points there. */
export function tableOf(chart: LineChart): ChartTable {
  const columns = chart.panels.flatMap((panel) =>
    panel.lines.map((line) => ({
      title: [chart.panels.length > 1 ? panel.title : "", line.name, line.detail ?? ""]
        .filter((text) => text !== "")
        .join(", "),
      unit: panel.unit,
      values: valuesAt(line.points),
    })),
  );
  const xs = [...new Set(columns.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const cell = chart.x.cell ?? chart.x.tick ?? ((x: number) => ticked(x, ""));
  return {
    caption: chart.caption,
    columns: [chart.x.name, ...columns.map(({ title }) => title)],
    rows: xs.flatMap((x) => {
      const most = Math.max(...columns.map(({ values }) => values.get(x)?.length ?? 0));
      return Array.from({ length: most }, (_, i) => [
        cell(x),
        ...columns.map(({ values, unit }) => written(values.get(x)?.[i], unit)),
      ]);
    }),
  };
}

function rangeWords(name: string, lines: readonly Line[], unit: Unit, isTime: boolean): string {
  const values = lines.flatMap(({ points }) => points.flatMap(([, y]) => y ?? []));
  if (values.length === 0) return `${name}: no values`;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const middle = isTime ? `median ${written(median(values), unit)}, ` : "";
  return `${name}: ${middle}from ${written(low, unit)} to ${written(high, unit)}`;
}

/** Lines of a trial each are said together, by the name that they share. */
function panelWords({ title, lines, unit }: LinePanel, isTime: boolean): string {
  const names = new Map<string, Line[]>();
  for (const line of lines) {
    const name = [line.name, line.isFaint ? "" : (line.detail ?? "")]
      .filter((text) => text !== "")
      .join(", ");
    names.set(name, [...(names.get(name) ?? []), line]);
  }
  const texts = [...names].map(([name, own]) =>
    rangeWords(own.length > 1 ? `${name}, ${own.length} trials` : name, own, unit, isTime),
  );
  return `${title}: ${texts.join("; ")}.`;
}

export function wordsOf(chart: LineChart): string {
  const panels = chart.panels.map((panel) => panelWords(panel, chart.x.isTime === true));
  const wordsOfMark = (mark: Mark): string => (chart.x.isTime === true ? markText(mark) : mark.label);
  const marks = [...new Set(chart.panels.flatMap((panel) => (panel.marks ?? []).map(wordsOfMark)))];
  return [`${chart.caption}.`, ...panels, ...(marks.length > 0 ? [`Marked: ${marks.join("; ")}.`] : [])].join(
    " ",
  );
}
