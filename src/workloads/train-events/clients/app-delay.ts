// The pause of an application inside its transaction, while it holds locks. None while draining or ending.
import { monotonicMs } from "../../../foundation/clock.js";
import type { TransactionPlan } from "../../../clients/transactor.js";
import type { PausableTransaction } from "../store.js";
import type { DelayedOperation } from "../settings.js";
import type { EventContext } from "./context.js";

/**
 * Returns a function that gives a transaction of the operation its app delay: a random pause in the range of `appDelayMs`.
 */
export function appDelayAdder(
  context: EventContext,
  operation: DelayedOperation,
): <T>(transaction: PausableTransaction<T>) => TransactionPlan<T>["body"] {
  const { assignment, sleeper, prng } = context;
  const { min, max } = assignment.settings.appDelayMs[operation];
  return (transaction) => {
    if (max === 0 || context.isDraining()) return (connection) => transaction(connection);
    return (connection, times) =>
      transaction(connection, async () => {
        if (context.isEnding()) return;
        const fromMs = monotonicMs();
        await sleeper.sleep(min + prng.float() * (max - min));
        times.bookNamedPart("appDelay", fromMs, monotonicMs());
      });
  };
}
