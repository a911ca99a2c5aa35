// Features that a dialect lacks are refused when the scenario is loaded, all at once, with the reason and the nearest
// feature.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { capabilitiesOf, DIALECTS } from "../database/registry.js";
import { FAULT_KINDS } from "../faults/registry.js";
import { checkScenario, readScenario } from "./rules.js";
import { dialectProblems } from "./rules-dialect.js";

const URL_TARGET = { kind: "url", urls: ["postgresql://a@db.example:5432/a"] };

function checkMapping(raw: Record<string, unknown>) {
  const read = readScenario(raw);
  if ("findings" in read) throw new Error(JSON.stringify(read.findings));
  return checkScenario(read.scenario);
}

function findingsOf(raw: Record<string, unknown>): string[] {
  const { findings } = checkMapping({ name: "dialects", target: URL_TARGET, ...raw });
  return findings.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a feature that a dialect lacks", () => {
  test("is refused with the reason and the nearest feature, each at its key", () => {
    expect(findingsOf({ dialect: "dsql" })).toEqual([
      expect.stringMatching(/^payload: Aurora DSQL does not have payload: jsonb: .*; use payload: text$/),
      expect.stringMatching(/^locking: .* skip-locked: .*OC000; use locking: for-update$/),
      expect.stringMatching(/^isolation: .* read committed: .*; use isolation: repeatable read$/),
    ]);
    expect(findingsOf({ dialect: "cockroachdb", isolation: "repeatable read" })).toEqual([
      expect.stringContaining("use isolation: serializable"),
    ]);
    expect(
      findingsOf({ dialect: "cloudberry", statementShape: "single-statement", isolation: "serializable" }),
    ).toEqual([
      expect.stringContaining("use isolation: repeatable read"),
      expect.stringContaining("use statementShape: set-based"),
    ]);
    expect(findingsOf({ storage: "pax" })).toEqual([expect.stringContaining("use storage: default")]);
  });

  const DSQL = { dialect: "dsql", payload: "text", locking: "for-update", isolation: "repeatable read" };

  test("is not reported for scenarios that do not use it", () => {
    expect(findingsOf(DSQL)).toEqual([]);
    expect(
      findingsOf({ dialect: "cockroachdb", storage: "hash-sharded", isolation: "serializable" }),
    ).toEqual([]);
    expect(findingsOf({ dialect: "cloudberry", storage: "ao-column" })).toEqual([]);
  });

  test("is reported also if it is a batch size or a fault", () => {
    expect(findingsOf({ ...DSQL, batch: { min: 10, max: 1001 } })).toEqual([
      "batch.max: Aurora DSQL changes at most 3000 rows in a transaction, and archiving an event changes 3; use at most 1000",
    ]);
    expect(findingsOf({ ...DSQL, batch: { min: 10, max: 1000 } })).toEqual([]);
    expect(
      findingsOf({ dialect: "cockroachdb", faults: [{ at: "1s", kind: "lock-holder", for: "1s" }] }),
    ).toEqual(["faults.0.kind: lock-holder: CockroachDB has no LOCK TABLE"]);
  });
});

test("the faults that a dialect lacks are known kinds of faults", () => {
  for (const name of DIALECTS)
    expect(FAULT_KINDS).toEqual(expect.arrayContaining(Object.keys(capabilitiesOf(name).unsupportedFaults)));
});

describe("a daily profile on a dialect with a limit of rows", () => {
  const DSQL = { dialect: "dsql", payload: "text", locking: "for-update", isolation: "repeatable read" };
  const withProfile = (profile: unknown, more: Record<string, unknown> = {}): string[] => {
    const load = {
      executor: "daily-arrival-rate",
      rate: 10,
      maxClients: 4,
      ...(profile !== undefined && { profile }),
    };
    return findingsOf({ ...DSQL, ...more, actors: { producers: { load } } });
  };

  test("is refused if a size that its hours use exceeds the limit", () => {
    const large =
      "actors.producers.load.profile.sizes.large: Aurora DSQL changes at most 3000 rows in a transaction, and adding an " +
      "event changes 2; 5000 are too many, use at most 1500";
    expect(withProfile(undefined)).toEqual([large]);
    expect(withProfile("streaming-day")).toEqual([large]);
    expect(withProfile({ sizes: { medium: 1501, large: 1500 } })).toEqual([
      expect.stringMatching(/sizes\.medium: .*; 1501 are too many/),
    ]);
    const hours = [{ from: 0, to: 24, rate: 1, mix: { small: 1 } }];
    expect(withProfile({ hours })).toEqual([]);
    expect(withProfile(undefined, { dialect: "cockroachdb", isolation: "serializable" })).toEqual([]);
  });

  test("is refused if the server reports such a dialect", () => {
    const raw = {
      name: "auto",
      ...DSQL,
      dialect: "auto",
      target: URL_TARGET,
      actors: { producers: { load: { executor: "daily-arrival-rate", rate: 10, maxClients: 4 } } },
    };
    const { findings, settings } = checkMapping(raw);
    expect(findings).toEqual([]);
    expect(dialectProblems("dsql", settings)).toHaveLength(1);
  });
});

describe("the dialect of a scenario", () => {
  test("must be PostgreSQL on a server that train-sim starts", () => {
    expect(findingsOf({ dialect: "cockroachdb", target: { kind: "embedded" } })).toEqual([
      expect.stringMatching(/^dialect: target.kind embedded is a PostgreSQL server; give the URL/),
    ]);
  });

  test("is asked of a URL target if it is auto, and is postgres on an embedded server", () => {
    const settingsOf = (target: unknown) => {
      const raw = { name: "auto", dialect: "auto", target, isolation: "repeatable read" };
      const { findings, settings } = checkMapping(raw);
      expect(findings).toEqual([]);
      return settings;
    };
    expect(settingsOf(URL_TARGET)).toMatchObject({ asksDialect: true });
    expect(settingsOf({ kind: "embedded" })).toMatchObject({ asksDialect: false, dialect: "postgres" });
  });
});

describe("the tables of pgbench -i", () => {
  const OWN_SCRIPT = '{ script: look.sql, sql: "SELECT abalance FROM pgbench_accounts WHERE aid = 1;" }';
  const refusalOn = (label: string): string =>
    expect.stringMatching(
      new RegExp(`workload: ${label} refuses the tables of pgbench -i: .*VACUUM.*; use workload: accounts`),
    ) as string;

  test.each(["builtin:tpcb-like", OWN_SCRIPT])(
    "are refused by name on dialects that lack a part: %s",
    (script) => {
      const problemsOn = (dialect: string): string[] =>
        scenarioProblems(
          `name: x\nworkload: { pgbench: [${script}] }\ndialect: ${dialect}\n` +
            "target: { url: 'postgresql://app@db.example:5432/app' }",
        );
      expect(problemsOn("postgres")).toEqual([]);
      expect(problemsOn("cloudberry")).toEqual([]);
      expect(problemsOn("cockroachdb")).toEqual([refusalOn("CockroachDB")]);
      expect(problemsOn("dsql")).toEqual([refusalOn("Aurora DSQL")]);
    },
  );

  test("are refused if the server reports that it is Aurora DSQL", () => {
    const workload = { pgbench: ["builtin:tpcb-like"] };
    const { findings, settings } = checkMapping({ name: "x", dialect: "auto", target: URL_TARGET, workload });
    expect(findings).toEqual([]);
    expect(
      dialectProblems("dsql", settings).map(({ path, message }) => `${path.join(".")}: ${message}`),
    ).toEqual([refusalOn("Aurora DSQL")]);
  });
});
