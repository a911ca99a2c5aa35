// A stored result with each verdict, rendered to each output: all show the words, marks and counts of result.json.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleOperation, exampleResult, exampleTrial } from "../../test/support/example-result.js";
import { cellsOf, embeddedData } from "../../test/support/report-html.js";
import { withAnalysis } from "../analysis/comparison/analysis.js";
import { headlineComparisons, isWithinNoiseFloor } from "../analysis/comparison/noise-floor.js";
import { compareRuns } from "../analysis/comparison/run-comparison.js";
import { verdictCounts, type VerdictCounts } from "../analysis/comparison/verdicts.js";
import { isHeadline } from "../metrics/metric-lists.js";
import { COMPARISON_VERDICTS, VERDICT_MARKS, type ComparisonVerdict } from "../metrics/names.js";
import { writeResult } from "../results/directory.js";
import { readResult } from "../results/reader.js";
import type { RatioFinding, ResultDocument, TreatmentResult } from "../results/result-schema.js";
import { DEFAULT_FILTER_STATE, stateWithChoice } from "./html/page/charts/filter-state.js";
import type { Plot } from "./html/page/charts/drawing.js";
import { CHARTS } from "./html/page/charts/registry.js";
import { LIGHT } from "./html/page/charts/theme.js";
import { viewOf } from "./html/page/charts/view.js";
import { forestOf } from "./findings/forest.js";
import { renderReport } from "./html/render.js";
import type { ReportData } from "./html/report-data.js";
import { invalidTrials } from "../analysis/diagnosis/validity.js";
import { keyFindings } from "./findings/key-findings.js";
import { renderRunComparison } from "./terminal/run-comparison-text.js";
import { renderScreen } from "./terminal/screen.js";
import { renderSummary } from "./terminal/summary.js";

const BLOCKS = 10;
const NOISE = [0.9, -1.2, 0.4, 1.6, -0.7, -1.5, 0.3, 1.1, -0.2, -0.7];

/** Response times of `add` and `process` relative to the first treatment's. `spread` is the noise between blocks. */
interface Behaviour {
  readonly payload: string;
  readonly pool: string;
  readonly add: readonly [factor: number, spread: number];
  readonly process: readonly [factor: number, spread: number];
}

const SURE = 0.002;
const BEHAVIOURS: readonly Behaviour[] = [
  { payload: "jsonb", pool: "direct", add: [1, 0], process: [1, 0] },
  { payload: "text", pool: "direct", add: [2, SURE], process: [1.1, 0.085] },
  { payload: "jsonb", pool: "pooled", add: [1.02, 0.3], process: [1, SURE] },
  { payload: "text", pool: "pooled", add: [2, SURE], process: [1.02, 0.3] },
];

function treatmentOf({ payload, pool, add, process }: Behaviour, place: number): TreatmentResult {
  const times = ([factor, spread]: Behaviour["add"], block: number, shift: number): number =>
    10 * factor * Math.exp(spread * (NOISE[(block + shift) % BLOCKS] ?? 0));
  return {
    id: `${payload}-${pool}`,
    levels: { payload, pool },
    trials: NOISE.map((_, block) => {
      const number = block * BEHAVIOURS.length + ((block + place) % BEHAVIOURS.length) + 1;
      const trial = exampleTrial(block, number, times(add, block, place));
      return {
        ...trial,
        operations: { ...trial.operations, process: exampleOperation(times(process, block, 3 * place)) },
      };
    }),
    merged: null,
  };
}

const directory = mkdtempSync(join(tmpdir(), "train-sim-verdicts-"));
let result: ResultDocument;
let data: ReportData;

beforeAll(async () => {
  const { comparisons, ...rest } = exampleResult(BLOCKS);
  const treatments = BEHAVIOURS.map(treatmentOf);
  await writeResult(directory, withAnalysis({ ...rest, comparisons, treatments }));
  result = await readResult(directory);
  data = {
    programVersion: "1.2.3",
    result,
    vocabulary: result.workload,
    findings: keyFindings(result),
    notes: [],
    invalidTrials: invalidTrials(result.treatments.flatMap(({ trials }) => trials)),
    series: [],
    curves: [],
  };
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Number of occurrences of each word, or of each mark, in a list. */
function countsIn(
  words: readonly (string | number)[],
  wordOf: (verdict: ComparisonVerdict) => string,
): VerdictCounts {
  return verdictCounts(
    words.flatMap((word) =>
      COMPARISON_VERDICTS.flatMap((verdict) => (wordOf(verdict) === word ? { verdict } : [])),
    ),
  );
}
const byWord = (words: readonly (string | number)[]): VerdictCounts => countsIn(words, (verdict) => verdict);
const byMark = (marks: readonly string[]): VerdictCounts =>
  countsIn(marks, (verdict) => VERDICT_MARKS[verdict]);

/** Numbers that a sentence states, such as "Of 9 comparisons, 1 is a finding and 8 inconclusive". */
function statedCounts(text: string): VerdictCounts {
  const [, sentence = ""] =
    /Of \d+ comparisons?(?: \([^)]*\))?, ([^.:]*)/.exec(text.replaceAll("\n", " ")) ?? [];
  const of = (word: string): number =>
    Number(new RegExp(`(\\d+) (?:is |are )?(?:a )?${word}`).exec(sentence)?.[1] ?? 0);
  return {
    finding: of("finding"),
    exploratory: of("exploratory"),
    indistinguishable: of("indistinguishable"),
    inconclusive: of("inconclusive"),
  };
}

function plotOf(id: string, metric?: string): Plot {
  const state =
    metric === undefined ? DEFAULT_FILTER_STATE : stateWithChoice(DEFAULT_FILTER_STATE, id, "metric", metric);
  const drawing = CHARTS.find((chart) => chart.id === id)?.draw(viewOf(data, state, id, LIGHT, 1000));
  if (drawing?.kind !== "plot") throw new Error(`${id} draws nothing`);
  return drawing;
}

const MARKS_AT_END = / ([*+~?])!?$/;

describe("a result with each verdict", () => {
  const drawnComparisons = () => forestOf(result)?.rows.map(({ comparison }) => comparison) ?? [];

  it("has all four verdicts among its headline comparisons", () => {
    const counts = verdictCounts(headlineComparisons(result.comparisons));
    for (const verdict of COMPARISON_VERDICTS) expect(counts[verdict], verdict).toBeGreaterThan(0);
    expect(result.comparisons.filter((each) => isWithinNoiseFloor(each, result.comparisons))).toEqual([]);
  });

  it("stores a verdict for each comparison, effect and interaction", () => {
    const stored = JSON.parse(readFileSync(join(directory, "result.json"), "utf8")) as Record<
      string,
      RatioFinding[]
    >;
    for (const kind of ["comparisons", "effects", "interactions"] as const) {
      const own: readonly RatioFinding[] = result[kind] ?? [];
      expect(own.length).toBeGreaterThan(0);
      expect(byWord((stored[kind] ?? []).map(({ verdict }) => verdict))).toEqual(verdictCounts(own));
    }
  });

  it("has findings of headline metrics only, in the direction of their ratio", () => {
    const found = result.comparisons.filter(({ verdict }) => verdict === "finding");
    expect(found.every(({ metric, familyP }) => isHeadline(metric) && (familyP ?? 1) <= 0.05)).toBe(true);
    expect(
      found.every(({ ratio, ciLow, ciHigh }) => (ratio > 1 ? (ciLow ?? 0) > 1 : (ciHigh ?? 2) < 1)),
    ).toBe(true);
  });

  it("has equal counts of verdicts in key findings and summary", () => {
    const counts = verdictCounts(headlineComparisons(result.comparisons));
    const totals = keyFindings(result).filter(({ text }) => text.startsWith("Of "));
    expect(totals.map(({ text }) => statedCounts(text))).toEqual([counts]);
    expect(statedCounts(renderSummary(result, { directory }))).toEqual(counts);
  });

  it("has equal marks in the tables of the summary", () => {
    const summary = renderSummary(result, { directory });
    const ratios = [...summary.matchAll(/\dx (?:\[?[\d.]+(?:-|, |\.\.)[\d.]+\]? )?([*+~?])!?(?=\s)/g)].map(
      ([, mark = ""]) => mark,
    );
    const all = [...result.comparisons, ...(result.effects ?? []), ...drawnComparisons()];
    expect(byMark(ratios)).toEqual(verdictCounts(all));
  });

  it("has equal marks in the table of the screen", () => {
    const [, table = ""] = renderScreen(result, { directory }).split(/^---.*$/m);
    const marks = [...table.matchAll(/, [\d.]+\] ([*+~?])!? /g)].map(([, mark = ""]) => mark);
    const chosen = result.comparisons.filter(
      ({ operation, metric }) =>
        !operation.startsWith("lifecycle.") && ["eventsPerSecond", "p50", "p99"].includes(metric),
    );
    expect(byMark(marks)).toEqual(verdictCounts(chosen));
  });

  it("has equal words in the report's tables and embedded data", () => {
    const page = renderReport(data, { script: "", style: "" });
    const all = [
      ...result.comparisons,
      ...(result.effects ?? []),
      ...(result.interactions ?? []),
      ...drawnComparisons(),
    ];
    expect(byWord(cellsOf(page))).toEqual(verdictCounts(all));
    expect(embeddedData(page)).toMatchObject({ result: { comparisons: result.comparisons } });
  });

  it.each([
    { metric: "main", isShown: isHeadline },
    { metric: "all", isShown: () => true },
  ])("has equal counts and marks in the plot of $metric metrics", ({ metric, isShown }) => {
    const counts = verdictCounts(result.comparisons.filter((each) => isShown(each.metric)));
    const plot = plotOf("comparison-plot", metric);
    expect(statedCounts(plot.words)).toEqual(counts);
    expect(byWord(plot.table().rows.map((row) => row.at(-1) ?? ""))).toEqual(counts);
    const axes = [plot.option.yAxis ?? []].flat() as unknown as { readonly data: readonly string[] }[];
    const names = axes.flatMap((axis) => axis.data);
    expect(byMark(names.map((name) => MARKS_AT_END.exec(name)?.[1] ?? name))).toEqual(counts);
  });

  it("states for each exploratory comparison how many trials would decide the comparison", () => {
    const rows = plotOf("comparison-plot")
      .table()
      .rows.filter((row) => row.at(-1) === "exploratory");
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Number(row[5])).toBeGreaterThan(BLOCKS);
    expect(renderSummary(result, { directory }).replaceAll("\n", " ")).toMatch(
      /exploratory: .*?\(1\.\d\dx \[[\d.]+, [\d.]+\]; about \d+ trials of each would decide\)/,
    );
    expect(keyFindings(result).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^If ratio and spread stay as seen, about \d+ trials of each would decide \d of \d exploratory comparisons/,
      ),
    );
  });

  it("has equal words in the matrix", () => {
    const rows = plotOf("matrix")
      .table()
      .rows.filter((row) => row.at(-2) !== "-");
    for (const [treatment, operation, , , , , , verdict] of rows) {
      const found = result.comparisons.filter(
        (each) => each.treatment === treatment && each.operation === operation && each.verdict === verdict,
      );
      expect(found.length, `${String(treatment)} ${String(operation)}`).toBeGreaterThan(0);
    }
  });

  it("has equal words in a comparison of runs", () => {
    const slower: ResultDocument = { ...exampleResult(8, 1.2) };
    const document = compareRuns(
      { directory: "a", result: exampleResult(8, 1) },
      [{ directory: "b", result: slower }],
      0.05,
    );
    const text = renderRunComparison(document);
    const chosen = (document.runs[0]?.findings ?? []).filter(
      ({ metric, isRegression }) => isHeadline(metric) || isRegression,
    );
    const words = [...text.matchAll(/ (REGRESSION|~|finding|exploratory|indistinguishable|inconclusive)$/gm)];
    expect(words).toHaveLength(chosen.length);
    expect(byWord(words.map(([, word = ""]) => word))).toEqual(
      verdictCounts(chosen.filter(({ isRegression }) => !isRegression)),
    );
  });
});
