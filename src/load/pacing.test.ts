// Executors with an injected clock: exact budgets, even ramp-up, think time within its range.
import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { createPacer, type PacingPlan } from "./executors/registry.js";
import type { PacingContext } from "./pacer.js";

function context(overrides: Partial<PacingContext> = {}): PacingContext & { slept: number[]; now: number } {
  const state = { slept: [] as number[], now: 0 };
  return Object.assign(state, {
    nowMs: () => state.now,
    sleep: async (ms: number) => {
      state.slept.push(ms);
      state.now += ms;
    },
    prng: new Prng(1),
    roleSeed: 1,
    startMs: 0,
    endMs: () => Number.POSITIVE_INFINITY,
    workers: 1,
    workerIndex: 0,
    arrivals: { onOffer: () => undefined, onDrop: () => undefined },
    thinkTime: { min: 0, max: 0 },
    rampUpMs: 0,
    totalClients: 1,
    firstClient: 0,
    sharedCounter: new Int32Array(new SharedArrayBuffer(4)),
    isOver: () => false,
    ...overrides,
  });
}

async function countIterations(
  plan: PacingPlan,
  contexts: PacingContext[],
  clients: number,
): Promise<number> {
  let count = 0;
  await Promise.all(
    contexts.flatMap((each) => {
      const pacer = createPacer(plan, each);
      return Array.from({ length: clients }, async (_, client) => {
        while ((await pacer.next(client)) !== undefined) count++;
      });
    }),
  );
  return count;
}

describe("an executor", () => {
  it("starts exactly the shared budget of iterations over workers that compete for it", async () => {
    const sharedCounter = new Int32Array(new SharedArrayBuffer(4));
    const workers = [context({ sharedCounter }), context({ sharedCounter }), context({ sharedCounter })];
    expect(await countIterations({ executor: "shared-iterations", iterations: 1001 }, workers, 7)).toBe(1001);
  });

  it("runs each client through its own budget of iterations", async () => {
    expect(
      await countIterations({ executor: "per-client-iterations", iterations: 13 }, [context(), context()], 5),
    ).toBe(2 * 5 * 13);
  });

  it.each([
    { executor: "per-client-iterations", iterations: 3 },
    { executor: "shared-iterations", iterations: 3 },
  ] as const)("lets no client think after its last iteration: $executor", async (plan) => {
    const one = context({ thinkTime: { min: 100, max: 100 } });
    const pacer = createPacer(plan, one);
    const left: (boolean | undefined)[] = [];
    do left.push(pacer.isLeft?.(0));
    while (await pacer.next(0));
    expect(left).toEqual([true, true, true, false]);
    expect(one.slept).toEqual([100, 100]);
  });

  it("ends pauses of clients once other clients or workers have taken the last iteration", async () => {
    const sharedCounter = new Int32Array(new SharedArrayBuffer(4));
    const never = (): Promise<void> => new Promise(() => undefined);
    const plan = { executor: "shared-iterations", iterations: 2 } as const;
    const ramp = { sharedCounter, sleep: never, rampUpMs: 60_000, totalClients: 4 };
    const [one, other] = [
      createPacer(plan, context(ramp)),
      createPacer(plan, context({ ...ramp, firstClient: 2 })),
    ];
    const pausing = [one.next(1), other.next(2), other.next(3)];
    expect(await one.next(0)).toBeDefined();
    other.settle?.();
    const inTime = createPacer(plan, context({ sharedCounter }));
    expect(await inTime.next(0)).toBeDefined();
    one.settle?.();
    other.settle?.();
    expect(await Promise.all(pausing)).toEqual([undefined, undefined, undefined]);
    expect(Atomics.load(sharedCounter, 0)).toBe(2);
  });

  it("goes on until the phase is over if it has no budget", async () => {
    let left = 50;
    const only = context({ isOver: () => left-- <= 0 });
    expect(await countIterations({ executor: "constant-clients" }, [only], 1)).toBe(50);
  });

  it("spreads the first starts of the whole role evenly over the ramp-up", async () => {
    const second = context({ rampUpMs: 1000, totalClients: 10, firstClient: 5 });
    const pacer = createPacer({ executor: "constant-clients" }, second);
    for (let client = 0; client < 5; client++) await pacer.next(client);
    expect(second.slept).toEqual([500, 600, 700, 800, 900]);
  });

  it("lets clients think within the configured range between iterations, but not before the first one", async () => {
    const one = context({ thinkTime: { min: 10, max: 20 } });
    const pacer = createPacer({ executor: "constant-clients" }, one);
    for (let i = 0; i < 200; i++) await pacer.next(0);
    expect(one.slept).toHaveLength(199);
    expect(Math.min(...one.slept)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...one.slept)).toBeLessThan(20);
  });

  it("gives the actual start as intended start in a closed loop, which has no schedule", async () => {
    const one = context({ thinkTime: { min: 5, max: 5 } });
    const pacer = createPacer({ executor: "constant-clients" }, one);
    expect(await pacer.next(0)).toEqual({ intendedMs: 0 });
    expect(await pacer.next(0)).toEqual({ intendedMs: 5 });
  });
});
