import { trialsText } from "../../foundation/text/numbers.js";
import type { ResultDocument, TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { completeTrials } from "../steady-state/series.js";

export interface ObservedPlan {
  readonly hash: string;
  readonly plan: string;
  readonly trials: readonly TrialResult[];
}

/** Plans of these trials by statement, the most frequent one first. */
export function plansIn(trials: readonly TrialResult[]): ReadonlyMap<string, readonly ObservedPlan[]> {
  const plansByStatement = new Map<string, ObservedPlan[]>();
  for (const trial of trials)
    for (const { statement, hash, plan } of trial.plans ?? []) {
      const earlierPlans = plansByStatement.get(statement) ?? [];
      const samePlan = earlierPlans.find((each) => each.hash === hash);
      const others = earlierPlans.filter((each) => each !== samePlan);
      plansByStatement.set(statement, [
        ...others,
        { hash, plan, trials: [...(samePlan?.trials ?? []), trial] },
      ]);
    }
  for (const plans of plansByStatement.values()) plans.sort((a, b) => b.trials.length - a.trials.length);
  return plansByStatement;
}

/** Steps of a plan that at least one of the other plans lacks; the whole plan if only the order of steps differs. */
export function distinguishingSteps(plan: string, others: readonly string[]): string {
  const stepsOf = (line: string): string[] => line.split(/ > |, |[()]/).filter((step) => step !== "");
  const ownSteps = stepsOf(plan).filter((step) => others.some((other) => !stepsOf(other).includes(step)));
  return ownSteps.join(", ") || plan;
}

/** Numbers of the trials as text: `trials 2, 4`. */
export function trialNumbersText(trials: readonly TrialResult[]): string {
  return trialsText(trials.map(({ number }) => number).sort((a, b) => a - b));
}

function planTrialsText(treatments: readonly TreatmentResult[], planTrials: readonly TrialResult[]): string {
  const treatmentTexts = treatments.flatMap((treatment) => {
    const treatmentTrials = completeTrials(treatment);
    const trialsWithPlan = treatmentTrials.filter((trial) => planTrials.includes(trial));
    if (trialsWithPlan.length === 0) return [];
    return [
      trialsWithPlan.length === treatmentTrials.length
        ? treatment.id
        : `${treatment.id} (${trialNumbersText(trialsWithPlan)})`,
    ];
  });
  return treatmentTexts.join(", ");
}

/** A plan of a statement with the trials that had it, as a row of a list. */
interface PlanRow extends Pick<ObservedPlan, "hash" | "plan"> {
  readonly statement: string;
  /**
   * The trials that had the plan: `all trials`; else each treatment, with trial numbers if only some of its trials had it.
   */
  readonly where: string;
}

export function planRows({ treatments }: Pick<ResultDocument, "treatments">): PlanRow[] {
  const all = treatments.flatMap(completeTrials);
  return [...plansIn(all)].flatMap(([statement, plans]) =>
    plans.map(({ plan, hash, trials }) => ({
      statement,
      plan,
      hash,
      where: trials.length === all.length ? "all trials" : planTrialsText(treatments, trials),
    })),
  );
}
