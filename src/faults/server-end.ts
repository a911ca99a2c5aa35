// Ends the server for a fault and starts it again. A killed server loses commits that were acknowledged but not written: with
// `synchronous_commit` off, up to three times `wal_writer_delay`.
import { databaseOf } from "../database/registry.js";
import { systemClock } from "../foundation/clock.js";
import type { RunningTarget, ServerControl } from "../targets/running-target.js";
import type { ActiveFault, LossSpan } from "./fault.js";
import { serverControlOf, awaitHealthyServer } from "./healthy.js";

/** Milliseconds by which the WAL writer may be late on a busy machine, in addition to its usual delay. */
const WAL_WRITER_LATENESS_MS = 250;

export interface ServerEnd {
  readonly isSudden: boolean;
  /** Ends the server; resolves to a sentence on how, for log and result. */
  readonly end: (control: ServerControl) => Promise<string>;
}

export async function endServer(target: RunningTarget, { isSudden, end }: ServerEnd): Promise<ActiveFault> {
  const control = serverControlOf(target);
  const unwrittenMs = isSudden ? await readUnwrittenMs(target) : 0;
  const endLossExpectation = control.expectLoss();
  const sinceMs = systemClock.nowMs() - unwrittenMs - WAL_WRITER_LATENESS_MS;
  let mayLose: LossSpan | undefined;
  try {
    const words = await end(control);
    return {
      words,
      get mayLose() {
        return mayLose;
      },
      async clear() {
        await awaitHealthyServer(target).finally(endLossExpectation);
        // The span reaches to this moment: clients may read only now an answer that was sent before the end.
        if (unwrittenMs > 0) mayLose = { sinceMs, untilMs: systemClock.nowMs() };
      },
    };
  } catch (error) {
    endLossExpectation();
    throw error;
  }
}

async function readUnwrittenMs({ admin }: RunningTarget): Promise<number> {
  const { sessions } = databaseOf(admin);
  const client = await sessions.open(admin);
  try {
    return await sessions.unwrittenCommitMs(client);
  } finally {
    await client.close();
  }
}
