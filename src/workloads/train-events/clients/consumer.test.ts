import { expect, it } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import type { PartTimes } from "../../../metrics/part-times.js";
import type { EventContext } from "./context.js";
import { createProcessor } from "./consumer.js";
import type { TransactionPlan } from "../../../clients/transactor.js";

/** Pauses in milliseconds of a transaction whose app delay begins after the end of the load (`isEnding`) or before it. */
async function pauses(isEnding: boolean): Promise<number[]> {
  const slept: number[] = [];
  const outcome = { events: 0, passes: [], completedIds: [] };
  const queue = {
    process: () => async (_: unknown, appDelay?: () => Promise<void>) => {
      await appDelay?.();
      return outcome;
    },
  };
  const times = { bookNamedPart: () => undefined } as unknown as PartTimes;
  const transactor = {
    run: async (plan: TransactionPlan<unknown>) => {
      await plan.body({} as never, times);
      return { kind: "empty", result: outcome, finishedMs: 0 };
    },
  };
  const settings = {
    batch: { min: 1, max: 1 },
    appDelayMs: { process: { min: 3000, max: 3000 } },
    advance: {},
  };
  const context = {
    queue,
    transactor,
    assignment: { settings },
    prng: new Prng(1),
    lifecycle: { recordStage: () => undefined },
    ledger: { recordPasses: () => undefined },
    sleeper: { sleep: (ms: number) => Promise.resolve(void slept.push(ms)) },
    isDraining: () => false,
    isEnding: () => isEnding,
  } as unknown as EventContext;
  await createProcessor(context).process(0, 0);
  return slept;
}

it("a transaction pauses for its app delay, but not if the load has ended", async () => {
  expect(await pauses(false)).toEqual([3000]);
  expect(await pauses(true)).toEqual([]);
});
