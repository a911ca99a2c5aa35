// The first revision that is worse than a good one, found by halving; each step compares a revision with the good one in blocks
// of one experiment. The steps only search: a fresh comparison with the revision before it decides whether it is named.
import type { Objective } from "../../scenario/judgement.js";
import { isDifference } from "../../analysis/comparison/verdicts.js";
import { UsageError } from "../../foundation/errors.js";
import { isHeadline } from "../../metrics/metric-lists.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import type { RunnableRevision, Revision, UnrunnableRevision } from "./revisions.js";

/**
 * worse: surely worse by more than the step's limit; good: surely not worse by more; inconclusive: the trials do not show it; skipped:
 * the revision could not be run.
 */
export type RevisionVerdict = "worse" | "good" | "inconclusive" | "skipped";

type StepPurpose = "ends" | "search" | "confirmation";

export interface Step {
  readonly purpose: StepPurpose;
  readonly revision: string;
  readonly against: string;
  readonly within: number;
  readonly standing: RevisionVerdict;
  readonly isSurelyWorse: boolean;
  readonly problem?: string;
  /** Objective of the tested revision divided by the one of the revision it is compared with; null without a sample. */
  readonly ratio: number | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly pValue: number | null;
  /** Number of trials of each of the two revisions. */
  readonly trials: number;
  readonly timingsValid: boolean;
  readonly directory?: string;
}

export interface Bisection {
  readonly version: 2;
  readonly objective: string;
  readonly maxRegression: number;
  readonly good: Revision;
  readonly bad: Revision;
  /** Number of revisions after the good one whose scenario differs in meaning from the previous revision's. */
  readonly revisions: number;
  /**
   * found: one revision, confirmed; range: one of several, confirmed; unconfirmed: the fresh comparison shows no
   * difference; no-regression: the bad revision is not worse; inconclusive: the trials do not show whether it is.
   */
  readonly outcome: "found" | "range" | "unconfirmed" | "no-regression" | "inconclusive";
  readonly lastGood?: Revision | undefined;
  readonly firstWorse?: Revision | undefined;
  readonly between: readonly Revision[];
  readonly skipped: readonly { readonly revision: string; readonly problem: string }[];
  readonly steps: readonly Step[];
}

/** A revision as the bisection sees it: its key (the scenario's meaning) if it can be run, else the reason why not. */
type RevisionState = Pick<RunnableRevision, "revision" | "key"> | UnrunnableRevision;

export interface BisectPlan {
  readonly candidates: readonly RevisionState[];
  readonly objective: Objective;
  /** The accepted loss as a share: 0.05 is 5 %. */
  readonly maxRegression: number;
}

export type StepOutcome =
  | { readonly result: ResultDocument; readonly directory: string }
  | { readonly problem: string };

export interface Pair {
  readonly purpose: StepPurpose;
  readonly reference: number;
  readonly revision: number;
  /** Number of the step, from 0. */
  readonly step: number;
  /** Margin, as a share, within which the two revisions count as the same. */
  readonly within: number;
}

export type Measure = (pair: Pair) => Promise<StepOutcome>;

/** Bounds of the margin `trials.within` that the search uses in its scenario. */
const SEARCH_MARGIN_BOUNDS = { least: 0.01, most: 0.5 };
/** Number of inconclusive steps after which the search ends with a range: neighbouring revisions would be no clearer. */
const INCONCLUSIVE_STEPS_MAX = 3;

function claimOf({ comparisons }: ResultDocument, objective: Objective): Comparison | undefined {
  return comparisons.find(
    ({ operation, metric }) => operation === objective.operation && metric === objective.metric,
  );
}

interface StepJudgement {
  readonly standing: Exclude<RevisionVerdict, "skipped">;
  readonly isSurelyWorse: boolean;
}

/**
 * Decides a step as `compare` decides it: worse if surely worse by more than the margin. 1/(1+r) and 1+r are equally far
 * from 1.
 */
function judgeStep({ isMaximised }: Objective, within: number, claim: Comparison | undefined): StepJudgement {
  const open = { standing: "inconclusive", isSurelyWorse: false } as const;
  // Findings cover headline metrics only. For another metric an exploratory difference counts, corrected for its
  // comparisons.
  const isDifferenceProven =
    claim && (isHeadline(claim.metric) ? claim.verdict === "finding" : isDifference(claim));
  if (!isDifferenceProven)
    return claim?.verdict === "indistinguishable" ? { ...open, standing: "good" } : open;
  const isSurelyWorse = isMaximised ? claim.ratio < 1 : claim.ratio > 1;
  const isOutsideMargin = Math.abs(Math.log(claim.ratio)) > Math.log1p(within);
  return { standing: isSurelyWorse && isOutsideMargin ? "worse" : "good", isSurelyWorse };
}

/** Whether the interval shows that the loss is at most `share`. */
function isLossWithin({ ciLow, ciHigh }: Pick<Step, "ciLow" | "ciHigh">, share: number): boolean {
  return [ciLow, ciHigh].every((end) => end !== null && Math.abs(Math.log(end)) <= Math.log1p(share));
}

const NO_CLAIM = { ratio: null, ciLow: null, ciHigh: null, pValue: null };

class BisectionRun {
  private readonly steps: Step[] = [];
  /** Positions of the last revision known to be good (`low`) and of the first known to be worse (`high`). */
  private low = 0;
  private high: number;
  /** Verdicts by the key of a revision's scenario: a scenario that returns later is not measured again. */
  private readonly verdictsByKey = new Map<string, RevisionVerdict>();
  /** Positions whose revision was skipped or inconclusive; the search does not try them again. */
  private readonly excludedCandidates = new Set<number>();

  constructor(
    private readonly plan: BisectPlan,
    private readonly measure: Measure,
  ) {
    this.high = plan.candidates.length - 1;
    this.recordVerdict(0, "good");
  }

  async run(): Promise<Bisection> {
    const { maxRegression } = this.plan;
    const ends = await this.step("ends", 0, this.high, maxRegression);
    const { standing, problem, ratio } = ends;
    if (problem !== undefined)
      throw new UsageError(`the good and the bad revision cannot be compared: ${problem}`, "Name others.");
    if (standing !== "worse") {
      const isOpen =
        standing === "inconclusive" || (ends.isSurelyWorse && !isLossWithin(ends, maxRegression));
      return this.answer(isOpen ? "inconclusive" : "no-regression");
    }
    this.recordVerdict(this.high, "worse");
    const halfLoss = Math.exp(Math.abs(Math.log(ratio ?? 1)) / 2) - 1;
    const within = Math.min(SEARCH_MARGIN_BOUNDS.most, Math.max(SEARCH_MARGIN_BOUNDS.least, halfLoss));
    for (let next = this.next(); next !== undefined; next = this.next())
      this.recordVerdict(next, this.verdictAt(next) ?? (await this.step("search", 0, next, within)).standing);
    const { isSurelyWorse } = await this.step("confirmation", this.low, this.high, maxRegression);
    const isOne = this.high - this.low === 1;
    return this.answer(!isSurelyWorse ? "unconfirmed" : isOne ? "found" : "range");
  }

  private recordVerdict(position: number, standing: RevisionVerdict): void {
    const candidate = this.at(position);
    if ("key" in candidate) this.verdictsByKey.set(candidate.key, standing);
    if (standing === "worse") this.high = position;
    else if (standing === "good") this.low = position;
    else this.excludedCandidates.add(position);
  }

  private at(position: number): RevisionState {
    return this.plan.candidates[position] as RevisionState;
  }

  private verdictAt(position: number): RevisionVerdict | undefined {
    const candidate = this.at(position);
    return "key" in candidate ? this.verdictsByKey.get(candidate.key) : "skipped";
  }

  /**
   * The untried position nearest to the middle of the range; undefined if none is left or too many steps were inconclusive.
   */
  private next(): number | undefined {
    const { low, high, steps } = this;
    if (steps.filter(({ standing }) => standing === "inconclusive").length >= INCONCLUSIVE_STEPS_MAX)
      return undefined;
    const distance = (position: number): number => Math.abs(position - (low + high) / 2);
    const open = Array.from({ length: high - low - 1 }, (_, i) => low + 1 + i).filter(
      (position) => !this.excludedCandidates.has(position),
    );
    return open.sort((a, b) => distance(a) - distance(b))[0];
  }

  private async step(
    purpose: StepPurpose,
    reference: number,
    position: number,
    within: number,
  ): Promise<Step> {
    const pair = { purpose, reference, revision: position, within };
    const measured = await this.measure({ ...pair, step: this.steps.length });
    const [revision, against] = [this.at(position).revision.id, this.at(reference).revision.id];
    const step = { purpose, revision, against, within, ...this.describeStep(measured, within) };
    this.steps.push(step);
    return step;
  }

  private describeStep(
    measured: StepOutcome,
    within: number,
  ): Omit<Step, "purpose" | "revision" | "against" | "within"> {
    if ("problem" in measured) {
      const noMeasurement = { ...NO_CLAIM, trials: 0, timingsValid: true, isSurelyWorse: false };
      return { standing: "skipped", problem: measured.problem, ...noMeasurement };
    }
    const { result, directory } = measured;
    const claim = claimOf(result, this.plan.objective);
    const { ratio, ciLow, ciHigh, pValue } = claim ?? NO_CLAIM;
    return {
      ...judgeStep(this.plan.objective, within, claim),
      ratio,
      ciLow,
      ciHigh,
      pValue,
      trials: result.treatments[1]?.trials.length ?? 0,
      timingsValid: result.verdict.timings.isValid,
      directory,
    };
  }

  private answer(outcome: Bisection["outcome"]): Bisection {
    const { plan, low, high, steps } = this;
    const { candidates, objective, maxRegression } = plan;
    const revisions = candidates.map(({ revision }) => revision) as [Revision, ...Revision[]];
    const isRangeNarrowed = outcome !== "no-regression" && outcome !== "inconclusive";
    return {
      version: 2,
      objective: objective.words,
      maxRegression,
      good: revisions[0],
      bad: revisions.at(-1) ?? revisions[0],
      revisions: candidates.length - 1,
      outcome,
      ...(isRangeNarrowed && { lastGood: revisions[low], firstWorse: revisions[high] }),
      between: isRangeNarrowed ? revisions.slice(low + 1, high) : [],
      skipped: this.skippedRevisions(),
      steps,
    };
  }

  private skippedRevisions(): Bisection["skipped"] {
    const skippedCandidates = this.plan.candidates.flatMap((candidate) =>
      "problem" in candidate ? [{ revision: candidate.revision.id, problem: candidate.problem }] : [],
    );
    const skippedSteps = this.steps.flatMap(({ revision, problem }) =>
      problem === undefined ? [] : [{ revision, problem }],
    );
    return [...skippedCandidates, ...skippedSteps];
  }
}

/**
 * Searches the revisions for the one that made the objective worse. Rejects with a UsageError if the two ends cannot be
 * compared.
 */
export function bisect(plan: BisectPlan, measure: Measure): Promise<Bisection> {
  return new BisectionRun(plan, measure).run();
}
