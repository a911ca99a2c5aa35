// The same script in the real pgbench and in train-sim, on one server: as many transactions, and as many calls of each
// statement in pg_stat_statements. Fails with the reason if there is no pgbench.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { statementNamer } from "../../src/database/postgres/statement-names.js";
import { readPgbench } from "../../src/workloads/pgbench/read-pgbench.js";
import { statementsOf } from "../../src/workloads/script/statements.js";
import { ownDatabase } from "../support/own-database.js";
import { realPgbench } from "../support/real-pgbench.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const CLIENTS = 4;
const TRANSACTIONS = 25;
const FLOW = `\\set aid random(1, 100000 * :scale)
SELECT abalance AS b FROM pgbench_accounts WHERE aid = :aid \\gset p_
\\set twice :client_id * 2
\\if :client_id / 2
UPDATE pgbench_tellers SET tbalance = tbalance + :p_b WHERE tid = :client_id + 1;
\\else
BEGIN;
DELETE FROM pgbench_history WHERE tid = :twice;
ROLLBACK;
\\endif
DO $$ BEGIN PERFORM 1; END $$;
`;
const MODES = { prepared: "true", extended: "false", simple: "simple" } as const;
const own = ownDatabase("pgbench");
let runPgbench: (args: readonly string[]) => void;

beforeAll(async () => {
  const pgbench = await realPgbench(own);
  runPgbench = (args) => {
    const { status, stderr } = pgbench(args);
    expect(status, stderr).toBe(0);
  };
  await own.admin.query("CREATE EXTENSION pg_stat_statements");
  runPgbench(["-i", "-q", "-s", "1"]);
});

/**
 * Number of calls of the script's statements during `work`, as the server counts them. Statements that only train-sim sends
 * are left out.
 */
async function callsDuring(
  nameOf: (query: string) => string | undefined,
  work: () => Promise<void> | void,
): Promise<Record<string, number>> {
  const ofThis = "dbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
  await own.admin.query(
    "SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()",
  );
  await work();
  const rows = await own.admin.query(
    `SELECT query, sum(calls)::int AS calls FROM pg_stat_statements WHERE ${ofThis} GROUP BY query`,
  );
  const calls: Record<string, number> = {};
  for (const { query, calls: count } of rows) {
    const name = nameOf(String(query));
    if (name !== undefined) calls[name] = (calls[name] ?? 0) + Number(count);
  }
  return calls;
}

it.each([
  ["builtin:tpcb-like", "prepared", 5],
  ["builtin:tpcb-like", "simple", 5],
  ["builtin:simple-update", "extended", 3],
  ["builtin:select-only", "prepared", 1],
  ["flow.sql", "prepared", 4],
  ["flow.sql", "extended", 4],
  ["flow.sql", "simple", 4],
] as const)(
  "train-sim makes as many calls of each statement as pgbench: %s, %s",
  async (script, mode, kinds) => {
    const file = join(scratchDirectory(), "flow.sql");
    writeFileSync(file, FLOW);
    const isBuiltin = script.startsWith("builtin:");
    const source = isBuiltin ? script : { script, sql: FLOW };
    const read = readPgbench({ scripts: [source], scale: 1, define: {} }, "test");
    if ("problems" in read) throw new Error(JSON.stringify(read.problems));
    const [{ major } = {}] = await own.admin.query(
      "SELECT current_setting('server_version_num')::int / 10000 AS major",
    );
    const nameOf = statementNamer([...statementsOf(read.program).values()], Number(major));

    const theirs = await callsDuring(nameOf, () => {
      const what = isBuiltin ? ["-b", script.replace("builtin:", "")] : ["-f", file];
      const size = ["-c", String(CLIENTS), "-t", String(TRANSACTIONS), "-D", "scale=1"];
      runPgbench(["-n", "-M", mode, ...size, ...what]);
    });
    const ours = await callsDuring(nameOf, async () => {
      const out = scratchDirectory();
      const scenario = `
name: beside-pgbench
workload: { pgbench: ["${isBuiltin ? script : file}"], scale: 1 }
target: { kind: url, urls: ["${urlOf(own.endpoint)}"] }
prepared: ${MODES[mode]}
evidence: { every: off }
diagnosis: { ceiling: false }
actors:
  clients: { load: { executor: per-client-iterations, clients: ${CLIENTS}, iterations: ${TRANSACTIONS} } }
trial: { warmUp: 0, drain: false }
trials: 1
`;
      const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(onlyResultIn(out).result.treatments[0]?.trials[0]).toMatchObject({ status: "complete" });
    });
    expect(Object.keys(theirs)).toHaveLength(kinds);
    expect(ours).toEqual(theirs);
  },
);
