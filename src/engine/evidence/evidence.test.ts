import { workloadOf } from "../../workloads/registry.js";
import { expect, test } from "vitest";
import type { Clock } from "../../foundation/clock.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import { TrialEvidence, type EvidenceOptions } from "./evidence.js";
import type { EvidenceReading } from "../../database/evidence.js";
import type { EvidenceSource } from "./evidence-source.js";

/** A clock that moves only while a sleep is pending, and then jumps to the end of the sleep. */
class JumpingClock implements Clock {
  atMs = 0;
  /** Moment up to which sleeps end by themselves; longer sleeps end only by their signal. */
  limitMs = Number.POSITIVE_INFINITY;

  nowMs(): number {
    return this.atMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.atMs + ms > this.limitMs) {
      return new Promise((resolve) => {
        if (signal?.aborted) resolve();
        else signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    this.atMs += Math.max(0, ms);
    return Promise.resolve();
  }
}

/** A source that counts its calls; `sample` receives the number of earlier calls. */
function source(
  sample: (call: number) => EvidenceReading | Error,
  changes: Partial<EvidenceSource> = {},
): EvidenceSource {
  let calls = 0;
  return {
    name: "database",
    skipped: [],
    sample() {
      const reading = sample(calls++);
      return reading instanceof Error ? Promise.reject(reading) : Promise.resolve(reading);
    },
    summary: (window) => ({ walBytes: window.total("wal.bytes") ?? -1 }),
    close: () => Promise.resolve(),
    ...changes,
  };
}

const DONE = { workload: workloadOf({}), operations: {}, clientCpuSeconds: 1 };

/** Runs a window of this many milliseconds and returns the evidence and the samples. */
async function run(
  windowMs: number,
  sources: readonly EvidenceSource[],
  changes: Partial<EvidenceOptions> = {},
) {
  const clock = new JumpingClock();
  clock.limitMs = windowMs - 1;
  const readings: [number, EvidenceValues][] = [];
  const evidence = new TrialEvidence({
    sources,
    everyMs: 1000,
    clock,
    onSample: (second, values) => readings.push([second, values]),
    ...changes,
  });
  await evidence.begin(0);
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  clock.atMs = windowMs;
  await evidence.end(windowMs);
  await evidence.close();
  return { told: readings, result: evidence.result(DONE) };
}

test("evidence has a sample per second of the window, the last one from its end", async () => {
  const { told: readings, result } = await run(3000, [
    source((call) => ({ "wal.bytes": call * 100, "queue.pending": call })),
  ]);
  expect(readings.map(([second]) => second)).toEqual([0, 1, 2]);
  expect(readings.map(([, values]) => values["wal.bytes"])).toEqual([100, 100, 100]);
  expect(result).toMatchObject({ walBytes: 300, sampling: { samples: 3, missed: 0 } });
  expect(result).not.toHaveProperty("skipped");
});

test.each([
  [1000, [[0.2, { "queue.pending": 7 }]]],
  [0, []],
])(
  "evidence sampled every %d ms reports the reading at the start with its time: %j",
  async (everyMs, readings) => {
    const opened: [number, EvidenceReading][] = [];
    const clock = new JumpingClock();
    const slow = source(() => {
      clock.atMs = 200;
      return { "queue.pending": 7 };
    });
    const onOpening = (atSeconds: number, reading: EvidenceReading) => opened.push([atSeconds, reading]);
    const evidence = new TrialEvidence({
      sources: [slow],
      everyMs,
      clock,
      onOpening,
      onSample: () => undefined,
    });
    clock.limitMs = 500;
    await evidence.begin(0);
    await evidence.close();
    expect(opened).toEqual(readings);
  },
);

test("evidence without sampling has totals of the window and no gauges", async () => {
  const { told: readings, result } = await run(3000, [source((call) => ({ "wal.bytes": call * 100 }))], {
    everyMs: 0,
  });
  expect(readings).toEqual([]);
  expect(result).toEqual({ walBytes: 100 });
});

test("evidence counts and names a failed reading and keeps other sources' values", async () => {
  const flaky = source((call) => (call === 1 ? new Error("connection lost") : { "wal.bytes": call * 100 }));
  const steady = source(() => ({ "host.clientCpuMs": 5 }), {
    name: "host",
    summary: () => ({ diskReadBytes: 1 }),
  });
  const { told: readings, result } = await run(3000, [flaky, steady]);
  expect(readings.map(([second, values]) => [second, values["wal.bytes"]])).toEqual([
    [0, undefined],
    [1, 100],
    [2, 100],
  ]);
  expect(result).toMatchObject({ walBytes: 300, diskReadBytes: 1, sampling: { samples: 3, missed: 1 } });
  expect(result.skipped).toEqual([
    { source: "database", reason: "1 reading missed: connection lost", isPartial: true },
  ]);
});

test("evidence counts samples that are due when the window ends as missed", async () => {
  const late = new JumpingClock();
  late.limitMs = 1000;
  const { told: readings, result } = await run(4000, [source(() => ({ "wal.bytes": 1 }))], { clock: late });
  expect(readings.map(([second]) => second)).toEqual([0, 3]);
  expect(result).toMatchObject({ sampling: { samples: 2, missed: 2 } });
});

test("evidence asks sources once before the first reading and after the last, and states their failure", async () => {
  const order: string[] = [];
  const hooked = source(
    (call) => {
      order.push(`sample ${call}`);
      return { "wal.bytes": call };
    },
    {
      openWindow: () => Promise.resolve(void order.push("opened")),
      closeWindow: () => Promise.reject(new Error("no such view")),
      skipped: [{ source: "pg_stat_wal", reason: "old" }],
    },
  );
  const { result } = await run(2000, [hooked]);
  expect(order).toEqual(["opened", "sample 0", "sample 1", "sample 2"]);
  expect(result.skipped).toEqual([
    { source: "pg_stat_wal", reason: "old" },
    { source: "database", reason: "no such view" },
  ]);
});

test.each([
  {
    endMs: 20_000,
    readMs: 20_600,
    readings: ["counters cover 20.60 s, and the window lasted 20.00 s"],
    walPerEvent: 2,
  },
  {
    endMs: 2000,
    readMs: 2600,
    readings: ["counters cover 2.60 s, and the window lasted 2.00 s, so no cost per event is stated"],
    walPerEvent: undefined,
  },
  { endMs: 2400, readMs: 2600, readings: [], walPerEvent: 2 },
])(
  "evidence of a $endMs ms window read at $readMs ms states a delay, and no costs if the delay is long",
  async (row) => {
    const clock = new JumpingClock();
    const evidence = new TrialEvidence({
      sources: [source((call) => ({ "wal.bytes": 100 * call }))],
      everyMs: 0,
      onSample: () => undefined,
      clock,
    });
    await evidence.begin(0);
    clock.atMs = row.readMs;
    await evidence.end(row.endMs);
    const { skipped = [], perEvent } = evidence.result({
      ...DONE,
      operations: { add: { events: 50, transactions: 5 } },
    });
    expect(skipped).toEqual(row.readings.map((reason) => ({ source: "window", reason, isPartial: true })));
    expect(perEvent?.walBytes).toBe(row.walPerEvent);
  },
);

test("evidence is empty if the window was not completed", async () => {
  const evidence = new TrialEvidence({
    sources: [source(() => ({ "wal.bytes": 1 }))],
    everyMs: 1000,
    onSample: () => undefined,
  });
  await evidence.begin(0);
  await evidence.close();
  expect(evidence.result(DONE)).toEqual({});
});
