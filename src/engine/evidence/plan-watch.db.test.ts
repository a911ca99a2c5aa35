// Plans on a real server: plans change with an index or statistics, and a changed plan is a caveat.
import { beforeEach, describe, expect, it } from "vitest";
import { exampleLatency, exampleResult } from "../../../test/support/example-result.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { flipSentences, type FlipSentences } from "../../report/findings/caveats.js";
import { UNCLAIMED_NAMESPACE } from "../../database/contract.js";
import { parseScenario } from "../../scenario/loader.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { WORKLOAD_NAMES, storeOf, workloadOf } from "../../workloads/registry.js";
import { prepareNamespace } from "../trial/prepare-namespace.js";
import { readPlans } from "./plan-watch.js";

const own = ownDatabase("planned");

const ITEMS = `workload:
  file: items.sql
  sql: |
    -- schema
    CREATE TABLE items (id int PRIMARY KEY, kind int NOT NULL, n int NOT NULL);
    CREATE INDEX items_kind ON items (kind);
    -- preload
    INSERT INTO items SELECT g, g, 0 FROM generate_series(1, 5000) g;
    -- name: count
    -- param: key = uniform(1, 5000)
    SELECT n FROM items WHERE kind = :key;
    UPDATE items SET n = n + 1 WHERE id = :key;
`;
const BY_INDEX = "Index Scan items_kind";
const SLOW = exampleLatency(900);
const UPDATE = "Index Scan items_pkey > Update items";

function settingsOf(text: string): TreatmentSettings {
  const yaml = `name: plans\nseed: 1\nnamespace: n\n${text}`;
  const [treatment] = parseScenario(yaml, "scenario.yaml").treatments;
  if (!treatment) throw new Error("the scenario has a treatment");
  return treatment.settings;
}

async function prepare(settings: TreatmentSettings): Promise<void> {
  const trial = { trial: { seed: 1 }, treatment: { settings }, directory: scratchDirectory() };
  await prepareNamespace({ admin: own.admin, claim: UNCLAIMED_NAMESPACE }, trial, []);
}

/** The plans that were seen, by statement. */
async function plansOf(settings: TreatmentSettings): Promise<Record<string, string>> {
  const { plans, notAssessed } = await readPlans(own.admin, settings);
  expect(notAssessed).toEqual([]);
  return Object.fromEntries(plans.map(({ statement, plan }) => [statement, plan]));
}

describe("the plans of a trial", () => {
  const settings = settingsOf(ITEMS);
  beforeEach(() => prepare(settings));

  it("are equal between trials, and a dropped index yields a plan-flip caveat", async () => {
    const first = await readPlans(own.admin, settings);
    await prepare(settings);
    const second = await readPlans(own.admin, settings);
    await own.admin.query("DROP INDEX n.items_kind");
    const third = await readPlans(own.admin, settings);
    const sentencesOf = (...trials: (typeof first)[]): FlipSentences => {
      const { treatments } = exampleResult(trials.length);
      treatments[0]?.trials.forEach((trial, i) => {
        Object.assign(trial, { plans: trials[i]?.plans });
        if (trials[i] === third) for (const own of Object.values(trial.operations)) own.responseTimeMs = SLOW;
      });
      return flipSentences(treatments);
    };
    expect(second).toEqual(first);
    expect(sentencesOf(first, second)).toEqual({ costly: [], idle: undefined });
    expect(sentencesOf(first, second, third).costly).toEqual([
      `Plan flip: count.select of jsonb: ${BY_INDEX} in trials 1, 3; Seq Scan items in trial 5. ` +
        "Find out why before using this treatment's median.",
    ]);
  });

  it("follow the statistics, and reading the plans changes no row", async () => {
    expect(await plansOf(settings)).toEqual({ "count.select": BY_INDEX, "count.update": UPDATE });
    await own.admin.query("UPDATE n.items SET kind = 1");
    await own.admin.query("ANALYZE n.items");
    expect(await plansOf(settings)).toEqual({ "count.select": "Seq Scan items", "count.update": UPDATE });
    const [row] = await own.admin.query("SELECT sum(n) AS changed FROM n.items");
    expect(Number(row?.["changed"])).toBe(0);
  });

  it("are listed as not assessed with the reason if PostgreSQL cannot plan the statements", async () => {
    await own.admin.query("ALTER TABLE n.items RENAME kind TO sort");
    const { plans, notAssessed } = await readPlans(own.admin, settings);
    expect(plans.map(({ statement }) => statement)).toEqual(["count.update"]);
    expect(notAssessed).toEqual([{ what: "plans of count.select", reason: 'column "kind" does not exist' }]);
    await own.admin.query("DROP TABLE n.items");
    expect((await readPlans(own.admin, settings)).notAssessed).toEqual([
      { what: "plans of count.select, count.update", reason: 'relation "items" does not exist' },
    ]);
  });
});

it("plans of a script with several statements in one message are not assessed", async () => {
  const scripts = `workload:
  pgbench:
    - script: several.sql
      sql: |
        SELECT count(*) FROM pgbench_tellers \\;
        DELETE FROM pgbench_tellers ;
        SELECT count(*) FROM pgbench_branches ;
`;
  const settings = settingsOf(scripts);
  await prepare(settings);
  const { plans, notAssessed } = await readPlans(own.admin, settings);
  expect(plans.map(({ plan }) => plan)).toEqual(["Seq Scan pgbench_branches > Aggregate"]);
  expect(notAssessed).toEqual([
    {
      what: "plans of several.select",
      reason: "sent as text, perhaps several statements in one message",
    },
  ]);
  const [row] = await own.admin.query("SELECT count(*) AS tellers FROM n.pgbench_tellers");
  expect(Number(row?.["tellers"])).toBe(10);
});

it.each(WORKLOAD_NAMES)("plans of workload %s cover every statement except COPY", async (name) => {
  const pool = workloadOf({ workload: name }).ownsConnections ? "pool: { strategy: own, size: 2 }\n" : "";
  const settings = settingsOf(`workload: ${name}\n${pool}`);
  await prepare(settings);
  const names = storeOf(settings)
    .statements(settings)
    .filter(({ text }) => text !== "" && !text.startsWith("COPY"))
    .map((statement) => statement.name);
  const plans = await plansOf(settings);
  expect(Object.keys(plans).sort()).toEqual([...new Set(names)].sort());
});

it("plans of PostgreSQL 15 are read from prepared statements and equal the plans of later versions", async () => {
  const settings = settingsOf("");
  await prepare(settings);
  const asked: string[] = [];
  const old = {
    ...own.admin,
    query(text: string) {
      asked.push(text);
      return text.includes("server_version_num") ? Promise.resolve([{ version: 15 }]) : own.admin.query(text);
    },
  };
  expect(await readPlans(old, settings)).toEqual(await readPlans(own.admin, settings));
  expect(asked.some((text) => text.includes("GENERIC_PLAN"))).toBe(false);
  expect(await own.admin.query("SELECT name FROM pg_prepared_statements WHERE name LIKE 'train%'")).toEqual(
    [],
  );
});

it("plans are not assessed on other dialects, with the reason", async () => {
  const what = "plans of statements";
  const cockroachdb = settingsOf("dialect: cockroachdb\ntarget: postgresql://u@db:5432/d");
  expect((await readPlans(own.admin, cockroachdb)).notAssessed).toEqual([
    { what, reason: "train-sim reads no plans of CockroachDB" },
  ]);
});

it("plans are not assessed if the connection is lost, with the reason", async () => {
  const lost = { ...own.admin, query: () => Promise.reject(new Error("lost the connection to db:5432/d")) };
  expect(await readPlans(lost, settingsOf(""))).toEqual({
    plans: [],
    notAssessed: [{ what: "plans of statements", reason: "lost the connection to db:5432/d" }],
  });
});
