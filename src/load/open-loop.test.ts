// The open loop with an injected clock: a stalled server delays starts, and every offered arrival starts or is dropped.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { createPacer, warmUpPlan, type PacingPlan } from "./executors/registry.js";
import { dayPartAt } from "./profiles.js";
import type { Pacer, PacingContext } from "./pacer.js";

interface World {
  now: number;
  readonly offered: number[];
  readonly dropped: number[];
  readonly started: { intendedMs: number; startedMs: number }[];
}

function worldWith(overrides: Partial<PacingContext>): { world: World; context: PacingContext } {
  const world: World = { now: 0, offered: [], dropped: [], started: [] };
  const context: PacingContext = {
    nowMs: () => world.now,
    sleep: () => Promise.reject(new Error("an open loop leaves waiting to its clients")),
    prng: new Prng(1),
    roleSeed: 9,
    thinkTime: { min: 0, max: 0 },
    rampUpMs: 0,
    startMs: 0,
    endMs: () => Number.POSITIVE_INFINITY,
    totalClients: 1,
    firstClient: 0,
    workers: 1,
    workerIndex: 0,
    sharedCounter: new Int32Array(1),
    isOver: () => false,
    arrivals: {
      onOffer: (_, intendedMs) => world.offered.push(intendedMs),
      onDrop: (_, intendedMs) => world.dropped.push(intendedMs),
    },
    ...overrides,
  };
  return { world, context };
}

/**
 * Serves arrivals until the pacer has no more: the first free client takes the next arrival for `serviceMs`. Returns with
 * the clock at the end of the last arrival.
 */
async function serve(
  pacer: Pacer,
  world: World,
  clients: number,
  serviceMs: (startMs: number) => number,
): Promise<void> {
  const freeAtMs = new Array<number>(clients).fill(0);
  for (;;) {
    const client = freeAtMs.indexOf(Math.min(...freeAtMs));
    world.now = Math.max(world.now, freeAtMs[client] ?? 0);
    const start = await pacer.next(client);
    if (!start) return;
    const startedMs = Math.max(world.now, start.intendedMs);
    freeAtMs[client] = startedMs + serviceMs(startedMs);
    world.started.push({ intendedMs: start.intendedMs, startedMs });
  }
}

const uniform = (ratePerSecond: number, more: object = {}): PacingPlan => ({
  executor: "constant-arrival-rate",
  distribution: "uniform",
  ratePerSecond,
  ...more,
});

describe("an open loop", () => {
  it("starts each arrival at its intended time while clients are free", async () => {
    const { world, context } = worldWith({ endMs: () => 1000 });
    await serve(createPacer(uniform(100), context), world, 4, () => 20);
    expect(world.started).toHaveLength(100);
    for (const { intendedMs, startedMs } of world.started) expect(startedMs).toBe(intendedMs);
  });

  it("keeps the intended starts of arrivals during a 2 s stall of the server", async () => {
    const { world, context } = worldWith({ endMs: () => 10_000 });
    const serviceMs = (ms: number): number => (ms < 3000 || ms >= 5000 ? 5 : 5000 - ms + 5);
    await serve(createPacer(uniform(100), context), world, 4, serviceMs);
    expect(world.started.map(({ intendedMs }) => Math.round(intendedMs))).toEqual(
      Array.from({ length: 1000 }, (_, i) => i * 10),
    );
    const delays = world.started.map(({ intendedMs, startedMs }) => startedMs - intendedMs);
    expect(Math.max(...delays)).toBeGreaterThan(1900);
    // Service time shows the stall only for clients whose transaction was in flight.
    expect(world.started.filter(({ startedMs }) => serviceMs(startedMs) > 1000)).toHaveLength(4);
    expect(world.dropped).toEqual([]);
  });

  it("drops and counts arrivals that still wait when the window ends", async () => {
    const { world, context } = worldWith({ endMs: () => 1000 });
    const pacer = createPacer(uniform(100), context);
    await serve(pacer, world, 1, () => 100);
    pacer.settle?.();
    expect(world.started).toHaveLength(10);
    expect(world.dropped).toHaveLength(90);
    expect(world.offered).toHaveLength(100);
  });

  it("drops an arrival that has waited for maxWait, and starts the next arrival within maxWait", async () => {
    const { world, context } = worldWith({ endMs: () => 1000 });
    await serve(createPacer(uniform(100, { maxWaitMs: 50 }), context), world, 1, () => 100);
    for (const { intendedMs, startedMs } of world.started)
      expect(startedMs - intendedMs).toBeLessThanOrEqual(50);
    expect(world.started.length + world.dropped.length).toBe(100);
  });

  it("drops exactly the arrivals that find all clients busy if maxWait is 0", async () => {
    const { world, context } = worldWith({ endMs: () => 1000 });
    await serve(createPacer(uniform(100, { maxWaitMs: 0 }), context), world, 2, () => 25);
    for (const { intendedMs, startedMs } of world.started) expect(startedMs).toBe(intendedMs);
    expect(world.dropped.length).toBeGreaterThan(0);
    expect(world.started.length + world.dropped.length).toBe(100);
  });

  it("neither starts nor counts an arrival whose intended time lies after the end of the phase", async () => {
    let isOver = false;
    const { world, context } = worldWith({ isOver: () => isOver });
    const pacer = createPacer(uniform(10), context);
    await pacer.next(0);
    const start = await pacer.next(0);
    world.now = 50;
    isOver = true;
    expect(start && pacer.mayStart?.(start)).toBe(false);
    expect([world.offered, world.dropped]).toEqual([[0], []]);
    expect(await pacer.next(0)).toBeUndefined();
  });

  it("drops arrivals that were due but not started when the phase ends", async () => {
    let isOver = false;
    const { world, context } = worldWith({ isOver: () => isOver });
    const pacer = createPacer(uniform(10), context);
    await pacer.next(0);
    const start = await pacer.next(0);
    world.now = 250;
    isOver = true;
    expect(start && pacer.mayStart?.(start)).toBe(false);
    expect(world.offered).toEqual([0, 100, 200]);
    expect(world.dropped.sort((a, b) => a - b)).toEqual([100, 200]);
  });

  it("starts or drops each offered arrival exactly once for any rate, number of clients and server", async () => {
    const plan = fc.record({
      executor: fc.constant("constant-arrival-rate" as const),
      distribution: fc.constantFrom("poisson" as const, "uniform" as const),
      ratePerSecond: fc.integer({ min: 1, max: 500 }),
    });
    const maxWaitMs = fc.option(fc.nat(500), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        plan,
        maxWaitMs,
        fc.integer({ min: 1, max: 8 }),
        fc.nat(100),
        async (base, wait, clients, ms) => {
          const { world, context } = worldWith({ endMs: () => 2000 });
          const pacer = createPacer(wait === undefined ? base : { ...base, maxWaitMs: wait }, context);
          const service = new Prng(clients);
          await serve(pacer, world, clients, () => service.float() * ms);
          world.now = Math.max(world.now, 2000);
          pacer.settle?.();
          const ended = [...world.started.map(({ intendedMs }) => intendedMs), ...world.dropped];
          expect(ended.sort((a, b) => a - b)).toEqual(world.offered);
        },
      ),
    );
  });
});

describe("an executor that changes its load over time", () => {
  it("ramps the arrival rate and keeps its first rate during the warm-up", async () => {
    const plan: PacingPlan = {
      executor: "ramping-arrival-rate",
      distribution: "uniform",
      startRatePerSecond: 0,
      stages: [{ target: 100, durationMs: 10_000 }],
    };
    const { world, context } = worldWith({ endMs: () => 10_000 });
    await serve(createPacer(plan, context), world, 3, () => 1);
    expect(world.started).toHaveLength(500);
    expect(world.started.filter(({ intendedMs }) => intendedMs < 5000)).toHaveLength(125);
    expect(warmUpPlan(plan)).toMatchObject({ executor: "constant-arrival-rate", ratePerSecond: 0 });
  });

  it("follows the hours of a compressed day, day after day", async () => {
    const hours = [
      { fromHour: 0, toHour: 6, rateFactor: 0 },
      { fromHour: 6, toHour: 12, rateFactor: 1 },
      { fromHour: 12, toHour: 24, rateFactor: 0.5 },
    ];
    const plan: PacingPlan = {
      executor: "daily-arrival-rate",
      distribution: "uniform",
      ratePerSecond: 100,
      profile: { dayMs: 4000, hours },
    };
    const { world, context } = worldWith({ endMs: () => 8000 });
    await serve(createPacer(plan, context), world, 3, () => 1);
    const inSecond = (s: number): number =>
      world.started.filter(({ intendedMs }) => Math.floor(intendedMs / 1000) === s).length;
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(inSecond)).toEqual([0, 100, 50, 50, 0, 100, 50, 50]);
    expect(
      [0, 999, 1000, 1999, 2000, 5500].map((ms) => dayPartAt({ dayMs: 4000, hours }, ms)?.toHour),
    ).toEqual([6, 6, 12, 12, 24, 12]);
  });

  it("lets as many clients work as its stages state, spread over workers in turn", async () => {
    const plan: PacingPlan = {
      executor: "ramping-clients",
      startClients: 2,
      stages: [
        { target: 6, durationMs: 4000 },
        { target: 0, durationMs: 0 },
      ],
    };
    /** Moments at which the clients of a worker may first start; undefined for never. */
    async function firstStarts(workerIndex: number): Promise<(number | undefined)[]> {
      const starts: (number | undefined)[] = [];
      for (let client = 0; client < 3; client++) {
        const { world, context } = worldWith({
          ...{ workers: 2, workerIndex, totalClients: 6, endMs: () => 10_000 },
          sleep: async (ms) => void (world.now += ms),
        });
        starts.push((await createPacer(plan, context).next(client))?.intendedMs);
      }
      return starts;
    }
    expect(await firstStarts(0)).toEqual([0, 1000, 3000]);
    expect(await firstStarts(1)).toEqual([0, 2000, undefined]);
    const { world, context } = worldWith({});
    world.now = 5000;
    expect(await createPacer(plan, context).next(0)).toBeUndefined();
  });

  it("starts no client that thought while its stages lowered the number of clients", async () => {
    const plan: PacingPlan = {
      executor: "ramping-clients",
      startClients: 1,
      stages: [
        { target: 1, durationMs: 1000 },
        { target: 0, durationMs: 0 },
        { target: 0, durationMs: 4000 },
        { target: 1, durationMs: 0 },
      ],
    };
    const { world, context } = worldWith({
      ...{ thinkTime: { min: 600, max: 600 }, endMs: () => 7000 },
      sleep: async (ms) => void (world.now += ms),
    });
    const pacer = createPacer(plan, context);
    const starts: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) starts.push((await pacer.next(0))?.intendedMs);
    expect(starts).toEqual([0, 600, 5600, 6200]);
  });
});
