// The stored reasons of headline differences, each once: metrics of an operation mostly have the same reasons, and much of the
// evidence is of the trial as a whole.
import { isHeadline } from "../../metrics/metric-lists.js";
import type { ComparedOperation, Comparison } from "../../results/result-schema.js";

/** Sentence for a difference that no collected evidence explains. */
export const UNEXPLAINED_SENTENCE = "the collected evidence does not explain it";

function isExplained({ metric, because }: Comparison): boolean {
  return because !== undefined && isHeadline(metric);
}

/**
 * Sentences that explain an operation's headline differences between two treatments, each once, the first reason of each
 * metric first.
 */
export function reasonsOf(comparisons: readonly Comparison[]): string[] {
  const explained = comparisons.filter(isExplained);
  if (explained.length === 0) return [];
  const ranks = new Map<string, number>();
  for (const { because = [] } of explained)
    for (const [rank, sentence] of because.entries())
      ranks.set(sentence, Math.min(rank, ranks.get(sentence) ?? rank));
  const sentences = [...ranks].sort(([, a], [, b]) => a - b).map(([sentence]) => sentence);
  return sentences.length > 0 ? sentences : [UNEXPLAINED_SENTENCE];
}

export interface Reason {
  /** Operations whose differences the sentence explains. */
  readonly operations: readonly ComparedOperation[];
  readonly sentence: string;
}

/** Reasons for a treatment's findings; the reason that explains the most operations comes first. */
export function reasonsByOperation(
  id: string,
  comparisons: readonly Comparison[],
): { readonly baseline: string; readonly reasons: Reason[] } {
  const findings = comparisons.filter(
    ({ treatment, because, verdict }) => treatment === id && because && verdict === "finding",
  );
  const operationsByReason = new Map<string, ComparedOperation[]>();
  for (const operation of new Set(findings.map((comparison) => comparison.operation))) {
    const own = findings.filter((comparison) => comparison.operation === operation);
    for (const sentence of reasonsOf(own))
      operationsByReason.set(sentence, [...(operationsByReason.get(sentence) ?? []), operation]);
  }
  const reasons = [...operationsByReason]
    .map(([sentence, operations]) => ({ sentence, operations }))
    .sort((a, b) => b.operations.length - a.operations.length);
  return { baseline: findings[0]?.baseline ?? "", reasons };
}
