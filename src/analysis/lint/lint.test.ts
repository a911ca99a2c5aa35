// The fairness linter: each objection once, in the right case, and none if an experiment is fair.
import { describe, expect, it, test } from "vitest";
import { loadScenario, parseScenario } from "../../scenario/loader.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { lint, lintEntry, lintsOf } from "./lint.js";
import { postgresDurationMs } from "./lint-windows.js";

/** Names of the rules that object to a scenario on a server whose settings are not known. */
function rulesOf(text: string): string[] {
  const experiment = parseScenario(
    `name: a\nseed: 1\ntarget: postgresql://u@db:5432/d\n${text}`,
    "scenario.yaml",
  );
  return lint(experiment).map(({ rule }) => rule);
}

function wordsOf(text: string): string {
  const experiment = parseScenario(`name: a\nseed: 1\n${text}`, "scenario.yaml");
  return lint(experiment)
    .map(({ words }) => words)
    .join("\n");
}

describe("the lint of comparisons that differ in several things", () => {
  it("objects if include makes a treatment that no step of one factor leads to", () => {
    const text = `factors: { payload: [jsonb, text] }
include: [{ payload: text-generated, locking: nowait }]`;
    expect(rulesOf(text)).toEqual(["confounded"]);
    expect(wordsOf(text)).toContain("from jsonb in payload and locking at once");
  });

  it("accepts a full matrix, and treatments that are connected by changes of one factor at a time", () => {
    expect(rulesOf("factors: { payload: [jsonb, text], locking: [skip-locked, nowait] }")).toEqual([]);
    const steps = `factors: { payload: [jsonb, text], locking: [skip-locked, nowait] }
exclude: [{ payload: jsonb, locking: nowait }]`;
    expect(rulesOf(steps)).toEqual([]);
  });

  it("objects if levels differ in clients, unless clients are the factor", () => {
    expect(rulesOf("factors: { topology: [actors, cycle] }")).toEqual(["unequal-clients"]);
    expect(rulesOf("factors: { clients: [2, 4, 8] }")).toEqual([]);
    expect(rulesOf("factors: { actors.consumers.load.clients: [2, 4] }")).toEqual([]);
  });

  it("objects if levels differ in the number of iterations", () => {
    const cycle = (executor: string): string =>
      `topology: cycle\nfactors: { clients: [2, 4] }\nactors: { cycle: { load: { executor: ${executor}, iterations: 10 } } }`;
    expect(rulesOf(cycle("per-client-iterations"))).toEqual(["unequal-work"]);
    expect(rulesOf(cycle("shared-iterations"))).toEqual([]);
  });
});

describe("the lint of a pool against direct connections", () => {
  const pools = (clients: string, more = ""): string =>
    `topology: cycle\nfactors: { pool: [direct, { strategy: pg-pool, size: 4 }], clients: ${clients} }\n${more}`;

  it("asks for a direct treatment with as many connections as the pool", () => {
    expect(rulesOf(pools("[16]"))).toEqual(["no-pool-control"]);
    const single = "topology: cycle\nfactors: { pool: [direct, { strategy: pg-pool, size: 1 }] }\nclients: 2";
    expect(wordsOf(single)).toContain(
      "shares 1 connection among 2 clients, and no direct treatment has 1 client: ",
    );
    expect(rulesOf(pools("[16, 4]", "exclude: [{ pool: { strategy: pg-pool }, clients: 4 }]"))).toEqual([]);
  });

  it("accepts a pool with a connection for every client, and pools without direct connections", () => {
    expect(rulesOf(pools("[4]"))).toEqual([]);
    expect(rulesOf("topology: cycle\nclients: 8\npool: { strategy: pg-pool, size: 4 }")).toEqual([]);
  });
});

describe("the lint of locking on a database that locks tables", () => {
  it("objects to levels that lock rows", () => {
    const text = "factors: { locking: [for-update, skip-locked, nowait] }\n";
    const target = "target: postgresql://u@db:5432/d";
    const experiment = parseScenario(`name: a\n${target}\ndialect: cloudberry\n${text}`, "scenario.yaml");
    const [objection] = lint(experiment).filter(({ rule }) => rule === "table-locks");
    expect(objection?.treatments).toEqual(["skip-locked", "nowait"]);
    expect(objection?.words).toContain("lock the whole table for each claim");
    expect(rulesOf(text)).not.toContain("table-locks");
    expect(rulesOf("dialect: cloudberry\nactors: { consumers: false }")).not.toContain("table-locks");
  });
});

describe("the lint of keys in order of time", () => {
  const on = (dialect: string, text: string): string[] =>
    lint(
      parseScenario(
        `name: a\ntarget: postgresql://u@db:5432/d\ndialect: ${dialect}\n${text}`,
        "scenario.yaml",
      ),
    ).flatMap(({ rule, words, treatments }) =>
      rule === "ordered-keys" ? [`${words} (${treatments?.join() ?? "all"})`] : [],
    );

  it("objects if rows are stored in ranges of keys, unless a hash spreads them", () => {
    const factors = "factors: { ids: [uuidv7, uuidv4], storage: [default, hash-sharded] }";
    const [objection, ...others] = on("cockroachdb", factors);
    expect(objection).toMatch(/all inserts go to the last range; use .* \(uuidv7-default\)$/);
    expect(others).toEqual([]);
    const levels = "payload: text\nlocking: for-update\nisolation: repeatable read";
    expect(on("dsql", levels)).toHaveLength(1);
    expect(on("dsql", `${levels}\nids: uuidv4`)).toEqual([]);
    expect(on("postgres", "ids: uuidv7")).toEqual([]);
  });
});

describe("the lint of network faults", () => {
  it("names the treatments whose path has a proxy", () => {
    const text = "factors: { faults: [[], [{ at: 2s, kind: network-reset }]] }\n";
    expect(rulesOf(text)).toEqual(["network-proxy"]);
    const found = lint(parseScenario(`name: a\nseed: 1\ntrials: 5\n${text}`, "scenario.yaml"));
    expect(found.find(({ rule }) => rule === "network-proxy")).toMatchObject({
      treatments: ["faults-2s-network-reset"],
    });
    expect(rulesOf("faults: [{ at: 2s, kind: backend-terminate }]\n")).toEqual([]);
  });
});

describe("the lint of window lengths", () => {
  test.each([
    [
      "trial: { duration: 30s }",
      /^a 30 s window may miss autovacuum \(every 1 min\) or a timed checkpoint \(every 5 min\): their cost may/,
    ],
    ["trial: { duration: 2m }", /^a 2 min window may miss a timed checkpoint \(every 5 min\): its cost may/],
    [
      "trial: { duration: 2m }\ntarget: { settings: { checkpoint_timeout: 600 } }",
      /a timed checkpoint \(every 10 min\)/,
    ],
  ])("objects to a window that may miss the server's periodic work: %s", (text, expected) => {
    expect(wordsOf(text)).toMatch(expected);
  });

  it("accepts a window that contains every cycle, and a server without autovacuum", () => {
    expect(wordsOf("trial: { duration: 5m }")).toBe("");
    const off = "target: { settings: { autovacuum: off, checkpoint_timeout: 30s } }";
    expect(wordsOf(`trial: { duration: 30s }\n${off}`)).toBe("");
  });

  it("objects on a server given by URL once its settings and windows are known", () => {
    const experiment = parseScenario(
      "name: a\nseed: 1\ntarget: postgresql://u@db/d\nfactors: { payload: [jsonb, text] }",
      "scenario.yaml",
    );
    const seen = exampleResult();
    seen.environment.settings = { autovacuum: "on", autovacuum_naptime: "10s", checkpoint_timeout: "40s" };
    expect(lint(experiment)).toEqual([]);
    expect(lint(experiment, seen).map(({ words }) => words)).toEqual([
      expect.stringMatching(/^a 30 s window may miss a timed checkpoint \(every 40 s\)/),
    ]);
  });

  it("reads durations as PostgreSQL writes them", () => {
    expect(["5min", "300", "30 s", "1h", "1d", "500ms", "soon"].map(postgresDurationMs)).toEqual([
      300_000,
      300_000,
      30_000,
      3_600_000,
      86_400_000,
      500,
      undefined,
    ]);
  });
});

it("the lint states the warm-up that would have kept unsteady seconds out of the windows", () => {
  const experiment = parseScenario(
    "name: a\nseed: 1\ntarget: postgresql://u@db/d\nfactors: { payload: [jsonb, text] }\ntrial: { warmUp: 2s }",
    "scenario.yaml",
  );
  const seen = exampleResult();
  const trials = seen.treatments[1]?.trials ?? [];
  trials.forEach(
    (trial, i) => (trial.steadyState = { isSteady: false, reason: "drift", settledAfterSeconds: i + 3 }),
  );
  const found = lint(experiment, seen).filter(({ rule }) => rule === "short-warm-up");
  expect(found).toEqual([
    {
      rule: "short-warm-up",
      treatments: ["text"],
      words:
        "3 trials settled only within the window, at the latest after 5 s (text): a warm-up of 7 s would exclude that",
    },
  ]);
  trials.forEach((trial) => (trial.steadyState = { isSteady: true, reason: "" }));
  expect(lint(experiment, seen).filter(({ rule }) => rule === "short-warm-up")).toEqual([]);
});

it("the lint states which conclusions fewer than five trials cannot give", () => {
  expect(wordsOf("trials: 1\ntrial: { duration: 6m }")).toBe(
    "1 trial: medians will have no interval; run at least 5",
  );
  expect(wordsOf("trials: 4\ntrial: { duration: 6m }\nfactors: { payload: [jsonb, text] }")).toBe(
    "4 trials of each treatment: no difference of any size can be concluded; run at least 5",
  );
  expect(rulesOf("factors: { payload: [jsonb, text] }"), "the default").toEqual([]);
});

test("scenarios of train-sim get objections only to short windows", async () => {
  const rules = async (name: string): Promise<string[]> =>
    lint(await loadScenario(`scenarios/${name}.yaml`)).map(({ rule }) => rule);
  expect(await rules("quickstart")).toEqual(["short-window", "short-of-maintenance"]);
  expect(await rules("train-events")).toEqual([]);
  expect(await rules("train-events-actors")).toEqual(["short-of-maintenance"]);
});

test("objections are read from a stored result", () => {
  const result = exampleResult();
  result.diagnosis = [
    lintEntry({ rule: "a", words: "b", treatments: ["text"] }),
    { kind: "other", words: "c" },
  ];
  expect(lintsOf(result)).toEqual(["b"]);
});
