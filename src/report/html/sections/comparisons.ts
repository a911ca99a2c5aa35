import {
  comparedOperations,
  COMPARISON_METRICS,
  type ComparedOperation,
  type Comparison,
  type MetricSummary,
  type RatioFinding,
  type ResultDocument,
} from "../../../results/result-schema.js";
import { BLOCKS_MIN } from "../../../analysis/statistics/limits.js";
import { counterLagWords } from "../../findings/counter-lag.js";
import { outlookOf } from "../../../analysis/comparison/outlook.js";
import { isWithinNoiseFloor } from "../../../analysis/comparison/noise-floor.js";
import { intervalText, rangeText, ratioText } from "../../../foundation/text/numbers.js";
import { WITHIN_NOISE_NOTE } from "../../../metrics/names.js";
import { unitOf } from "../../../workloads/vocabulary.js";
import { html, type HtmlValue, type Html } from "../html.js";
import { renderSearches } from "./searches.js";
import {
  figure,
  foldOf,
  metricText,
  operationText,
  sectionOf,
  sentence,
  tableOf,
  text,
  treatmentNames,
} from "./table.js";

/** Text of a metric's median over trials with its interval `[a, b]`, or with its range `a..b` if there is no interval. */
function medianText({ median, ciLow, ciHigh, min, max, trials }: MetricSummary): string {
  const middle = figure(median);
  if (ciLow !== null && ciHigh !== null) return `${middle} ${intervalText(ciLow, ciHigh, figure)}`;
  return trials > 1 ? `${middle} ${rangeText(min, max, figure)}` : middle;
}

const FINDING_COLUMNS = [
  "ratio",
  "95 % interval",
  "p",
  "p adjusted",
  "p over the experiment",
  "blocks",
  text("verdict"),
] as const;

function findingCells(finding: RatioFinding): string[] {
  const { ratio, ciLow, ciHigh, pValue, pAdjusted, familyP, blocks, verdict } = finding;
  const p = (value: number | null = null): string =>
    value === null ? "-" : String(Number(value.toPrecision(3)));
  const interval = intervalText(ciLow, ciHigh) || "-";
  return [ratioText(ratio), interval, ...[pValue, pAdjusted, familyP].map(p), String(blocks), verdict];
}

/** Table of evidence: each row has a sentence and the metrics whose difference it explains. */
function reasonsOf(
  title: string,
  comparisons: readonly Comparison[],
  nameOf: (id: string) => HtmlValue,
  unit: string,
  caveat = "",
): Html {
  const metricsByTreatment = new Map<string, { treatment: string; metrics: string[]; evidence: string }>();
  for (const { because = [], treatment, metric } of comparisons) {
    for (const evidence of because) {
      const key = JSON.stringify([treatment, evidence]);
      const known = metricsByTreatment.get(key) ?? { treatment, metrics: [], evidence };
      known.metrics.push(metricText(metric, unit));
      metricsByTreatment.set(key, known);
    }
  }
  if (metricsByTreatment.size === 0) return html``;
  return html`${tableOf(
    `${title}: what moved with these differences (evidence, not proof)`,
    [text("treatment"), text("metrics"), sentence("evidence")],
    [...metricsByTreatment.values()].map(({ treatment, metrics, evidence }) => [
      nameOf(treatment),
      metrics.join(", "),
      evidence,
    ]),
  )}${caveat && html`<p>${caveat}</p> `}`;
}

/**
 * Cells of a comparison with its range, if there are few blocks, and the number of trials of each treatment that would
 * decide it, if it is open.
 */
function outlookCells(result: ResultDocument, comparison: Comparison): HtmlValue[] {
  const outlook = outlookOf(result, comparison);
  return [outlook?.ratioRange && rangeText(...outlook.ratioRange), outlook?.trialsToDecide];
}

function renderOperation(result: ResultDocument, operation: ComparedOperation): Html {
  const { treatments, comparisons } = result;
  const title = operationText(operation);
  const unit = unitOf(result.workload, operation);
  const metrics = COMPARISON_METRICS.filter((metric) =>
    treatments.some(({ summary }) =>
      summary?.some((each) => each.operation === operation && each.metric === metric),
    ),
  );
  if (metrics.length === 0) return html``;
  const nameOf = treatmentNames(treatments);
  const medians = treatments.map(({ id, summary }) => [
    nameOf(id),
    ...metrics.map((metric) => {
      const metricSummary = summary?.find((each) => each.operation === operation && each.metric === metric);
      return metricSummary ? medianText(metricSummary) : "-";
    }),
  ]);
  const operationComparisons = comparisons.filter((each) => each.operation === operation);
  const rows = operationComparisons.map((each): HtmlValue[] => [
    nameOf(each.treatment),
    nameOf(each.baseline),
    each.factor,
    metricText(each.metric, unit),
    ...findingCells(each),
    ...outlookCells(result, each),
    [
      ...(isWithinNoiseFloor(each, comparisons) ? [WITHIN_NOISE_NOTE] : []),
      ...(each.zeroAs === undefined ? [] : [`takes ${figure(each.zeroAs)} for 0`]),
    ].join("; "),
  ]);
  return foldOf(
    title,
    html`${tableOf(`${title}: medians over trials`, [text("treatment"), ...metrics.map((metric) => metricText(metric, unit))], medians)}${tableOf(
      `${title}: ratios of a treatment to another`,
      [
        text("treatment"),
        text("to"),
        text("factor"),
        text("metric"),
        ...FINDING_COLUMNS,
        "range over blocks",
        "trials to decide",
        sentence("note"),
      ],
      rows,
    )}${reasonsOf(title, operationComparisons, nameOf, unit, counterLagWords(treatments.flatMap(({ trials }) => trials)))}`,
  );
}

function effectTables(result: ResultDocument): Html {
  const { effects = [], interactions = [] } = result;
  const { workload: vocabulary } = result;
  const effectRows = effects.map((each): HtmlValue[] => [
    `${each.factor}: ${each.level} to ${each.baselineLevel}`,
    `${operationText(each.operation)}, ${metricText(each.metric, unitOf(vocabulary, each.operation))}`,
    each.combinations,
    ...findingCells(each),
  ]);
  const interactionRows = interactions.map((each): HtmlValue[] => [
    `${each.factor}: ${each.level} to ${each.baselineLevel}`,
    `${each.otherFactor}: ${each.otherLevel} to ${each.otherBaselineLevel}`,
    `${operationText(each.operation)}, ${metricText(each.metric, unitOf(vocabulary, each.operation))}`,
    each.combinations,
    ...findingCells(each),
  ]);
  if (effectRows.length + interactionRows.length === 0) return html``;
  return foldOf(
    "Factors",
    html`${tableOf(
      "Effect of a factor's level: geometric mean over all combinations of the other factors",
      [text("level"), text("of"), "combinations", ...FINDING_COLUMNS],
      effectRows,
    )}${tableOf(
      "Interactions: by which factor the effect of a level differs with another factor",
      [text("level"), text("with"), text("of"), "combinations", ...FINDING_COLUMNS],
      interactionRows,
    )}`,
  );
}

export function renderComparisons(result: ResultDocument): Html {
  return sectionOf(
    "comparisons",
    "Every comparison",
    html`<p class="muted">
      Times are response times in ms. Medians are over complete trials, with the 95 % interval [a, b] from
      ${BLOCKS_MIN} trials on, otherwise with their range a..b. Ratios are medians over blocks of trials,
      after the effect of a trial's position in its block is taken out; p-values are of t-tests over blocks,
      adjusted over the treatments compared. A finding holds at 5 % over the whole experiment, an exploratory
      difference for its metric alone. p50 and p95 are exploratory at most. The last column of an inconclusive
      comparison has the number of trials a treatment that would decide it if ratio and spread stay as seen.
    </p> `,
    comparedOperations(result.treatments).map((operation) => renderOperation(result, operation)),
    effectTables(result),
    renderSearches(result),
  );
}
