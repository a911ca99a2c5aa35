import { describe, expect, it, vi } from "vitest";
import type { Clock } from "../../foundation/clock.js";
import { TargetError } from "../../foundation/errors.js";
import type { WorkingSessions } from "../../database/contract.js";
import {
  awaitLastTransactions,
  LOOK_INTERVAL_MS,
  PATIENCE_MS,
  type LastTransactionsOptions,
} from "./last-transactions.js";

const AT_WORK: WorkingSessions = { count: 1, oldestSeconds: 41.3, waits: "CPU" };
const LOOKS_MAX = PATIENCE_MS / LOOK_INTERVAL_MS;

/** A clock whose sleeps end in the next turn of the event loop. */
const clock: Clock = { nowMs: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) };

function options(changes: Partial<LastTransactionsOptions> = {}) {
  const onWait = vi.fn<LastTransactionsOptions["onWait"]>();
  const workingSessions = vi.fn<LastTransactionsOptions["workingSessions"]>(() => Promise.resolve(AT_WORK));
  const signal = new AbortController().signal;
  const poolerFailure = (): Promise<undefined> => Promise.resolve(undefined);
  return { workingSessions, poolerFailure, onWait, signal, clock, ...changes };
}

const never = new Promise<never>(() => undefined);

describe("the wait for the last transactions", () => {
  it("ends with the transactions, without a query to the server if they end soon", async () => {
    const asked = options();
    await expect(awaitLastTransactions(Promise.resolve("done"), asked)).resolves.toBe("done");
    expect(asked.workingSessions).not.toHaveBeenCalled();
  });

  it("continues while the server works on a session, and reports so at each look", async () => {
    let end: (value: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => (end = resolve));
    const onWait = vi.fn((seconds: number) => {
      if (seconds === 60) end("done");
    });
    await expect(awaitLastTransactions(ended, options({ onWait }))).resolves.toBe("done");
    const words = "the server works on 1 session of the load, whose transaction began 41 s ago (CPU)";
    expect(onWait.mock.calls).toEqual([20, 40, 60].map((seconds) => [seconds, words]));
  });

  it("ends with the failure of the workers", async () => {
    await expect(awaitLastTransactions(Promise.reject(new Error("crashed")), options())).rejects.toThrow(
      "crashed",
    );
  });

  it("names the pooler that accepts no connections", async () => {
    const none = { count: 0, oldestSeconds: 0, waits: "" };
    const asked = options({
      workingSessions: () => Promise.resolve(none),
      poolerFailure: () => Promise.resolve("PgBouncer at 127.0.0.1:6432: nothing listens there"),
    });
    const error: unknown = await awaitLastTransactions(never, asked).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message:
        "the workers' last transactions did not end within 20 s: PgBouncer at 127.0.0.1:6432: nothing listens there",
      hint: expect.stringContaining("the pooler runs") as string,
    });
  });

  it("fails after 20 s if the server works on no session or does not answer", async () => {
    const none = { count: 0, oldestSeconds: 0, waits: "" };
    for (const [seen, words] of [
      [none, /within 20 s, and the server shows no active session/],
      [undefined, /within 20 s$/],
    ] as const) {
      const asked = options({ workingSessions: () => Promise.resolve(seen) });
      const error: unknown = await awaitLastTransactions(never, asked).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TargetError);
      expect((error as TargetError).message).toMatch(words);
      expect(asked.onWait).not.toHaveBeenCalled();
    }
  });

  it("fails after ten minutes although the server still works", async () => {
    const asked = options({ workingSessions: () => Promise.resolve({ ...AT_WORK, count: 3 }) });
    await expect(awaitLastTransactions(never, asked)).rejects.toThrow(
      /within 600 s: the server works on 3 sessions of the load, whose oldest transaction began 41 s ago/,
    );
    expect(asked.onWait).toHaveBeenCalledTimes(LOOKS_MAX - 1);
  });

  it("queries no server after the trial has ended", async () => {
    const asked = options({ signal: AbortSignal.abort() });
    await expect(awaitLastTransactions(Promise.reject(new Error("over")), asked)).rejects.toThrow("over");
    expect(asked.workingSessions).not.toHaveBeenCalled();
  });
});
