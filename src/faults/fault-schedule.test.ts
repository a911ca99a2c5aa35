// The schedule of faults with an injected clock: start, end, exclusion and clean-up.
import { describe, expect, it, vi } from "vitest";
import type { Clock } from "../foundation/clock.js";
import { TargetError } from "../foundation/errors.js";
import { Prng } from "../foundation/prng.js";
import type { Fault } from "./registry.js";
import type { FaultHost, ActiveFault } from "./fault.js";
import { FaultSchedule } from "./fault-schedule.js";

class HandClock implements Clock {
  private atMs = 0;
  private readonly sleepers = new Set<{ untilMs: number; wake: () => void }>();

  nowMs(): number {
    return this.atMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = { untilMs: this.atMs + ms, wake: resolve };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async moveTo(atMs: number): Promise<void> {
    for (;;) {
      await settlePromises();
      const next = [...this.sleepers].sort((a, b) => a.untilMs - b.untilMs)[0];
      if (!next || next.untilMs > atMs) break;
      this.sleepers.delete(next);
      this.atMs = Math.max(this.atMs, next.untilMs);
      next.wake();
    }
    this.atMs = atMs;
    await settlePromises();
  }
}

async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

const lock = (atMs: number, forMs: number): Fault => ({
  ...{ kind: "lock-holder", lock: "share", atMs, forMs },
});
const kill = (atMs: number, forMs: number): Fault => ({ kind: "postgres-kill", atMs, forMs });
const hold = (atMs: number, forMs: number): Fault => ({ kind: "long-transaction", atMs, forMs });
const full = (atMs: number, forMs: number): Fault => ({
  ...{ kind: "connection-limit", connections: 0, drop: true, atMs, forMs },
});

interface Setup {
  readonly inject?: (host: FaultHost, fault: Fault) => Promise<ActiveFault>;
  readonly clear?: (fault: Fault) => Promise<void>;
}

function scheduleOf(faults: readonly Fault[], { inject, clear }: Setup = {}) {
  const clock = new HandClock();
  const events: string[] = [];
  const tell = (fault: Fault, what: string): number => events.push(`${clock.nowMs()} ${fault.kind} ${what}`);
  const schedule = new FaultSchedule({
    faults,
    host: { prng: new Prng(1) } as Omit<FaultHost, "signal" | "stopped">,
    inject:
      inject ??
      ((_, fault) => Promise.resolve({ words: "done", clear: () => clear?.(fault) ?? Promise.resolve() })),
    watcher: {
      onInjection: (fault) => tell(fault, "begins"),
      onInjected: (fault) => tell(fault, "is there"),
      onCleared: (fault) => tell(fault, "is over"),
    },
    clock,
  });
  return { clock, schedule, told: events };
}

describe("a schedule of faults", () => {
  it("injects each fault at its time in the window and clears the fault after its duration", async () => {
    const { clock, schedule, told: events } = scheduleOf([lock(5000, 1000), hold(2000, 6000)]);
    schedule.begin(100);
    await clock.moveTo(20_000);
    expect(events).toEqual([
      "2100 long-transaction begins",
      "2100 long-transaction is there",
      "5100 lock-holder begins",
      "5100 lock-holder is there",
      "6100 lock-holder is over",
      "8100 long-transaction is over",
    ]);
    expect(schedule.spans).toMatchObject([
      { fault: { kind: "long-transaction" }, injectedMs: 2100, clearedMs: 8100, words: "done" },
      { fault: { kind: "lock-holder" }, injectedMs: 5100, clearedMs: 6100 },
    ]);
  });

  it.each([kill(1000, 500), full(1000, 500)])(
    "delays a fault that excludes a $kind until the latter is cleared",
    async (longer) => {
      let back: () => void = () => undefined;
      const {
        clock,
        schedule,
        told: events,
      } = scheduleOf([longer, lock(2000, 1000)], {
        clear: (fault) => (fault === longer ? new Promise((resolve) => (back = resolve)) : Promise.resolve()),
      });
      schedule.begin(0);
      await clock.moveTo(4000);
      expect(events).toEqual([`1000 ${longer.kind} begins`, `1000 ${longer.kind} is there`]);
      back();
      await clock.moveTo(6000);
      expect(events.slice(2)).toEqual([
        `4000 ${longer.kind} is over`,
        "4000 lock-holder begins",
        "4000 lock-holder is there",
        "5000 lock-holder is over",
      ]);
    },
  );

  it("schedules 20 faults without a Node.js warning about too many listeners", async () => {
    const warn = vi.spyOn(process, "emitWarning");
    const {
      clock,
      schedule,
      told: events,
    } = scheduleOf(Array.from({ length: 20 }, (_, at) => kill(1000 * at, 0)));
    schedule.begin(0);
    await clock.moveTo(30_000);
    expect(events).toHaveLength(60);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it("clears active faults at the end of the window and starts no more", async () => {
    const { clock, schedule, told: events } = scheduleOf([hold(1000, 60_000), kill(70_000, 0)]);
    schedule.begin(0);
    await clock.moveTo(3000);
    await schedule.end();
    expect(events.slice(2)).toEqual(["3000 long-transaction is over"]);
    expect(schedule.spans).toHaveLength(1);
    await schedule.end();
  });

  it.each([
    ["fails for", true],
    ["ignores, if the window was cut short,", false],
  ])("%s a fault that never started because another fault lasted too long", async (_, isWhole) => {
    let back: () => void = () => undefined;
    const { clock, schedule } = scheduleOf([kill(1000, 0), lock(2000, 1000)], {
      clear: (fault) =>
        fault.kind === "postgres-kill" ? new Promise((resolve) => (back = resolve)) : Promise.resolve(),
    });
    let failure: unknown;
    schedule.failure.catch((error: unknown) => (failure = error));
    schedule.begin(0);
    await clock.moveTo(4000);
    const ended = schedule.end(isWhole);
    back();
    await ended;
    expect(schedule.spans).toMatchObject([{ fault: { kind: "postgres-kill" } }]);
    expect((failure as Error | undefined)?.message).toBe(
      isWhole
        ? "the fault lock-holder at 2s could not be injected: a fault that excludes it was not over before the window ended"
        : undefined,
    );
  });

  it("waits at the end for an injection in progress, and clears the injected fault", async () => {
    let arrive: () => void = () => undefined;
    let isCleared = false;
    const { clock, schedule } = scheduleOf([lock(1000, 1000)], {
      inject: (host) =>
        new Promise((resolve) => {
          host.signal.addEventListener("abort", () => arrive());
          arrive = () =>
            resolve({
              words: "late",
              clear: () => {
                isCleared = true;
                return Promise.resolve();
              },
            });
        }),
    });
    schedule.begin(0);
    await clock.moveTo(1500);
    await schedule.end();
    expect(isCleared).toBe(true);
    expect(schedule.spans).toMatchObject([{ injectedMs: 1000, clearedMs: 1500, words: "late" }]);
  });

  it.each([
    ["completes, after a complete window,", true],
    ["stops, if the run is stopped,", false],
  ])("%s an injection in progress at the end of the window", async (_, isWhole) => {
    let host: FaultHost | undefined;
    let arrive: () => void = () => undefined;
    const { clock, schedule } = scheduleOf([lock(1000, 1000)], {
      inject: (given) => {
        host = given;
        return new Promise((resolve) => {
          arrive = () => resolve({ words: "late", clear: () => Promise.resolve() });
        });
      },
    });
    schedule.begin(0);
    await clock.moveTo(1500);
    const ended = schedule.end(isWhole);
    expect(host).toMatchObject({ signal: { aborted: true }, stopped: { aborted: !isWhole } });
    await clock.moveTo(9000);
    arrive();
    await ended;
    expect(schedule.spans).toMatchObject([{ injectedMs: 1000, clearedMs: 9000 }]);
  });

  it("stops an injection that continues past the window if the run is stopped then", async () => {
    const { clock, schedule } = scheduleOf([lock(1000, 1000)], {
      inject: ({ stopped }) =>
        new Promise((resolve) => {
          const given = { words: "stopped", clear: () => Promise.resolve() };
          stopped.addEventListener("abort", () => resolve(given));
        }),
    });
    schedule.begin(0);
    await clock.moveTo(1500);
    const ended = schedule.end(true);
    await schedule.end();
    await ended;
    expect(schedule.spans).toMatchObject([{ words: "stopped", clearedMs: 1500 }]);
  });

  it("fails with the cause if a fault cannot be injected, and clears the others", async () => {
    const {
      clock,
      schedule,
      told: events,
    } = scheduleOf([hold(1000, 9000), lock(2000, 1000)], {
      inject: (_, fault) =>
        fault.kind === "lock-holder"
          ? Promise.reject(new TargetError("no such process", "Look for it."))
          : Promise.resolve({ words: "", clear: () => Promise.resolve() }),
    });
    schedule.begin(0);
    await clock.moveTo(2000);
    await expect(schedule.failure).rejects.toMatchObject({
      message: "the fault lock-holder at 2s could not be injected: no such process",
      exitCode: 111,
      hint: "Look for it.",
    });
    await schedule.end();
    expect(events.at(-1)).toBe("2000 long-transaction is over");
  });

  it("fails with the cause if a fault cannot be cleared, and records no time of clearing", async () => {
    const { clock, schedule } = scheduleOf([hold(1000, 500)], {
      clear: () => Promise.reject(new Error("the session was gone")),
    });
    schedule.begin(0);
    await clock.moveTo(2000);
    await expect(schedule.failure).rejects.toThrow(
      "the fault long-transaction at 1s could not be cleared: the session was gone",
    );
    expect(schedule.spans).toMatchObject([{ injectedMs: 1000, clearedMs: undefined }]);
  });

  it("ends at once without faults", async () => {
    const { schedule } = scheduleOf([]);
    await schedule.end();
    expect(schedule.spans).toEqual([]);
  });
});
