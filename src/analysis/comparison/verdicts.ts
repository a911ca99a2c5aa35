// `findings.ts` decides verdicts; each output counts them by this file.
import { COMPARISON_VERDICTS, type ComparisonVerdict } from "../../metrics/names.js";
import type { RatioFinding } from "../../results/result-schema.js";

type WithVerdict = Pick<RatioFinding, "verdict">;

export function isDifference({ verdict }: WithVerdict): boolean {
  return verdict === "finding" || verdict === "exploratory";
}

/** True if the comparison allows a statement: a finding of the experiment, or that two sides are the same. */
export function isSettled({ verdict }: WithVerdict): boolean {
  return verdict === "finding" || verdict === "indistinguishable";
}

export type VerdictCounts = Readonly<Record<ComparisonVerdict, number>>;

export function verdictCounts(comparisons: readonly WithVerdict[]): VerdictCounts {
  const count = (wanted: ComparisonVerdict): number =>
    comparisons.filter(({ verdict }) => verdict === wanted).length;
  return {
    finding: count("finding"),
    exploratory: count("exploratory"),
    indistinguishable: count("indistinguishable"),
    inconclusive: count("inconclusive"),
  };
}

/** Numbers of verdicts, such as `2 are findings, 4 exploratory and 20 inconclusive`; empty without comparisons. */
export function countsText(counts: VerdictCounts): string {
  const parts = COMPARISON_VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict, i) => {
    const count = counts[verdict];
    const [verb, noun] = count === 1 ? ["is", "a finding"] : ["are", "findings"];
    return `${count} ${i === 0 ? `${verb} ` : ""}${verdict === "finding" ? noun : verdict}`;
  });
  const last = parts.pop() ?? "";
  return parts.length > 0 ? `${parts.join(", ")} and ${last}` : last;
}
