import { intervalText, measuredText } from "../../foundation/text/numbers.js";
import { rareCountText } from "../../analysis/statistics/rare-counts.js";
import type { ThresholdResult } from "../../results/result-schema.js";

const THRESHOLD_OUTCOMES = {
  true: { mark: "✓", words: "holds" },
  false: { mark: "✗", words: "FAILED" },
  null: { mark: "?", words: "not assessed" },
} as const;

/** Verdict on one threshold: a tick, a cross or a question mark, and its word. */
export function outcomeOf({
  ok,
}: ThresholdResult): (typeof THRESHOLD_OUTCOMES)[keyof typeof THRESHOLD_OUTCOMES] {
  return THRESHOLD_OUTCOMES[`${ok}`];
}

function conditionsOf(rows: readonly ThresholdResult[]): Set<string> {
  return new Set(rows.map(({ metric, expression }) => `${metric}\n${expression}`));
}

export function shortfallText(thresholds: readonly ThresholdResult[]): string | undefined {
  const all = conditionsOf(thresholds).size;
  const failed = conditionsOf(thresholds.filter(({ ok }) => ok === false));
  const open = [...conditionsOf(thresholds.filter(({ ok }) => ok === null))].filter(
    (name) => !failed.has(name),
  );
  const counts = [
    ...(failed.size > 0 ? [[failed.size, THRESHOLD_OUTCOMES.false.words] as const] : []),
    ...(open.length > 0 ? [[open.length, THRESHOLD_OUTCOMES.null.words] as const] : []),
  ];
  if (counts.length === 0) return undefined;
  return counts.map(([count, words], i) => `${count}${i === 0 ? ` of ${all}` : ""} ${words}`).join(", ");
}

/** Text such as `All 3 thresholds hold`; undefined if one does not hold, or if there is none. */
export function allHoldText(thresholds: readonly ThresholdResult[]): string | undefined {
  if (thresholds.length === 0 || shortfallText(thresholds) !== undefined) return undefined;
  const all = conditionsOf(thresholds).size;
  return all === 1 ? "The threshold holds" : `All ${all} thresholds hold`;
}

export function thresholdHeading(thresholds: readonly ThresholdResult[]): string {
  return `Thresholds: ${shortfallText(thresholds) ?? "all hold"}`;
}

/** The treatment that a threshold judges; for a ratio both, as `text / jsonb`. */
export function judgedTreatmentText(
  { treatment, against }: ThresholdResult,
  nameOf = (id: string): string => id,
): string {
  return [treatment, ...(against === undefined ? [] : [against])].map(nameOf).join(" / ");
}

/** Measured value, such as `499.97`; for a ratio with its interval, as `1.31 [1.22, 1.40]`. */
export function measuredThresholdText({
  seen,
  expression,
  ciLow = null,
  ciHigh = null,
}: ThresholdResult): string {
  const interval = intervalText(ciLow, ciHigh);
  return `${measuredText(seen, expression)}${interval === "" ? "" : ` ${interval}`}`;
}

/** Reason why a threshold was not assessed, or how sure a rare count is; empty if there is neither. */
export function thresholdNote({ reason, share }: ThresholdResult): string {
  return reason ?? (share ? rareCountText(share) : "");
}
