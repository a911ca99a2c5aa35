// Faults in scenarios: resolved settings, and mistakes with their messages.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { areExclusive } from "./faults.js";
import { FAULT_KINDS, kindOf, type Fault, type FaultKindName } from "./registry.js";
import { parseScenario } from "../scenario/loader.js";

const OF_QUEUES: readonly string[] = ["queue-worker-kill", "queue-worker-stop"];
const QUEUE = "trial: { duration: 60s }\nworkload: jobs\npool: { strategy: own, size: 4 }\n";
const REST = "trial: { duration: 60s }\nagents: 2\n";
const POOL = "pool: { strategy: pgbouncer }\n";
const STANDBYS = "target: { standbys: 2 }\n";
const OF_STANDBYS: readonly FaultKindName[] = ["failover", "switchover", "split-brain", "standby-stop"];

function faultsOf(list: string, rest = REST): readonly Fault[] | undefined {
  return parseScenario(`name: x\n${rest}faults: ${list}\n`, "x.yaml").treatments[0]?.settings.faults;
}

const problemsOf = (list: string, rest = REST): string[] =>
  scenarioProblems(`name: x\n${rest}faults: ${list}\n`);

describe("a fault", () => {
  test("has its defaults filled in and its times in milliseconds", () => {
    expect(
      faultsOf(`[
  { at: 1s, kind: backend-terminate },
  { at: 2s, kind: backend-terminate, sessions: 3 },
  { at: 3s, kind: postgres-restart },
  { at: 5s, kind: postgres-kill, for: 500ms },
  { at: 10s, kind: process-stop, for: 1s },
  { at: 15s, kind: disk-full, for: 1s },
  { at: 20s, kind: long-transaction, for: 20s },
  { at: 21s, kind: lock-holder, lock: share, for: 1s },
  { at: 22s, kind: connection-limit, connections: 2, for: 1s }]`),
    ).toEqual([
      { kind: "backend-terminate", atMs: 1000, forMs: 0, sessions: { share: 1 } },
      { kind: "backend-terminate", atMs: 2000, forMs: 0, sessions: { count: 3 } },
      { kind: "postgres-restart", atMs: 3000, forMs: 0, shutdown: "fast" },
      { kind: "postgres-kill", atMs: 5000, forMs: 500 },
      { kind: "process-stop", atMs: 10_000, forMs: 1000, process: "postgres" },
      { kind: "disk-full", atMs: 15_000, forMs: 1000, disk: "tables" },
      { kind: "long-transaction", atMs: 20_000, forMs: 20_000 },
      { kind: "lock-holder", atMs: 21_000, forMs: 1000, lock: "share" },
      { kind: "connection-limit", atMs: 22_000, forMs: 1000, connections: 2, drop: true },
    ]);
  });

  test("varies between treatments as a factor, also as an empty list", () => {
    const { treatments } = parseScenario(
      "name: x\nfactors: { faults: [[], [{ at: 2s, kind: postgres-kill }]] }\n",
      "x.yaml",
    );
    expect(treatments.map(({ id, settings }) => [id, settings.faults.length])).toEqual([
      ["none", 0],
      ["faults-2s-postgres-kill", 1],
    ]);
  });

  test("accepts --set for its time", () => {
    const { treatments } = parseScenario(`name: x\nfaults: [{ at: 2s, kind: postgres-kill }]\n`, "x.yaml", {
      set: ["faults[0].at=4s"],
    });
    expect(treatments[0]?.settings.faults[0]?.atMs).toBe(4000);
  });

  test("is refused with all of its mistakes", () => {
    expect(
      problemsOf("[{ at: 5, kind: postgres-kil }, { kind: lock-holder, for: 1s, lok: share }]").map((text) =>
        text.replace(/^x\.yaml:\d+:\d+ /, ""),
      ),
    ).toEqual([
      "faults[0].at: a duration needs a unit; did you mean 5ms or 5s? (seen 5)",
      expect.stringMatching(/^faults\[0\]\.kind: not one of .*; did you mean postgres-kill\?/),
      expect.stringMatching(/^faults\[1\]\.at: .*expected a duration/),
      "faults[1].lok: unknown key; did you mean lock?",
    ]);
  });

  test.each([
    ["[{ at: 1s, kind: postgres-kill, lock: share }]", "belongs to kind lock-holder, not to postgres-kill"],
    ["[{ at: 1s, kind: disk-full, drop: true, for: 1s }]", "not to disk-full; disk-full takes disk"],
    ["[{ at: 1s, kind: long-transaction }]", "long-transaction needs a for (its length)"],
    ["[{ at: 1s, kind: backend-terminate, for: 2s }]", "has no length; remove for"],
    ["[{ at: 1s, kind: backend-terminate, sessions: 150% }]", "not a share, such as 50%"],
    ["[{ at: 60s, kind: postgres-kill }]", "begins at 1m, but the window ends at 1m"],
    ["[{ at: 58s, kind: postgres-kill, for: 3s }]", "would last until 1m1s, but the window ends at 1m"],
    ["[{ at: 1s, kind: process-stop, process: pooler, for: 1s }]", "needs a pooler, and pool.strategy"],
  ])("%s is refused", (list, message) => {
    expect(problemsOf(list)).toEqual([expect.stringContaining(message)]);
  });

  test("is refused if the target or the pool does not support it", () => {
    const elsewhere = `${REST}${POOL}target: { url: postgresql://a@b/c }\n`;
    const all = FAULT_KINDS.filter((kind) => problemsOf(minimal(kind), elsewhere).length > 0);
    expect(all).toEqual([
      "postgres-restart",
      "postgres-kill",
      "process-stop",
      ...OF_STANDBYS,
      "disk-full",
      "connection-limit",
      ...OF_QUEUES,
    ]);
    expect(problemsOf("[{ at: 1s, kind: agent-kill }]", "trial: { duration: 60s }\n")).toEqual([
      expect.stringContaining("agent-kill kills agents, and there are none: see key agents"),
    ]);
    expect(problemsOf("[{ at: 1s, kind: agent-kill, agents: 2 }]")).toEqual([
      expect.stringContaining("agent-kill kills 2 agents of 2, and at least one must remain"),
    ]);
    expect(problemsOf("[{ at: 1s, kind: agent-partition }]", "trial: { duration: 60s }\n")).toEqual([
      expect.stringContaining("agent-partition needs a for (its length), such as for: 5s"),
    ]);
    expect(
      problemsOf("[{ at: 1s, kind: standby-stop, standbys: 3, for: 1s }]", `${REST}${STANDBYS}`),
    ).toEqual([expect.stringContaining("standby-stop stops 3 standbys, and there are 2")]);
    expect(problemsOf("[{ at: 1s, kind: failover }]", `${REST}${STANDBYS}${POOL}`)).toEqual([
      expect.stringContaining("pool: a PgBouncer would lead clients to standbys, which take no writes"),
    ]);
    const both =
      "target: { standbys: 1, replication: remote-apply, settings: { synchronous_commit: local } }\n";
    expect(problemsOf("[]", `${REST}${both}`)).toEqual([
      expect.stringContaining(
        "target.replication: remote-apply is synchronous_commit remote_apply, and target.settings has local",
      ),
    ]);
    expect(problemsOf("[]", `${REST}target: { replication: sync }\n`)).toEqual([
      expect.stringContaining("target.replication: is between servers: set target.standbys"),
    ]);
    const external = `${REST}pool: { strategy: pgbouncer, url: postgresql://a@b/c }\n`;
    expect(problemsOf("[{ at: 1s, kind: process-stop, process: pooler, for: 1s }]", external)).toEqual([
      expect.stringContaining("needs a PgBouncer that train-sim starts, and pool names URLs"),
    ]);
  });

  test("is refused if a budget of iterations ends the window", () => {
    const budget = "actors: { producers: { load: { executor: shared-iterations, iterations: 100 } } }\n";
    expect(problemsOf("[{ at: 1s, kind: postgres-kill }]", budget)).toEqual([
      expect.stringContaining("faults come at their time in a window of known length"),
    ]);
  });
});

/** A kind with its required keys. */
function minimal(kind: FaultKindName): string {
  const { keys, examples = {} } = kindOf(kind);
  const needed = Object.entries(examples).map(([key, example]) => `, ${key}: ${example}`);
  return `[{ at: 1s, kind: ${kind}${keys.for ? ", for: 1s" : ""}${needed.join("")} }]`;
}

describe("two faults", () => {
  const at = (kind: string, second: number, length: number, more = ""): string =>
    `{ at: ${second}s, kind: ${kind}, for: ${length}s${more} }`;

  test.each([
    [at("postgres-kill", 1, 3), at("lock-holder", 2, 1), "faults[0], postgres-kill from 1s to 4s"],
    [at("lock-holder", 1, 5), at("postgres-restart", 3, 1), "faults[0], lock-holder from 1s to 6s"],
    [at("lock-holder", 1, 5), at("lock-holder", 3, 1), "faults[0], lock-holder from 1s to 6s"],
    [at("postgres-kill", 1, 1), at("postgres-restart", 2, 1), "faults[0], postgres-kill from 1s to 2s"],
    [at("disk-full", 1, 2), at("process-stop", 2, 1), "faults[0], disk-full from 1s to 3s"],
    [at("connection-limit", 1, 5), at("lock-holder", 3, 1), "faults[0], connection-limit from 1s to 6s"],
    [at("lock-holder", 3, 1), at("connection-limit", 1, 5), "faults[0], lock-holder from 3s to 4s"],
    [at("lock-holder", 1, 1), at("connection-limit", 1, 5), "faults[0], lock-holder from 1s to 2s"],
    [at("connection-limit", 1, 5), at("lock-holder", 1, 1), "faults[0], connection-limit from 1s to 6s"],
  ])("are refused if they exclude each other and overlap: %s and %s", (one, other, message) => {
    expect(problemsOf(`[${one}, ${other}]`)).toEqual([expect.stringContaining(message)]);
  });

  test("may overlap if they do not exclude each other, and may follow each other", () => {
    expect(problemsOf(`[${at("long-transaction", 1, 9)}, ${at("lock-holder", 3, 2)}]`)).toEqual([]);
    // The session of the lock holder is open already.
    expect(problemsOf(`[${at("lock-holder", 1, 5)}, ${at("connection-limit", 3, 2)}]`)).toEqual([]);
    expect(problemsOf(`[${at("postgres-kill", 1, 1)}, ${at("postgres-kill", 3, 1)}]`)).toEqual([]);
    const stopped = at("process-stop", 2, 2, ", process: pooler");
    expect(
      problemsOf(`[${at("postgres-kill", 1, 4)}, ${stopped}]`, `${REST}pool: { strategy: pgbouncer }\n`),
    ).toEqual([]);
  });

  test("exclude each other symmetrically for all kinds", () => {
    const faults = FAULT_KINDS.map((kind) => {
      if (OF_QUEUES.includes(kind)) return faultsOf(minimal(kind), QUEUE)?.[0];
      const rest = OF_STANDBYS.includes(kind) ? STANDBYS : POOL;
      return faultsOf(minimal(kind), `${REST}${rest}`)?.[0];
    }).filter((one) => one !== undefined);
    for (const a of faults)
      for (const b of faults) expect(areExclusive(a, b), `${a.kind} and ${b.kind}`).toBe(areExclusive(b, a));
  });
});
