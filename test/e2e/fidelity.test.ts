// Compares a result with the database's view of the same run, exactly: transactions, events and passes with the calls and
// rows of `pg_stat_statements` and with the tables, for every shape of statements; and clients x window with the time that
// clients account for. The window holds the whole load (no warm-up, a budget of iterations, no drain), so that nothing is
// estimated. The run has a separate database, where an event trigger counts the tables just before train-sim drops them.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { casesOf, fullIt } from "../support/lanes.js";
import type { AdminClient } from "../../src/database/postgres/admin.js";
import { eventOperations } from "../../src/workloads/train-events/stores/operations.js";
import { statementNamer } from "../../src/database/postgres/statement-names.js";
import type { OperationResult, TrialResult } from "../../src/results/result-schema.js";
import { testNamespace } from "../support/namespace.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";
import { STATEMENT_SHAPES, type StatementShape } from "../../src/workloads/train-events/settings.js";

const CLIENTS = 8;
const ITERATIONS = 25;
const own = ownDatabase("fidelity");
const namespace = testNamespace("fidelity");
let admin: AdminClient;

/** SQL of an event trigger that stores the tables' counts before train-sim drops them. */
const WITNESS = [
  "CREATE EXTENSION pg_stat_statements",
  `CREATE TABLE public.seen (live bigint, statuses bigint, archived bigint, passes bigint)`,
  `CREATE FUNCTION public.look() RETURNS event_trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF to_regclass('${namespace}.event_status') IS NULL THEN RETURN; END IF;
     INSERT INTO public.seen SELECT
       (SELECT count(*) FROM ${namespace}.events),
       (SELECT count(*) FROM ${namespace}.event_status),
       (SELECT count(*) FROM ${namespace}.events_archive),
       (SELECT sum(attempts) FROM (SELECT attempts FROM ${namespace}.event_status
                                   UNION ALL SELECT attempts FROM ${namespace}.events_archive) AS a);
   END $$`,
  "CREATE EVENT TRIGGER look ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION public.look()",
];

beforeAll(async () => {
  admin = own.admin;
  for (const statement of WITNESS) await admin.query(statement);
});
beforeEach(async () => {
  await admin.query("TRUNCATE public.seen");
  await admin.query(
    `SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()`,
  );
});

async function run(rest: string): Promise<TrialResult> {
  const out = scratchDirectory();
  const scenario = `
name: fidelity
seed: 11
namespace: ${namespace}
target: { kind: url, urls: ["${urlOf(own.endpoint)}"] }
payload: text
batch: { min: 1, max: 20 }
evidence: { every: off }
diagnosis: { ceiling: false }
trials: 1
${rest}`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  if (!trial) throw new Error("no trial");
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0, duplicated: 0 } });
  return trial;
}

interface Seen {
  readonly calls: number;
  readonly rows: number;
}

/** Numbers of calls and rows of each statement as the server counts them, by the statement's name. */
async function countStatements(statementShape: StatementShape): Promise<Record<string, Seen>> {
  const workload = eventOperations({
    ...{ dialect: "postgres", namespace, payload: "text", statementShape },
    ...{ locking: "skip-locked", isolation: "read committed" },
  });
  const [{ major } = {}] = await admin.query(
    "SELECT current_setting('server_version_num')::int / 10000 AS major",
  );
  const nameOf = statementNamer(workload.statements, Number(major));
  const rows = await admin.query(
    `SELECT query, sum(calls)::int AS calls, sum(rows)::int AS rows FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY query`,
  );
  const named = rows.flatMap(({ query, calls, rows: seen }) => {
    const name = nameOf(String(query));
    return name === undefined ? [] : [[name, { calls: Number(calls), rows: Number(seen) }] as const];
  });
  expect(new Set(named.map(([name]) => name)).size, "each under one text").toBe(named.length);
  return Object.fromEntries(named);
}

type Counts = Pick<OperationResult, "transactions" | "events" | "emptyPolls">;

/** Number of calls of each statement that the shape must make, computed from the figures of the result. */
function expectedCalls(
  shape: StatementShape,
  operations: Readonly<Record<"add" | "process" | "archive", Counts>>,
): Record<string, Seen> {
  const { add, process, archive } = operations;
  const polls = ({ transactions, emptyPolls, events }: Counts): Seen => ({
    calls: transactions + emptyPolls,
    rows: events,
  });
  if (shape === "single-statement")
    return { add: polls(add), process: polls(process), archive: polls(archive) };
  const writes = ({ transactions, events }: Counts): Seen => ({
    calls: shape === "row-by-row" ? events : transactions,
    rows: events,
  });
  return {
    ...{ "add.events": writes(add), "add.status": writes(add) },
    ...{ "process.claim": polls(process), "process.advance": writes(process) },
    ...{ "process.payload": writes(process), "archive.claim": polls(archive) },
    ...{ "archive.copy": writes(archive), "archive.delete-status": writes(archive) },
    ...{ "archive.delete-events": writes(archive) },
  };
}

function operationOf(trial: TrialResult, name: "add" | "process" | "archive" | "__cycle__"): OperationResult {
  const operation = trial.operations[name];
  if (!operation) throw new Error(`nothing was measured of ${name}`);
  expect(operation, name).toMatchObject({ retries: 0, failures: {} });
  return operation;
}

describe("the counts of a result", () => {
  it.each(casesOf(STATEMENT_SHAPES, 1))(
    "equal the counts of the server and of the tables with statement shape %s",
    async (shape) => {
      const trial = await run(`
statementShape: ${shape}
topology: cycle
appDelay: 0
actors:
  cycle:
    workers: 2
    load: { executor: per-client-iterations, clients: ${CLIENTS}, iterations: ${ITERATIONS}, maxDuration: 50s }
trial: { warmUp: 0s, drain: false }`);
      const add = operationOf(trial, "add");
      const process = operationOf(trial, "process");
      const archive = operationOf(trial, "archive");
      const rounds = operationOf(trial, "__cycle__");
      expect(add.transactions).toBe(CLIENTS * ITERATIONS);
      expect(rounds).toMatchObject({ transactions: CLIENTS * ITERATIONS, events: archive.events });
      expect(archive.events, "nothing to compare").toBeGreaterThan(0);

      expect(await countStatements(shape)).toEqual(expectedCalls(shape, { add, process, archive }));

      const [seen] = await admin.query(
        "SELECT live::int, statuses::int, archived::int, passes::int FROM public.seen",
      );
      const live = add.events - archive.events;
      expect(seen).toEqual({ live, statuses: live, archived: archive.events, passes: process.events });
      expectClosure(trial, CLIENTS);
      expectServiceTimes(trial, [add, process, archive]);
    },
  );
});

/** Little's law: clients x window equals the time that the clients account for. */
function expectClosure({ client, windowSeconds }: TrialResult, clients: number): void {
  const { accountedMs } = client ?? {};
  if (!accountedMs) throw new Error("the clients' time was not accounted for");
  const sumMs = Object.values(accountedMs).reduce((sum, ms) => sum + ms, 0);
  expect(sumMs / (clients * windowSeconds * 1000)).toBeGreaterThan(0.99);
  expect(sumMs / (clients * windowSeconds * 1000)).toBeLessThan(1.01);
}

/**
 * Expects that the clients' time accounts and the histograms, which are recorded separately, have the same service time.
 * They may differ only by the rounding of histograms (0.1 %, and a microsecond each), since all transactions lie inside the
 * window.
 */
function expectServiceTimes({ client }: TrialResult, operations: readonly OperationResult[]): void {
  const transactions = operations.reduce((sum, each) => sum + each.transactions, 0);
  const recordedMs = operations.reduce(
    (sum, { serviceTimeMs, transactions: n, emptyPollTotalMs }) =>
      sum + (serviceTimeMs?.mean ?? 0) * n + emptyPollTotalMs,
    0,
  );
  const bookedMs = client?.accountedMs?.service ?? 0;
  expect(Math.abs(recordedMs - bookedMs)).toBeLessThan(bookedMs * 0.001 + transactions * 0.001);
}

fullIt(
  "client time adds up to clients x window (Little's law) though the window cuts transactions at both ends",
  async () => {
    const trial = await run(`
appDelay: 5ms
actors:
  producers: { load: { executor: constant-clients, clients: 2, thinkTime: 20ms } }
  consumers: { load: { executor: constant-clients, clients: 4 } }
  archivers: { load: { executor: constant-clients, clients: 2 } }
trial: { warmUp: 300ms, duration: 1500ms, drain: false }`);
    expectClosure(trial, CLIENTS);
    const { service = 0, waiting = 0, idle = 0 } = trial.client?.accountedMs ?? {};
    for (const ms of [service, waiting, idle]) expect(ms).toBeGreaterThan(0);
  },
);
