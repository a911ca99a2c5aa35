import { expect, it } from "vitest";
import { monotonicMs, systemClock } from "../foundation/clock.js";
import type { PacingPlan } from "../load/executors/registry.js";
import { PunctualSleeper } from "../load/punctual-sleeper.js";
import { parseScenario } from "../scenario/loader.js";
import type { Clients } from "./client.js";
import { needsExactStarts, startPhase } from "./phase.js";
import type { ThreadAssignment } from "../engine/workers/protocol.js";
import { TimeAccount } from "./time-account.js";
import type { Role } from "../workloads/train-events/settings.js";

function worker(role: Role, roleClients: number, load: string, appDelay = "0") {
  const yaml = `name: t\npayload: text\nappDelay: ${appDelay}\nactors: { ${role}: { load: { ${load} } } }\n`;
  const [treatment] = parseScenario(
    role === "cycle" ? `${yaml}topology: cycle\n` : yaml,
    "a test's own",
  ).treatments;
  if (!treatment) throw new Error("no treatment");
  return { role, roleClients, settings: treatment.settings };
}

it.each([
  ["arrivals", worker("producers", 8, "executor: constant-arrival-rate, rate: 4000, maxClients: 8"), true],
  ["think times", worker("producers", 8, "clients: 8, thinkTime: 100ms"), true],
  ["random think times", worker("readers", 8, "clients: 8, thinkTime: { min: 0, max: 8ms }"), true],
  ["pauses of a cycle", worker("cycle", 8, "clients: 8"), true],
  ["delays within transactions only", worker("consumers", 8, "clients: 8", "5ms"), false],
  ["no pauses", worker("consumers", 8, "clients: 8"), false],
  [
    "more pauses than the timer can separate",
    worker("producers", 512, "clients: 512, thinkTime: 100ms"),
    false,
  ],
])("a worker starts a timer thread only if its pauses need one: %s", (_, assignment, isKept) => {
  expect(needsExactStarts(assignment)).toBe(isKept);
});

/** A window that begins now, in the only worker of a role. */
function window(role: Role, clients: number, load: string, plan: PacingPlan, runtime: Clients) {
  const { settings } = worker(role, clients, load);
  const assignment = {
    ...{ role, settings, index: 0, workers: 1, clients, firstClient: 0, roleClients: clients },
    trial: { number: 1, treatmentId: "base", seed: 1 },
    sharedCounter: new Int32Array(new SharedArrayBuffer(4)),
  } as unknown as ThreadAssignment;
  const time = new TimeAccount();
  const sleeper = PunctualSleeper.withTimerThread((error) => expect.unreachable(String(error)));
  const startMs = monotonicMs();
  time.setWindow(startMs, Number.POSITIVE_INFINITY);
  const phase = startPhase({
    ...{ name: "measure", isPaced: true, startMs, endMs: () => Number.POSITIVE_INFINITY },
    arrivals: { onOffer: () => undefined, onDrop: () => undefined },
    ...{ plan, clients: runtime, assignment, sleeper, time },
  });
  return { phase, time, sleeper, startMs };
}

it("a phase ends with the last iteration of its budget, although a client would pause for longer", async () => {
  const ended: number[] = [];
  const prepared: number[] = [];
  const { phase, time, sleeper, startMs } = window(
    ...(["producers", 2, "executor: shared-iterations, clients: 2, iterations: 3, rampUp: 1h"] as const),
    { executor: "shared-iterations", iterations: 3 },
    {
      prepare: () => void prepared.push(ended.length),
      iterate: async (client) => {
        expect(client).toBe(0);
        await new Promise(setImmediate);
        ended.push(monotonicMs());
      },
    },
  );
  await phase.done;
  sleeper.wakeAll();
  await sleeper.close();
  expect(ended).toHaveLength(3);
  expect(phase.lastIterationEndMs).toBeGreaterThanOrEqual(ended[2] ?? Number.NaN);
  expect(Math.max(...prepared)).toBe(2);
  // The client that did not start must have no booked wait.
  time.setWindow(startMs, phase.lastIterationEndMs);
  const { finished, waiting } = time.total();
  expect(finished).toBeCloseTo(phase.lastIterationEndMs - startMs, 6);
  expect(waiting).toBeLessThan(phase.lastIterationEndMs - startMs);
});

it("clients' wait for arrivals is booked as waiting if the window ends before an arrival", async () => {
  const { phase, time, sleeper, startMs } = window(
    ...(["producers", 4, "executor: constant-arrival-rate, rate: 0.001, maxClients: 4"] as const),
    {
      executor: "constant-arrival-rate",
      ratePerSecond: 0.001,
      distribution: "uniform",
      maxWaitMs: Number.POSITIVE_INFINITY,
    },
    { prepare: () => undefined, iterate: () => Promise.resolve() },
  );
  while (monotonicMs() < startMs + 20) await new Promise(setImmediate);
  const endMs = monotonicMs();
  time.setWindow(startMs, endMs);
  phase.isOver = true;
  sleeper.wakeAll();
  await phase.done;
  await sleeper.close();
  const { waiting, preparing } = time.total();
  expect(waiting + preparing).toBeCloseTo(4 * (endMs - startMs), 0);
});

it.each([
  ["work of the thread is booked", false],
  ["an unbooked wait of the client is missing", true],
])("time of an iteration: %s", async (_, isWaiting) => {
  const pauseMs = 30;
  const { phase, time, sleeper, startMs } = window(
    ...(["producers", 1, "executor: per-client-iterations, clients: 1, iterations: 3"] as const),
    { executor: "per-client-iterations", iterations: 3 },
    {
      prepare: () => undefined,
      iterate: async () => {
        if (isWaiting) await systemClock.sleep(pauseMs);
        else for (const fromMs = monotonicMs(); monotonicMs() < fromMs + pauseMs;);
      },
    },
  );
  await phase.done;
  await sleeper.close();
  time.setWindow(startMs, phase.lastIterationEndMs);
  const total = Object.values(time.total()).reduce((sum, ms) => sum + ms, 0);
  const missingMs = phase.lastIterationEndMs - startMs - total;
  if (isWaiting) expect(missingMs).toBeGreaterThan(2 * pauseMs);
  else expect(missingMs).toBeLessThan(1);
});
