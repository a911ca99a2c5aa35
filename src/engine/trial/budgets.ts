// A role that does not use up its budget in time fails the trial, since its window would have no end.
import { monotonicMs } from "../../foundation/clock.js";
import { ExitCode, TrainSimError } from "../../foundation/errors.js";
import { budgetMs } from "../../load/load-settings.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { rolesOf } from "../workers/assignments.js";
import type { Fleet } from "../workers/fleet.js";
import type { Interruption } from "../session/interruption.js";
import type { FailureSignal } from "./failure-signal.js";

interface Budget {
  readonly role: string;
  /** Longest time in milliseconds that the budget may take. */
  readonly maxMs: number;
  /** Resolves to the moment (monotonic milliseconds) at which the last of the role's workers used up its budget. */
  readonly done: Promise<number>;
}

export interface Budgets {
  readonly roleBudgets: readonly Budget[];
  /** Whether each role has a budget. */
  readonly coversAllRoles: boolean;
}

export function budgetsOf(
  fleet: Pick<Fleet, "assignments" | "budgetsDone">,
  settings: TreatmentSettings,
): Budgets | undefined {
  const roles = rolesOf(settings);
  const roleBudgets = roles.flatMap(([role, { load }]): Budget[] => {
    const maxMs = budgetMs(load);
    if (maxMs === undefined) return [];
    const workers = fleet.assignments.filter((each) => each.role === role).map(({ ordinal }) => ordinal);
    return [{ role, maxMs, done: fleet.budgetsDone(workers) }];
  });
  return roleBudgets.length > 0
    ? { roleBudgets, coversAllRoles: roleBudgets.length === roles.length }
    : undefined;
}

interface BudgetWait {
  readonly budgets: Budgets;
  readonly interruption: Interruption;
  readonly failures: FailureSignal;
  /** Aborted when the trial is over. */
  readonly trialEnd: AbortSignal;
}

/** Resolves to the moment at which the window ends: the last budgeted transaction, or a request to stop. */
export async function windowEndByBudgets(wait: BudgetWait): Promise<number> {
  const { roleBudgets, coversAllRoles } = wait.budgets;
  const used = Promise.all(roleBudgets.map((budget) => awaitBudgetEnd(budget, wait)));
  const finishedMs = Math.max(...(await wait.failures.race(used)));
  // Clients without a budget continue until the command to end arrives, so the last transaction ends the window only if
  // every role has a budget.
  return coversAllRoles && finishedMs < Number.POSITIVE_INFINITY ? finishedMs : monotonicMs();
}

/** The moment at which a role's budget ends; Infinity if the trial is stopped before. */
async function awaitBudgetEnd(
  { role, maxMs, done }: Budget,
  { interruption, trialEnd }: BudgetWait,
): Promise<number> {
  const finishedMs = await Promise.race([done, interruption.sleep(maxMs, trialEnd)]);
  if (finishedMs !== undefined) return finishedMs;
  if (interruption.isRequested()) return Number.POSITIVE_INFINITY;
  throw new TrainSimError(
    `the iteration budget of ${role} was not used up within maxDuration (${maxMs / 1000} s)`,
    ExitCode.unexpected,
    "Raise maxDuration or lower the iterations.",
  );
}
