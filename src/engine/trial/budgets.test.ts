import { expect, it } from "vitest";
import { parseScenario } from "../../scenario/loader.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { assignmentsOf } from "../workers/assignments.js";
import { budgetsOf, windowEndByBudgets, type Budgets } from "./budgets.js";
import { Interruption } from "../session/interruption.js";
import { FailureSignal } from "./failure-signal.js";

const never = new Promise<never>(() => undefined);

function settingsOf(actors: string): TreatmentSettings {
  const [treatment] = parseScenario(`name: a\nactors:\n${actors}`, "scenario.yaml").treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  return treatment.settings;
}

const LOADS =
  "  producers: { workers: 2, load: { executor: shared-iterations, clients: 2, iterations: 9, maxDuration: 7s } }\n" +
  "  consumers: { load: { executor: per-client-iterations, clients: 1, iterations: 3, maxDuration: 1h } }\n";

/** A fleet that notes the workers whose budgets are awaited. */
function budgetsWith(actors: string): { budgets: Budgets | undefined; workers: (readonly number[])[] } {
  const settings = settingsOf(actors);
  const place = { endpoints: [], prepared: true, logFile: "", directory: "" };
  const trial = { number: 1, block: 0, treatmentId: "base", seed: 1 };
  const workers: (readonly number[])[] = [];
  const budgetsDone = (ordinals: readonly number[]): Promise<number> => {
    workers.push(ordinals);
    return never;
  };
  const fleet = { assignments: assignmentsOf({ trial, settings, ...place }), budgetsDone };
  return { budgets: budgetsOf(fleet, settings), workers };
}

it("budgets are awaited for each group that has one, up to its maxDuration", () => {
  const { budgets, workers } = budgetsWith(`${LOADS}  archivers: false\n`);
  expect(workers).toEqual([[0, 1], [2]]);
  expect(budgets).toMatchObject({
    coversAllRoles: true,
    roleBudgets: [
      { role: "producers", maxMs: 7_000 },
      { role: "consumers", maxMs: 3_600_000 },
    ],
  });
  expect(budgetsWith(LOADS).budgets?.coversAllRoles).toBe(false);
  expect(budgetsWith("  producers: { load: { executor: constant-clients } }\n").budgets).toBeUndefined();
});

const wait = (
  roleBudgets: Budgets["roleBudgets"],
  interruption = new Interruption(),
  coversAllRoles = true,
) =>
  windowEndByBudgets({
    budgets: { roleBudgets, coversAllRoles },
    interruption,
    failures: new FailureSignal(),
    trialEnd: new AbortController().signal,
  });

const HOUR_MS = 3_600_000;

it("a budget that is not used up within its maxDuration fails the trial", async () => {
  const waiting = wait([
    { role: "producers", maxMs: 1, done: never },
    { role: "consumers", maxMs: HOUR_MS, done: never },
  ]);
  await expect(waiting).rejects.toThrow("budget of producers was not used up within maxDuration (0.001 s)");
});

it("the window ends when the last budget is used up", async () => {
  const done = [30, 50, 40].map((ms) => Promise.resolve(ms));
  const groups = done.map((each) => ({ role: "producers" as const, maxMs: HOUR_MS, done: each }));
  expect(await wait(groups)).toBe(50);
  expect(await wait(groups, new Interruption(), false)).toBeGreaterThan(50);
});

it("budgets are no longer awaited after a request to stop", async () => {
  const interruption = new Interruption();
  const waiting = wait([{ role: "producers", maxMs: HOUR_MS, done: never }], interruption);
  interruption.request("SIGINT");
  expect(await waiting).toBeLessThan(Number.POSITIVE_INFINITY);
});
