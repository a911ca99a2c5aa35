// The built program on MySQL and MariaDB: documents of several servers in one experiment, and a user's SQL file.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { mySqlUrlOf, useMySqlServer } from "../support/mysql-servers.js";
import { testNamespace } from "../support/namespace.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const mysql = useMySqlServer("mysql");
const mariadb = useMySqlServer("mariadb");
const LOAD =
  "actors: { clients: { workers: 1, load: { executor: per-client-iterations, clients: 4, iterations: 25 } } }";
const SHORT = `namespace: ${testNamespace("e2e")}
diagnosis: { ceiling: false }
trial: { warmUp: 0, drain: false }
trials: 1
${LOAD}
`;

it("documents in PostgreSQL, MySQL and MariaDB are measured and audited in one experiment", async () => {
  const out = join(scratchDirectory(), "results");
  const [first, second] = [mysql, mariadb].map((server) => mySqlUrlOf(server().endpoint));
  const scenario = `name: databases
workload: documents
documents: 50
keys: zipfian
${SHORT}factors:
  target: [{ kind: embedded }, "${first ?? ""}", "${second ?? ""}"]
  index: [generated-stored]
  mix: [C, load, A]
`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { treatments } = onlyResultIn(out).result;
  expect(treatments).toHaveLength(9);
  for (const { levels, trials } of treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    const done = Object.values(operations).reduce((sum, { transactions }) => sum + transactions, 0);
    expect(done, JSON.stringify(levels)).toBe(100);
    const { insert, update } = operations;
    const written = (insert?.transactions ?? 0) + (update?.transactions ?? 0);
    expect(integrity).toMatchObject({ verdict: "ok", published: written, lost: 0, misread: 0 });
    expect(written > 0, JSON.stringify(levels)).toBe(levels["mix"] !== "C");
  }
}, 200_000);

it("a SQL file runs on MariaDB, and a statement that the server refuses ends the run with its line", async () => {
  const directory = scratchDirectory();
  const out = join(directory, "results");
  const sql = (amount: string): string => `-- schema
CREATE TABLE payment (id char(36) PRIMARY KEY, note varchar(40) DEFAULT 'it\\'s', amount int NOT NULL); # all
-- name: pay
-- param: id = uuid()
-- param: amount = uniform(1, 9)
INSERT INTO payment (id, ${amount}) VALUES (:id, :amount);
-- invariant: every payment is there
-- acknowledged: pay.id
SELECT id FROM \`payment\`;
-- invariant: amounts are positive
SELECT coalesce(min(amount), 1) > 0 FROM payment;
`;
  const file = writeScenarioFile(`name: pays
workload: ./pays.sql
target: "${mySqlUrlOf(mariadb().endpoint)}"
${SHORT}`);
  writeFileSync(join(dirname(file), "pays.sql"), sql("amount"));
  const ended = await trainSim(["run", file, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial = expect.fail("no trial")] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial.operations["pay"]?.transactions).toBe(100);
  expect(trial.integrity).toMatchObject({ verdict: "ok", published: 100, lost: 0 });
  writeFileSync(join(dirname(file), "pays.sql"), sql("amont"));
  const refused = await trainSim(["run", file, "--out", out, "--quiet"]);
  expect(refused.exitCode).toBe(104);
  expect(refused.stderr).toMatch(/pays\.sql:6:\d+: .*amont/);
}, 120_000);

it("workloads without a store for MySQL are refused with those that have one", async () => {
  const target = `target: "${mySqlUrlOf(mysql().endpoint)}"\n`;
  const refusalOf = async (lines: string): Promise<string> => {
    const refused = await trainSim(["validate", writeScenarioFile(`name: x\n${target}${lines}`)]);
    expect(refused.exitCode).toBe(104);
    return refused.stderr.replace(/\s+/g, " ");
  };
  expect(await refusalOf("")).toContain("workload train-events has no store for MySQL");
  expect(await refusalOf("")).toContain("On MySQL there are: accounts, documents");
  expect(await refusalOf("workload: { pgbench: ['builtin:tpcb-like'] }\n")).toContain(
    "has no store for MySQL",
  );
});
