// Runs every fault with every family of workloads on every kind of target. The program's rules state which pairs can run,
// and how. Faults of a family follow each other in one audited trial, with each fault mended and named. Other pairs are
// refused with a reason before anything starts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FAULTS, kindOf, type AnyFaultKind, type FaultKindName } from "../../src/faults/registry.js";
import { parseScenario } from "../../src/scenario/loader.js";
import { keysOf } from "../../src/syntax/tagged-union.js";
import { ScenarioError } from "../../src/syntax/problems.js";
import { workloadOf } from "../../src/workloads/registry.js";
import { startAgent, startCoordinator, tokenFile, whereToJoin } from "./agents.js";
import { leftoversOf } from "./fault-runs.js";
import { pgBouncerEnv } from "./pgbouncers.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  writeScenarioFile,
  type Started,
} from "./train-sim.js";

/** Target of the embedded server. A target of a URL needs a running server, so its test makes it. */
export const EMBEDDED = { kind: "embedded" };
export const WITH_STANDBY = { kind: "embedded", standbys: 1, replication: "sync" };

const SCENARIOS = fileURLToPath(new URL("../../scenarios/", import.meta.url));
const CLIENTS = { clients: { load: { clients: 3, thinkTime: "20ms" } } };

/** Keys of a scenario that runs each workload family. */
const FAMILIES = {
  "train-events": {
    batch: { min: 2, max: 5 },
    actors: {
      producers: { load: { clients: 2, thinkTime: "50ms" } },
      consumers: { load: { clients: 2 } },
      archivers: { load: { clients: 2, thinkTime: "20ms" } },
    },
  },
  accounts: { workload: "accounts", actors: CLIENTS },
  documents: {
    workload: "documents",
    documents: 200,
    mix: { read: 1, insert: 2, update: 1, slice: 0 },
    actors: CLIENTS,
  },
  calls: {
    workload: "calls",
    ...{ batchesPerDay: 1000, batchesBefore: 0, sizes: { small: 2, medium: 10, large: 20 } },
    actors: {
      loaders: { load: { clients: 2, thinkTime: "50ms" } },
      probes: { load: { clients: 1, thinkTime: "50ms" } },
    },
  },
  connections: { workload: "connections", actors: CLIENTS },
  "own SQL": {
    workload: { file: "bank.sql", sql: readFileSync(join(SCENARIOS, "bank.sql"), "utf8") },
    actors: CLIENTS,
  },
  pgbench: { workload: { pgbench: ["builtin:tpcb-like"] }, actors: CLIENTS },
  module: { workload: join(SCENARIOS, "orders.mjs"), actors: CLIENTS },
} as const;
type Family = keyof typeof FAMILIES;
export const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];

/** Ways of connecting and running clients. A fault is tested in the first one that its rules allow. */
const SURROUNDINGS = {
  "direct connections": { pool: { strategy: "direct" } },
  PgBouncer: { pool: { strategy: "pgbouncer", mode: "transaction", size: 3 } },
  "two agents": { pool: { strategy: "direct" }, agents: 2 },
} as const;
type Surroundings = keyof typeof SURROUNDINGS;
const SURROUNDING_NAMES = Object.keys(SURROUNDINGS) as Surroundings[];

/** Values of the keys that a kind of fault requires. */
const NEEDED: Readonly<Record<string, unknown>> = {
  for: "300ms",
  latency: "20ms",
  bandwidth: "200kB",
  run: ["true"],
};
/**
 * Milliseconds between the end of a fault and the next one. A server needs time to start, and longer to become a standby.
 */
const PAUSE_MS = 1000;
const RESTART_MS = 3000;
const FAILOVER_MS = 6000;
/** Milliseconds at the end of the window that are kept free, for faults that are late on a busy machine. */
const LATE_MS = 10_000;

function sampleOf(kind: AnyFaultKind, atMs: number): object {
  const needed = keysOf(kind).needs.map((key) => [key, NEEDED[key]] as const);
  return Object.fromEntries([["at", `${atMs}ms`], ["kind", kind.name], ...needed]);
}

function pauseAfter(kind: AnyFaultKind, target: object): number {
  if (kind.restartsServer !== true) return PAUSE_MS;
  return "standbys" in target ? FAILOVER_MS : RESTART_MS;
}

export interface MatrixTrial {
  readonly family: Family;
  readonly target: object;
  readonly surroundings: Surroundings;
  readonly kinds: readonly FaultKindName[];
}

function scenarioOf({ family, target, surroundings, kinds }: MatrixTrial): string {
  let atMs = PAUSE_MS;
  const faults = kinds.map((name) => {
    const fault = sampleOf(kindOf(name), atMs);
    atMs += pauseAfter(kindOf(name), target);
    return fault;
  });
  const endMs = atMs + ("standbys" in target ? LATE_MS : PAUSE_MS);
  return JSON.stringify({
    ...{ name: "matrix", seed: 7, trials: 1, namespace: "matrix", ...FAMILIES[family] },
    ...{ target, ...SURROUNDINGS[surroundings], faults, retry: { attempts: 100 } },
    trial: { warmUp: 0, duration: `${endMs}ms`, drain: family === "train-events" ? "60s" : false },
    diagnosis: { ceiling: false },
  });
}

const parse = (scenario: string) => parseScenario(scenario, "x.yaml", { loadsCode: true });

/** The program's problems with a scenario; undefined if it accepts the scenario. */
function refusalOf(scenario: string): string | undefined {
  try {
    parse(scenario);
    return undefined;
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems.map(({ message }) => message).join("; ");
    throw error;
  }
}

interface MatrixPlan {
  readonly trials: readonly MatrixTrial[];
  /** Reasons why the program refuses a fault, by kind of fault. */
  readonly refusals: Readonly<Partial<Record<FaultKindName, string>>>;
}

/** Trials and refusals of all kinds of faults by the program's rules. This machine's abilities do not matter. */
export function planOf(family: Family, target: object): MatrixPlan {
  const kindsOver = new Map<Surroundings, FaultKindName[]>();
  const refusals: Partial<Record<FaultKindName, string>> = {};
  for (const { name } of FAULTS) {
    let refusal: string | undefined;
    const found = SURROUNDING_NAMES.find((surroundings) => {
      refusal = refusalOf(scenarioOf({ family, target, surroundings, kinds: [name] }));
      return refusal === undefined;
    });
    if (found) kindsOver.set(found, [...(kindsOver.get(found) ?? []), name]);
    else refusals[name] = refusal ?? "";
  }
  const trials = [...kindsOver].map(([surroundings, kinds]) => ({ family, target, surroundings, kinds }));
  return { trials, refusals };
}

/** Starts the run, and then its agents. */
async function start(scenario: string, surroundings: Surroundings, out: string): Promise<readonly Started[]> {
  const args = [writeScenarioFile(scenario), "--out", out];
  const options = surroundings === "PgBouncer" ? { env: pgBouncerEnv() } : {};
  if (surroundings !== "two agents") return [startTrainSim(["run", ...args, "--quiet"], options)];
  const token = tokenFile();
  const run = startCoordinator([...args, "--agents", "2"], token, options);
  const url = await whereToJoin(run);
  return [run, ...["a1", "a2"].map((name) => startAgent({ name, url, token }))];
}

/** Patterns in texts of faults, which must show that the fault names the family's table. */
const TABLE_WORDS: Readonly<Partial<Record<FaultKindName, RegExp>>> = {
  "lock-holder": /^(?:locked|waited to lock) (\S+) in access exclusive mode/,
  "long-transaction": /^read (\S+) and held the snapshot/,
};

/** Faults that take the server or the pooler away, so that clients must see errors. */
const ENDING: readonly FaultKindName[] = [
  ...(["postgres-restart", "postgres-kill", "failover", "switchover"] as const),
  ...(["pooler-restart", "pooler-kill"] as const),
];

/** Caveat of a built-in script of pgbench, which has an invariant of sums and no ids. */
const NO_IDS = "lost or duplicated transactions of tpcb-like: no invariant lists their acknowledged ids";

/** Runs a trial. Expects that nothing is lost, that each fault is over at the end, and that its text names its table. */
export async function expectTrial(cells: MatrixTrial): Promise<void> {
  const { family, kinds, surroundings } = cells;
  const scenario = scenarioOf(cells);
  const out = join(scratchDirectory(), "results");
  const processes = await start(scenario, surroundings, out);
  const [run, ...agents] = await Promise.all(processes.map(({ ended }) => ended));
  const output = [run, ...agents].map((each) => each?.stderr).join("\n");
  expect(run?.exitCode, output).toBe(0);
  expect(output).not.toContain("MaxListenersExceededWarning");
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial?.status, trial?.reason).toBe("complete");
  expect(trial?.integrity).toMatchObject({ verdict: "ok", lost: 0, violations: [] });
  expect(trial?.integrity?.published).toBeGreaterThan(0);
  // Accounts of a killed agent are lost, and with them what only they could show.
  if (!kinds.includes("agent-kill"))
    expect(trial?.integrity?.notAudited).toEqual(family === "pgbench" ? [NO_IDS] : undefined);
  expect(trial?.faults?.map(({ kind }) => kind)).toEqual(kinds);
  const { tables } = workloadOf(parse(scenario).treatments[0]?.settings ?? {});
  for (const { kind, words, clearedAtSeconds, errors } of trial?.faults ?? []) {
    expect(clearedAtSeconds, kind).not.toBeNull();
    if (ENDING.includes(kind)) expect(errors, kind).not.toEqual({});
    expect(words, kind).not.toBe("");
    // A reset is short, and a client of "connections" is mostly between two sessions: on a busy machine nothing may be hit.
    const mayMiss =
      kind.startsWith("network-reset") || (kind === "backend-cancel" && family === "connections");
    if (!mayMiss) expect(words, kind).not.toMatch(/ of 0 sessions| 0 connections/);
    const named = TABLE_WORDS[kind];
    if (named)
      expect(named.exec(words)?.[1], words).toBe(kind === "lock-holder" ? tables.lock : tables.snapshot);
  }
  expect(processes[0] && leftoversOf(processes[0])).toEqual([]);
}

/** Defines the tests of all faults for a target. Call it at the top of a test file. */
export async function testMatrix(where: string, target: object): Promise<void> {
  const able = await Promise.all(
    FAULTS.map(async ({ name }) => {
      const obstacle = await kindOf(name).machineObstacle?.(process.platform);
      return obstacle === undefined ? [name] : [];
    }),
  );
  const trials = FAMILY_NAMES.flatMap((family) => planOf(family, target).trials).map((trial) => ({
    ...trial,
    kinds: trial.kinds.filter((kind) => able.flat().includes(kind)),
  }));
  describe(where, () => {
    it.each(trials.map((trial) => [trial.kinds.length, trial.family, trial.surroundings, trial] as const))(
      "%i faults of workload %s over %s are cleared, named and lose nothing",
      (_, __, ___, trial) => expectTrial(trial),
    );
  });
}
