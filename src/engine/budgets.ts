// The end of a window that ends with its work: when the last budgeted transaction is done. A budget that is not used up
// in the time it was given fails the trial, since its window would have no end.
import { monotonicMs } from "../foundation/clock.js";
import { ExitCode, TrainSimError } from "../foundation/errors.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import { budgetedWorkers } from "./assignments.js";
import type { Fleet } from "./fleet.js";
import type { Interruption } from "./interruption.js";
import type { Lifeline } from "./lifeline.js";

export interface Budgets {
  /** The moment (monotonic milliseconds) at which the last worker with a budget used it up. */
  readonly done: Promise<number>;
  /** Whether each worker has one. */
  readonly isOfAll: boolean;
}

/** Undefined where no worker has one. To be asked before the window is set: a small budget is used up at once. */
export function budgetsOf(fleet: Fleet): Budgets | undefined {
  const budgeted = budgetedWorkers(fleet.assignments);
  if (budgeted.length === 0) return undefined;
  return { done: fleet.budgetsDone(budgeted), isOfAll: budgeted.length === fleet.assignments.length };
}

interface BudgetWait {
  readonly budgets: Budgets;
  readonly actors: TreatmentSettings["actors"];
  readonly interruption: Interruption;
  readonly lifeline: Lifeline;
  /** Aborted when the trial is over. */
  readonly over: AbortSignal;
}

/** Resolves to the moment at which the window ends: the last budgeted transaction, or a request to stop. */
export async function untilBudgetsAreUsed(wait: BudgetWait): Promise<number> {
  const { budgets, actors, interruption, lifeline, over } = wait;
  const loads = Object.values(actors).map(({ load }) => load);
  const mostMs = Math.max(...loads.map((load) => ("maxDurationMs" in load ? load.maxDurationMs : 0)));
  const overdue = interruption.sleep(mostMs, over);
  const finishedMs = await lifeline.hold(Promise.race([budgets.done, overdue]));
  if (finishedMs === undefined && !interruption.isRequested()) {
    throw new TrainSimError(
      `the iteration budget was not used up within maxDuration (${mostMs / 1000} s)`,
      ExitCode.unexpected,
      "Raise maxDuration or lower the iterations.",
    );
  }
  // Clients without a budget go on until they hear of the end, so only a window of budgets ends with the last one.
  return budgets.isOfAll && finishedMs !== undefined ? finishedMs : monotonicMs();
}
