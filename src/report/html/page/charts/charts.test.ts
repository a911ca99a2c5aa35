import { describe, expect, test } from "vitest";
import {
  EXAMPLE_POOLED,
  EXAMPLE_TREATMENTS,
  exampleReport,
} from "../../../../../test/support/example-report.js";
import { exampleSweep } from "../../../../../test/support/example-searches.js";
import type { FaultRecord } from "../../../../results/fault-schema.js";
import { NO_FACTOR } from "../../../../analysis/comparison/noise-floor.js";
import { shortNumber } from "../../../../foundation/text/numbers.js";
import { median } from "../../../../analysis/statistics/quantiles.js";
import type { ReportData, TrialSeries } from "../../report-data.js";
import { canDraw } from "./drawable.js";
import type { Drawing, Plot, View } from "./drawing.js";
import { DEFAULT_FILTER_STATE, stateWithChoice, type FilterState } from "./filter-state.js";
import { CHARTS } from "./registry.js";
import { DARK, LIGHT } from "./theme.js";
import { amountUnit } from "../../../../analysis/why/why-units.js";
import { valueText } from "./values.js";
import { viewOf } from "./view.js";

const report = exampleReport();

function viewFor(
  id: string,
  state: FilterState = DEFAULT_FILTER_STATE,
  data: ReportData = report,
  widthPx = 1000,
): View {
  return viewOf(data, state, id, LIGHT, widthPx);
}

function draw(id: string, state?: FilterState, data?: ReportData, widthPx?: number): Drawing {
  const chart = CHARTS.find((each) => each.id === id);
  if (!chart) throw new Error(`no chart ${id}`);
  return chart.draw(viewFor(id, state, data, widthPx));
}

function plotOf(id: string, state?: FilterState, data?: ReportData, widthPx?: number): Plot {
  const drawing = draw(id, state, data, widthPx);
  if (drawing.kind !== "plot") throw new Error(`${id}: ${drawing.why}`);
  return drawing;
}

interface Drawn {
  readonly name?: string;
  readonly color?: string;
  readonly data: readonly (readonly [number, number | null])[];
}

function seriesOf(plot: Plot): Drawn[] {
  return [plot.option.series ?? []].flat() as unknown as Drawn[];
}

/** Numbers in a chart's data, in any nesting. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  return typeof value === "object" && value !== null && "value" in value ? numbersIn(value.value) : [];
}

describe.each(CHARTS.map(({ id }) => id))("chart %s", (id) => {
  test("draws finite numbers, and has a text and a table of these numbers", () => {
    const plot = plotOf(id);
    const numbers = seriesOf(plot).flatMap(({ data }) => numbersIn(data));
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers.every(Number.isFinite)).toBe(true);
    expect(plot.words).toMatch(/\d/);
    expect(plot.heightPx).toBeGreaterThan(60);
    const table = plot.table();
    expect(table.rows.length).toBeGreaterThan(0);
    for (const row of table.rows) expect(row).toHaveLength(table.columns.length);
    expect(JSON.stringify(table)).not.toMatch(/NaN|undefined|Infinity/);
  });

  test("names the unit of each axis of values in its title, its name or its ticks", () => {
    const { title, xAxis, yAxis } = plotOf(id).option;
    const titles = [title ?? []].flat().map(({ text }) => text);
    for (const axis of [xAxis ?? [], yAxis ?? []].flat()) {
      if (axis.type === "category") continue;
      const { formatter } = (axis.axisLabel ?? {}) as { formatter?: (value: number) => string };
      const panel = titles[axis.gridIndex ?? 0] ?? "";
      const unit = /, (.+)$/.exec(panel)?.[1] ?? "";
      expect(`${unit}${axis.name ?? ""}${formatter?.(1_000_000) ?? ""}`, panel).toMatch(/[a-z%]/i);
    }
  });

  test.each([360, 700, 1400])("stays within %i pixels", (widthPx) => {
    const { option, heightPx } = plotOf(id, DEFAULT_FILTER_STATE, report, widthPx);
    for (const grid of [option.grid ?? []].flat()) {
      expect(Number(grid.left) + Number(grid.width)).toBeLessThanOrEqual(widthPx);
      expect(Number(grid.width)).toBeGreaterThan(100);
      expect(Number(grid.top) + Number(grid.height)).toBeLessThan(heightPx);
    }
  });

  test("states a reason if there is no data", () => {
    const result = { ...report.result, comparisons: [], treatments: [], sweeps: [], capacity: [] };
    const empty = { ...report, result, series: [], curves: [] };
    const drawing = draw(id, DEFAULT_FILTER_STATE, empty);
    expect(drawing).toEqual({
      kind: "nothing",
      why: expect.stringMatching(/^There is nothing to draw: .*\.$/) as string,
    });
  });

  test("shows only the selected treatments", () => {
    const hiddenTreatments = Object.keys(EXAMPLE_TREATMENTS).filter((each) => each !== EXAMPLE_POOLED);
    const drawing = draw(id, { ...DEFAULT_FILTER_STATE, hiddenTreatments });
    const text =
      drawing.kind === "plot" ? JSON.stringify([drawing.table(), drawing.legend, drawing.option]) : "";
    if (id !== "sweep") expect(text).not.toContain("jsonb");
  });
});

describe("lines over time", () => {
  test("are medians of the trials, each trial, or a selected trial", () => {
    const values = (trial: number): number | undefined =>
      report.series.find((each) => each.trial === trial)?.operations.add?.events[3];
    const [first] = seriesOf(plotOf("throughput"));
    const own = report.series.filter(({ treatment }) => treatment === "jsonb");
    const sorted = own.map(({ trial }) => values(trial) ?? 0).sort((a, b) => a - b);
    expect(first?.data[3]).toEqual([3, sorted[2]]);
    expect(seriesOf(plotOf("throughput", { ...DEFAULT_FILTER_STATE, trials: "each" }))).toHaveLength(
      2 * report.series.length,
    );
    const alone = seriesOf(plotOf("throughput", { ...DEFAULT_FILTER_STATE, trials: 4 }));
    expect(alone.map(({ data }) => data[3]?.[1])).toEqual([
      values(4),
      report.series[3]?.operations.process?.events[3],
    ]);
  });

  test("have gaps where no trial has a value, and count the selected quantity", () => {
    const latency = seriesOf(plotOf("latency"));
    expect(latency.every(({ data }) => data[17]?.[1] === null)).toBe(true);
    const state = stateWithChoice(DEFAULT_FILTER_STATE, "throughput", "of", "retries");
    expect(plotOf("throughput", state).words).toMatch(/^retries per second.*median 3/);
  });

  test("have a text with the median of the shown trials", () => {
    const own = report.series.filter(({ treatment }) => treatment === "jsonb");
    const each = own.flatMap(({ operations }) => operations.add?.events ?? []);
    const { words } = plotOf("throughput", { ...DEFAULT_FILTER_STATE, trials: "each" });
    expect(words).toContain(
      `add: jsonb, 5 trials: median ${median(each)} events/s, from ${Math.min(...each)} events/s to ${Math.max(...each)} events/s`,
    );
    const second = report.series.find(({ trial }) => trial === 2)?.operations.add?.events ?? [];
    expect(plotOf("throughput", { ...DEFAULT_FILTER_STATE, trials: 2 }).words).toContain(
      `add: jsonb-manual: median ${shortNumber(median(second))} events/s`,
    );
  });

  test("have a mark at the start of the selected trial's steady state", () => {
    const marksIn = (state: FilterState): string => JSON.stringify(plotOf("queue", state).option);
    expect(marksIn({ ...DEFAULT_FILTER_STATE, trials: 1 })).toContain(
      '{"xAxis":6,"label":{"formatter":"steady from here"}}',
    );
    expect(marksIn({ ...DEFAULT_FILTER_STATE, trials: 2 })).not.toContain("steady");
  });

  test("shade faults of the shown trials, and name these faults in the text", () => {
    const fault = (trial: number, treatment: string, at: number, cleared: number | null): FaultRecord => ({
      trial,
      treatment,
      kind: "postgres-kill",
      atSeconds: 10,
      forSeconds: 2,
      words: "killed",
      injectedAtSeconds: at,
      clearedAtSeconds: cleared,
      recoverySeconds: 1,
      errors: {},
    });
    const faults = [fault(1, "text", 10, 12), fault(4, "text", 10.4, 13), fault(2, "jsonb", 10.1, null)];
    const broken = { ...report, result: { ...report.result, faults } };
    const words = (state: FilterState): string => plotOf("throughput", state, broken).words;
    expect(words(DEFAULT_FILTER_STATE)).toContain("Marked: postgres-kill from 10.1 s to 12.5 s.");
    expect(words({ ...DEFAULT_FILTER_STATE, trials: 4 })).toContain(
      "Marked: postgres-kill from 10.4 s to 13.0 s.",
    );
    expect(words({ ...DEFAULT_FILTER_STATE, trials: 2 })).toContain("postgres-kill at 10.1 s");
    expect(words({ ...DEFAULT_FILTER_STATE, trials: 3 })).not.toContain("postgres-kill");
    expect(words({ ...DEFAULT_FILTER_STATE, hiddenTreatments: ["jsonb"] })).toContain(
      "from 10.2 s to 12.5 s",
    );
    const plot = plotOf("throughput", { ...DEFAULT_FILTER_STATE, trials: 4 }, broken);
    // One nameless series in each panel: marks would disappear with a series that the legend hides.
    const marked = seriesOf(plot).filter((series) => "markLine" in series);
    expect(marked).toHaveLength([plot.option.grid ?? []].flat().length);
    expect(marked.map(({ name, data }) => [name, data])).toEqual(marked.map(() => [undefined, []]));
    expect(marked[0]).toMatchObject({
      silent: true,
      markLine: { data: [{ xAxis: 10.4, label: { formatter: "postgres-kill" } }] },
      markArea: { data: [[{ xAxis: 10.4 }, { xAxis: 13 }]] },
    });
    const [axis] = [plot.option.xAxis ?? []].flat();
    const { max } = axis as { max: (extent: { max: number }) => number };
    // A fault near the end is shown although it is beyond the last point.
    expect([max({ max: 4 }), max({ max: 30 })]).toEqual([13, 30]);
    expect(plot.legend.map(({ name }) => name)).toEqual(["jsonb"]);
    // A panel of one treatment shows the faults of that treatment.
    expect(plotOf("queue", DEFAULT_FILTER_STATE, broken).words).toContain(
      "Marked: postgres-kill at 10.1 s; postgres-kill from 10.2 s to 12.5 s.",
    );
  });

  test("keep a treatment's colour if others are hidden", () => {
    const colourOf = (state: FilterState): string | undefined =>
      seriesOf(plotOf("throughput", state)).find(({ name }) => name === "text")?.color;
    expect(colourOf(DEFAULT_FILTER_STATE)).toBe(LIGHT.treatments[2]);
    expect(colourOf({ ...DEFAULT_FILTER_STATE, hiddenTreatments: ["jsonb"] })).toBe(LIGHT.treatments[2]);
  });
});

/** The example with `change` applied to all its series. */
function reportWith(change: (series: TrialSeries) => Partial<TrialSeries>): ReportData {
  return { ...report, series: report.series.map((series) => ({ ...series, ...change(series) })) };
}

/** The example with the series of one trial of ten seconds, after `change`. */
function oneTrial(change: (series: TrialSeries) => Partial<TrialSeries>): ReportData {
  const [first] = reportWith(change).series;
  return { ...report, series: first ? [first] : [] };
}

describe("seconds without a value", () => {
  test("are gaps in measured series, with a symbol for isolated points", () => {
    const p99 = [5, null, 7, null, null, 9, 9, null];
    const data = oneTrial(({ operations: { add } }) => ({ operations: add ? { add: { ...add, p99 } } : {} }));
    const [line] = [plotOf("latency", DEFAULT_FILTER_STATE, data).option.series ?? []].flat() as Drawn[];
    expect(line).toMatchObject({ showSymbol: true, symbol: "none" });
    expect(line?.data).toEqual([
      { value: [0, 5], symbol: "circle" },
      [1, null],
      { value: [2, 7], symbol: "circle" },
      [3, null],
      [4, null],
      [5, 9],
      [6, 9],
      [7, null],
    ]);
  });

  test("are bridged in sampled series unless the gap is long", () => {
    const gap = [null, null, null, null, null, null];
    const pending = [null, 10, null, 20, null, 30, ...gap, 40, null, 50, null, 60];
    const data = oneTrial(() => ({ buckets: pending.length, evidence: { "queue.pending": pending } }));
    const points = [
      [0, null],
      ...[1, 3, 5].map((x, i) => [x, 10 * (i + 1)]),
      ...[6, 7, 8, 9, 10, 11].map((x) => [x, null]),
      ...[12, 14, 16].map((x, i) => [x, 10 * (i + 4)]),
    ];
    for (const id of ["queue", "backlog-age", "samples"]) {
      const [line] = seriesOf(plotOf(id, DEFAULT_FILTER_STATE, data));
      expect(line?.data, id).toEqual(points);
      expect(line).toMatchObject({ showSymbol: false });
    }
  });

  test("are interpolated in each trial before the median is taken", () => {
    const levels = new Map([
      [1, 100],
      [4, 200],
      [7, 300],
    ]);
    const turns = reportWith(({ trial }) => {
      const level = levels.get(trial);
      const values = Array.from({ length: 9 }, (_, i) =>
        i % 3 === (trial - 1) / 3 ? (level ?? null) : null,
      );
      return { buckets: 9, evidence: level === undefined ? {} : { "queue.pending": values } };
    });
    const [line] = seriesOf(plotOf("backlog-age", DEFAULT_FILTER_STATE, turns));
    // Only some trials have readings at the ends.
    expect(line?.data.map(([, y]) => y)).toEqual([100, 150, 200, 200, 200, 200, 200, 250, 300]);
  });

  test("are omitted in all layers of a stack together", () => {
    const evidence = {
      "host.serverCpuMs": [1000, null, 1000, null, 1000, null, 1000, null, 1000],
      "host.clientCpuMs": [200, null, null, null, 400, null, null, null, 600],
    };
    const data = oneTrial(() => ({ buckets: 9, evidence }));
    const layers = seriesOf(plotOf("cpu", DEFAULT_FILTER_STATE, data)).map(({ data: points }) =>
      points.map(([x, y]) => [x, Number(y?.toFixed(9))]),
    );
    const times = [0, 2, 4, 6, 8];
    expect(layers).toEqual([times.map((x) => [x, 1]), times.map((x) => [x, (2 + x / 2) / 10])]);
  });
});

describe("points that stand for several seconds", () => {
  const long = reportWith(() => ({ bucketSeconds: 12 }));

  test("are at the middle of their time, and a note states their length", () => {
    const plot = plotOf("throughput", DEFAULT_FILTER_STATE, long);
    expect(
      seriesOf(plot)[0]
        ?.data.slice(0, 2)
        .map(([x]) => x),
    ).toEqual([6, 18]);
    expect(plot.note).toBe("Median over trials at each time. Each point is of 12 s.");
    expect(plotOf("queue", DEFAULT_FILTER_STATE, long).note).toContain("over 12 s at each point");
    expect(plotOf("throughput").note).not.toContain("Each point");
  });

  test("are joined across gaps, since buckets already contain interpolated readings", () => {
    const pending = [1, null, 3];
    const data = oneTrial(() => ({ bucketSeconds: 12, buckets: 3, evidence: { "queue.pending": pending } }));
    const [line] = seriesOf(plotOf("backlog-age", DEFAULT_FILTER_STATE, data));
    expect(line?.data.map((point) => ("value" in point ? point.value : point))).toEqual([
      [6, 1],
      [18, null],
      [30, 3],
    ]);
  });
});

test("a wait event that a trial never saw is 0 where its sessions were sampled", () => {
  const active = [8, null, 8];
  const data = reportWith(({ trial }) => ({
    buckets: 3,
    evidence: { "sessions.active": active, ...(trial === 1 && { "wait.Lock:tuple": [8, null, 8] }) },
  }));
  const state = stateWithChoice(DEFAULT_FILTER_STATE, "samples", "metric", "wait.Lock:tuple");
  for (const line of seriesOf(plotOf("samples", state, data)))
    expect(line.data).toEqual([
      [0, 0],
      [2, 0],
    ]);
});

describe("times on an axis", () => {
  test("are whole seconds for a window of any length", () => {
    const data = oneTrial(() => ({ bucketSeconds: 5001 }));
    const plot = plotOf("throughput", DEFAULT_FILTER_STATE, data);
    expect(
      plot
        .table()
        .rows.slice(0, 4)
        .map(([second]) => second),
    ).toEqual(["2501", "7502", "12503", "17504"]);
    const [axis] = [plot.option.xAxis ?? []].flat();
    const { formatter } = axis?.axisLabel as { formatter: (value: number) => string };
    expect(formatter(12_345)).toBe("12345 s");
  });
});

describe("stacked parts", () => {
  test("are means over trials, so that a stack's height is the mean of the sum", () => {
    const own = report.series.filter(({ treatment }) => treatment === "jsonb");
    const states = ["pending", "processing", "complete", "failed"];
    const whole = own.flatMap(({ evidence }) =>
      states.map((state) => evidence[`queue.${state}`]?.[5] ?? Number.NaN),
    );
    const mean = whole.reduce((sum, value) => sum + value, 0) / own.length;
    const stacked = seriesOf(plotOf("queue")).slice(0, 4);
    const height = stacked.reduce((sum, { data }) => sum + (data[5]?.[1] ?? Number.NaN), 0);
    expect(height).toBeCloseTo(mean, 9);
  });

  test("add up to a transaction's mean response time", () => {
    const [add] = plotOf("parts").table().rows;
    const bars = [plotOf("parts").option.series ?? []].flat() as {
      xAxisIndex: number;
      data: { value: number }[];
    }[];
    const sum = bars
      .filter(({ xAxisIndex }) => xAxisIndex === 0)
      .reduce((total, { data }) => total + (data[0]?.value ?? 0), 0);
    expect(sum).toBeCloseTo(
      report.result.treatments[0]?.merged?.operations.add?.responseTimeMs?.mean ?? 0,
      9,
    );
    expect(add?.[0]).toBe("add, pool wait");
  });

  test("have distinct colours in the bar of a cycle", () => {
    const statements = ["add.events", "add.status", "process.claim", "process.advance", "archive.copy"];
    const names = ["poolWait", "begin", ...statements, "commit", "release", "program"];
    const treatments = report.result.treatments.map((treatment) => {
      const own = treatment.merged?.operations.add;
      const operations = own && {
        __cycle__: { ...own, parts: names.map((name) => ({ name, meanMs: 1, calls: 1 })) },
      };
      return {
        ...treatment,
        merged: treatment.merged && { ...treatment.merged, operations: operations ?? {} },
      };
    });
    const { legend } = plotOf("parts", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, treatments },
    });
    expect(legend).toHaveLength(names.length);
    expect(new Set(legend.map(({ colour }) => colour)).size).toBe(legend.length);
  });

  test("merge the rarest wait events into one layer", () => {
    const many = report.series.map((series) => ({
      ...series,
      evidence: Object.fromEntries(
        Array.from({ length: 14 }, (_, i) => [`wait.LWLock:L${i}`, [14 - i, 14 - i]]),
      ),
      buckets: 2,
    }));
    const lines = seriesOf(plotOf("waits", DEFAULT_FILTER_STATE, { ...report, series: many })).slice(0, 10);
    expect(lines.map(({ name }) => name)).toEqual([
      ...Array.from({ length: 9 }, (_, i) => `LWLock:L${i}`),
      "5 others",
    ]);
    expect(lines[9]?.data[0]).toEqual({ value: 5 + 4 + 3 + 2 + 1 });
  });
});

describe("bars per event", () => {
  test("omit quantities that are 0 in all trials with a note, and draw negative ones", () => {
    const treatments = report.result.treatments.map((treatment) => ({
      ...treatment,
      trials: treatment.trials.map((trial) => ({
        ...trial,
        database: { perEvent: { events: 10, walBytes: 3, toastBytes: 0, tableBytes: -5 } },
      })),
    }));
    const plot = plotOf("per-event", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, treatments },
    });
    expect(plot.note).toContain("0 throughout: TOAST growth per event.");
    expect(plot.note).not.toContain("Server counters lag");
    const short = treatments.map((each) => ({
      ...each,
      trials: each.trials.map((trial) => ({ ...trial, windowSeconds: 5 })),
    }));
    const brief = plotOf("per-event", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, treatments: short },
    });
    expect(brief.note).toContain("Server counters lag by up to 1 second: in a window of 5 s");
    expect(plot.table().rows.map(([title]) => title)).toEqual(["WAL per event", "Table growth per event"]);
    expect(plot.table().rows[1]?.[1]).toBe("-5 B -5 B..-5 B");
  });
});

describe("a report without a complete trial", () => {
  const treatments = report.result.treatments.map((treatment) => ({
    ...treatment,
    merged: null,
    trials: treatment.trials.map((trial) => ({ ...trial, status: "partial" as const })),
  }));
  const stopped = { ...report, result: { ...report.result, treatments }, curves: [] };
  const ids = ["parts", "pool-wait", "per-event", "sizes"];

  test.each(ids)("has a reason in place of chart %s, and draws a selected trial", (id) => {
    const why = "no trial of the treatments that are shown is complete; a single one can be chosen above.";
    expect(draw(id, DEFAULT_FILTER_STATE, stopped)).toEqual({
      kind: "nothing",
      why: `There is nothing to draw: ${why}`,
    });
    expect(draw(id, { ...DEFAULT_FILTER_STATE, trials: 1 }, stopped).kind).toBe("plot");
    const hidden = { ...DEFAULT_FILTER_STATE, trials: 1, hiddenTreatments: ["jsonb"] };
    expect(draw(id, hidden, stopped)).toMatchObject({
      why: "There is nothing to draw: trial 1 is of none of the treatments that are shown.",
    });
  });

  test("omits only charts that no selection fills", () => {
    const empty = CHARTS.filter((chart) => !canDraw(chart, stopped)).map(({ id }) => id);
    expect(empty).toEqual(["percentiles"]);
    expect(CHARTS.filter((chart) => !canDraw(chart, report))).toEqual([]);
  });

  test("keeps a chart that another choice fills", () => {
    const waits = { mean: 0.1, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 3 };
    const calm = report.result.treatments.map((treatment) => ({
      ...treatment,
      trials: treatment.trials.map((trial) => ({
        ...trial,
        operations: Object.fromEntries(
          Object.entries(trial.operations).map(([name, each]) => [name, { ...each, poolWaitMs: waits }]),
        ),
      })),
    }));
    const data = { ...report, result: { ...report.result, treatments: calm } };
    const chart = CHARTS.find(({ id }) => id === "pool-wait");
    expect(draw("pool-wait", DEFAULT_FILTER_STATE, data).kind).toBe("nothing");
    expect(chart && canDraw(chart, data)).toBe(true);
  });
});

describe("sweeps over two factors", () => {
  test("have a panel for each factor, and curves with distinct colours", () => {
    const sweep = exampleSweep();
    const sweeps = ["actors.producers.clients", "actors.consumers.clients"].flatMap((factor, i, factors) =>
      ["1", "4"].map((level) => ({ ...sweep, factor, levels: { [factors[1 - i] ?? ""]: level } })),
    );
    const { option, legend, note } = plotOf("sweep", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, sweeps },
    });
    expect([option.title ?? []].flat().map(({ text }) => text)).toEqual([
      "add over actors.producers.clients, events/s",
      "add over actors.consumers.clients, events/s",
    ]);
    expect(legend.map(({ name }) => name)).toEqual([
      "actors.consumers.clients=1",
      "actors.consumers.clients=4",
      "actors.producers.clients=1",
      "actors.producers.clients=4",
    ]);
    expect(new Set(legend.map(({ colour, dash }) => `${colour} ${dash ?? ""}`)).size).toBe(4);
    expect(note).toContain(
      "add over actors.producers.clients, actors.consumers.clients=4: most at 31 clients",
    );
    // The legend hides series by name: intervals with another name than their curve would stay visible.
    const names = [option.series ?? []].flat().map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(legend.map(({ name }) => name).sort());
  });
});

test("bytes have the same text in a chart and in evidence sentences", () => {
  for (const value of [447, 1023, 3297, 82_400_000, -2_500_000])
    expect(valueText(value, "bytes")).toBe(amountUnit("bytes", 1).text(value));
});

describe("curves without a time axis", () => {
  test("have a text with the same percentiles as the tables", () => {
    const latency = report.result.treatments[0]?.merged?.operations.add?.responseTimeMs;
    expect(plotOf("percentiles").words).toContain(
      `add: jsonb: p50 ${latency?.p50 ?? ""} ms, p99 ${latency?.p99 ?? ""} ms, at most ${latency?.max ?? ""} ms; `,
    );
  });

  test("have no median over rates, and a table with every probe", () => {
    expect(plotOf("sweep").words).toMatch(/payload=jsonb, measured: from 120 events\/s to 965 events\/s/);
    const [capacity] = report.result.capacity ?? [];
    if (!capacity) throw new Error("the example has a search");
    const probes = [
      ...capacity.probes,
      ...capacity.probes.slice(1, 2).map((probe) => ({ ...probe, p99Ms: 77 })),
    ];
    const result = { ...report.result, capacity: [{ ...capacity, probes }] };
    const plot = plotOf("capacity", DEFAULT_FILTER_STATE, { ...report, result });
    expect(plot.words).not.toContain("median");
    expect(plot.table().rows).toEqual([
      ["100", "25 ms", "-"],
      ["200", "50 ms", "-"],
      ["200", "77 ms", "-"],
      ["240", "-", "60 ms"],
      ["400", "-", "100 ms"],
    ]);
    expect(plot.words).toContain("Marked: 200/s.");
  });

  test("are drawn for a search that found no rate and has no trials in the result", () => {
    const [capacity] = report.result.capacity ?? [];
    if (!capacity) throw new Error("the example has a search");
    const nowhere = { ...capacity, treatment: "nowhere", ratePerSecond: null, outcome: "none" as const };
    const { option, legend } = plotOf("capacity", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, capacity: [capacity, nowhere] },
    });
    expect([option.title ?? []].flat().map(({ text }) => text)).toEqual([
      "jsonb, add, ms",
      "nowhere, add, ms",
    ]);
    const coloured = [option.series ?? []].flat().filter(({ name }) => name === "held");
    expect(coloured.map((series) => "color" in series && series.color)).toEqual([
      LIGHT.treatments[0],
      LIGHT.text,
    ]);
    expect(legend.map(({ colour }) => colour)).toEqual([LIGHT.text, LIGHT.text]);
  });
});

describe("the comparison plot", () => {
  test("fills marks of findings and leaves other marks hollow", () => {
    const marks = [plotOf("comparison-plot").option.series ?? []]
      .flat()
      .filter(({ type }) => type === "scatter");
    const fills = marks.flatMap(({ data }) =>
      (data as { itemStyle: { color: string } }[]).map(({ itemStyle }) => itemStyle.color),
    );
    const verdicts = report.result.comparisons
      .filter(({ metric }) => ["mean", "p99", "eventsPerSecond"].includes(metric))
      .map(({ verdict }) => verdict);
    expect(fills.filter((fill) => fill === LIGHT.page)).toHaveLength(
      verdicts.filter((each) => each !== "finding").length,
    );
    expect(fills.filter((fill) => fill !== LIGHT.page).length).toBeGreaterThan(0);
  });

  test("leaves marks within the noise floor hollow, and states so", () => {
    const [some] = report.result.comparisons.filter(({ metric }) => metric === "mean");
    if (!some) throw new Error("the example compares no means");
    const claim = { ...some, ratio: 1.15, ciLow: 1.1, ciHigh: 1.2, verdict: "finding" as const };
    const pair = {
      ...claim,
      factor: NO_FACTOR,
      ratio: 1,
      ciLow: 0.8,
      ciHigh: 1.25,
      verdict: "inconclusive" as const,
    };
    const plot = plotOf("comparison-plot", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, comparisons: [claim, pair] },
    });
    const marks = [plot.option.series ?? []].flat().find(({ type }) => type === "scatter");
    expect(marks?.data).toMatchObject([
      { itemStyle: { color: LIGHT.page } },
      { itemStyle: { color: LIGHT.page } },
    ]);
    expect(plot.table().rows[0]?.at(-1)).toBe("finding, within the noise floor");
    expect(plot.words).toContain("Of 2 comparisons, 1 is a finding and 1 inconclusive.");
  });

  test.each([
    { ratios: [0.98, 1.01], ticks: [0.8, 0.9, 1, 1.1, 1.25] },
    { ratios: [0.62, 1.05], ticks: [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25] },
    { ratios: [0.3, 1.3], ticks: [0.3, 0.5, 0.7, 1] },
    { ratios: [1, 5], ticks: [1, 1.5, 2, 3, 5] },
    { ratios: [0.2, 3], ticks: [0.2, 0.5, 1, 2] },
    { ratios: [0.0001, 5000], ticks: [0.001, 0.01, 0.1, 1, 10, 100, 1000] },
  ])("has ticks that frame ratios $ratios", ({ ratios, ticks }) => {
    const [some] = report.result.comparisons.filter(({ metric }) => metric === "mean");
    if (!some) throw new Error("the example compares no means");
    const comparisons = ratios.map((ratio) => ({ ...some, ratio, ciLow: null, ciHigh: null }));
    const { option } = plotOf("comparison-plot", DEFAULT_FILTER_STATE, {
      ...report,
      result: { ...report.result, comparisons },
    });
    const [axis] = [option.xAxis ?? []].flat();
    expect(axis?.axisLabel).toMatchObject({ customValues: ticks });
    expect(axis?.axisTick).toMatchObject({ customValues: ticks });
  });

  test("has all metrics if they are selected", () => {
    const all = plotOf(
      "comparison-plot",
      stateWithChoice(DEFAULT_FILTER_STATE, "comparison-plot", "metric", "all"),
    );
    expect(all.table().rows).toHaveLength(report.result.comparisons.length);
  });
});

describe("colours of a theme", () => {
  const luminance = (hex: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string): number => {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };

  test.each([LIGHT, DARK])(
    "contrast with the $name page by 4.5:1 for text and 3:1 for treatments",
    (theme) => {
      for (const colour of [theme.text, theme.muted])
        expect(contrast(colour, theme.page)).toBeGreaterThan(4.5);
      for (const colour of theme.treatments) expect(contrast(colour, theme.page), colour).toBeGreaterThan(3);
      const all = [...theme.treatments, ...theme.parts, ...theme.common];
      expect(new Set(all).size).toBe(all.length);
    },
  );
});

/** Coordinates in OKLab, whose distances are those that a reader sees. */
function okLab(hex: string): number[] {
  const linear = [1, 3, 5].map((at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2);
  const sum = (weights: readonly number[], values: readonly number[]): number =>
    weights.reduce((total, weight, i) => total + weight * (values[i] ?? 0), 0);
  const cones = [
    [0.4122, 0.5363, 0.0514],
    [0.2119, 0.6807, 0.1074],
    [0.0883, 0.2817, 0.63],
  ].map((weights) => Math.cbrt(sum(weights, linear)));
  return [
    [0.2105, 0.7936, -0.0041],
    [1.978, -2.4286, 0.4506],
    [0.0259, 0.7828, -0.8087],
  ].map((weights) => sum(weights, cones));
}

test.each([LIGHT, DARK])("no part of a whole looks like a treatment in the $name scheme", (theme) => {
  for (const part of [...theme.parts, ...theme.common])
    for (const treatment of theme.treatments)
      expect(
        Math.hypot(...okLab(part).map((value, i) => value - (okLab(treatment)[i] ?? 0))),
        `${part} and ${treatment}`,
      ).toBeGreaterThan(0.1);
});

describe("areas", () => {
  test("an area of sessions holds 20 samples at each point, which 5 trials take in 4 seconds", () => {
    const [area] = seriesOf(plotOf("waits"));
    expect(area?.data.map(([x]) => x)).toEqual([2, 6, 10, 14, 18, 22, 26, 30]);
  });

  test("areas become one bar for each treatment if fewer than 5 points remain", () => {
    const series = report.series.map((each) => ({
      ...each,
      buckets: 4,
      evidence: { "queue.pending": [1, 2, 3, 6], "sessions.active": [1, 1, 1, 1], "wait.CPU": [1, 1, 1, 1] },
    }));
    for (const [id, value] of [
      ["queue", 3],
      ["waits", 1],
    ] as const) {
      const [bars] = seriesOf(plotOf(id, DEFAULT_FILTER_STATE, { ...report, series }));
      expect(bars?.data, id).toEqual([{ value }, { value }, { value }]);
    }
  });

  test("areas of several treatments share a scale", () => {
    for (const id of ["queue", "waits", "cpu"]) {
      const axes = [plotOf(id).option.yAxis ?? []].flat();
      expect(axes.length, id).toBeGreaterThan(1);
      expect(new Set(axes.map(({ max }) => max)).size, id).toBe(1);
      expect(axes[0]?.max, id).toEqual(expect.any(Number));
    }
  });
});
