// The clocks: monotonic time, which two threads with different time origins share; wall time; and sleep.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { isoTime, monotonicMs, systemClock, wallClockMs } from "./clock.js";

/** A thread that answers every message with its own monotonic clock. */
function clockThread(): Worker {
  const source = readFileSync(new URL("./clock.ts", import.meta.url), "utf8");
  const answer = `
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", () => parentPort.postMessage(monotonicMs()));
    parentPort.postMessage(performance.timeOrigin);`;
  const { outputText } = ts.transpileModule(source + answer, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(outputText)}`));
}

describe("monotonicMs", () => {
  test("never goes back", () => {
    let last = monotonicMs();
    for (let i = 0; i < 10_000; i++) {
      const next = monotonicMs();
      expect(next).toBeGreaterThanOrEqual(last);
      last = next;
    }
  });

  test("has a reading in another thread that lies between question and answer of this thread", async () => {
    const worker = clockThread();
    try {
      await once(worker, "message");
      for (let round = 0; round < 50; round++) {
        const asked = monotonicMs();
        const reply = once(worker, "message");
        worker.postMessage("now?");
        const [there] = (await reply) as [number];
        const answered = monotonicMs();
        // The offset of each thread is known to within the gap of its closest reading: far below 1 ms.
        expect(there).toBeGreaterThanOrEqual(asked - 1);
        expect(there).toBeLessThanOrEqual(answered + 1);
      }
    } finally {
      await worker.terminate();
    }
  });

  test("has the origin of the system's monotonic clock", () => {
    const before = Number(process.hrtime.bigint()) / 1e6;
    const now = monotonicMs();
    const after = Number(process.hrtime.bigint()) / 1e6;
    expect(now).toBeGreaterThanOrEqual(before - 1);
    expect(now).toBeLessThanOrEqual(after + 1);
  });
});

describe("wall time", () => {
  test("is written as ISO 8601 in UTC", () => {
    expect(isoTime(Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe("2026-01-02T03:04:05.006Z");
    expect(Math.abs(Date.parse(isoTime()) - wallClockMs())).toBeLessThan(60_000);
  });
});

describe("systemClock.sleep", () => {
  test("returns at once for a time of 0, a negative time or an aborted signal", async () => {
    await systemClock.sleep(0);
    await systemClock.sleep(-5);
    await systemClock.sleep(3_600_000, AbortSignal.abort());
  });

  test("never returns early, not by a fraction of a millisecond", async () => {
    const sleeps = Array.from({ length: 200 }, async (_, index) => {
      const ms = 1 + index * 0.173;
      const startMs = monotonicMs();
      await systemClock.sleep(ms);
      return monotonicMs() - startMs - ms;
    });
    // The sum of two readings in floating point may be off by far less than the clock's own step.
    expect(Math.min(...(await Promise.all(sleeps)))).toBeGreaterThan(-1e-5);
  });

  test("resolves without an error when its signal aborts", async () => {
    const stop = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, stop.signal);
    stop.abort();
    await expect(sleeping).resolves.toBeUndefined();
  });
});
