// Names of operations and verdicts for readers.
import { HEADLINE_METRICS, labelOf, type ComparisonMetric } from "./metric-lists.js";
import { isCycleOperation, stageOf } from "./operations.js";

/**
 * Name of a compared thing: `cycle` for `__cycle__`, the operation's name, or the span to a stage: `published to completed`
 * where the stage is a participle, else its noun alone, such as `pickup`.
 */
export function operationName(compared: string): string {
  const stage = stageOf(compared);
  if (stage) return stage.endsWith("ed") ? `published to ${stage}` : stage;
  return isCycleOperation(compared) ? compared.replaceAll("_", "") : compared;
}

/** Name of a comparison, such as `process p99 of text`. */
export function comparisonName({
  operation,
  metric,
  treatment,
}: {
  readonly operation: string;
  readonly metric: ComparisonMetric;
  readonly treatment: string;
}): string {
  return `${operationName(operation)} ${labelOf(metric)} of ${treatment}`;
}

/** Note on a difference that is no larger than the differences of A/A pairs. */
export const WITHIN_NOISE_NOTE = "within the noise floor";

/** The verdicts on a comparison, named as stored, each with its mark, which follows a ratio. */
export const VERDICT_MARKS = {
  finding: "*",
  exploratory: "+",
  indistinguishable: "~",
  inconclusive: "?",
} as const;

export type ComparisonVerdict = keyof typeof VERDICT_MARKS;

export const COMPARISON_VERDICTS = [
  "finding",
  "exploratory",
  "indistinguishable",
  "inconclusive",
] as const satisfies readonly ComparisonVerdict[];

/** Mark that follows the verdict's mark if the difference is within the noise floor. */
const NOISE_MARK = "!";

export function markOf(verdict: ComparisonVerdict, isBelowNoise = false): string {
  return `${VERDICT_MARKS[verdict]}${isBelowNoise ? NOISE_MARK : ""}`;
}

export const VERDICT_MARK_WIDTH = 2;

/** Names of the metrics that are tested over the whole experiment; other metrics are exploratory at most. */
const HEADLINE_NAMES = HEADLINE_METRICS.map((id) => (id === "eventsPerSecond" ? "throughput" : labelOf(id)));

/**
 * Legend of the marks, of all or of those in the text. `within` is the margin within which two sides count as the same:
 * 0.05 is 5 %.
 */
export function verdictLegend(within: number, text?: string): string {
  const isUsed = (mark: string): boolean => text === undefined || text.includes(mark);
  const limits: Readonly<Partial<Record<ComparisonVerdict, string>>> = {
    finding: ` (of ${HEADLINE_NAMES.join(", ")})`,
    indistinguishable: ` (medians within ${Number((within * 100).toFixed(1))} %)`,
  };
  const marks = COMPARISON_VERDICTS.filter((verdict) => isUsed(VERDICT_MARKS[verdict])).map(
    (verdict) => `${VERDICT_MARKS[verdict]} ${verdict}${limits[verdict] ?? ""}`,
  );
  return [marks.join(", "), ...(isUsed(NOISE_MARK) ? [`${NOISE_MARK} ${WITHIN_NOISE_NOTE}`] : [])].join("; ");
}
