// Connections: short transactions of one statement each, so that what a connection costs is what is measured. Each client runs
// `select-account` or the script, by weight, as pgbench does with two scripts.
import * as z from "zod";
import type { AdminClient } from "../../database/postgres/admin.js";
import type { Connection, Statement, StatementRow } from "../../database/sql.js";
import { asTransaction } from "../../database/postgres/transaction.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Arrival } from "../../load/arrivals.js";
import type { Finding } from "../../syntax/problems.js";
import { Mix } from "../mix.js";
import { noWrites, type Writes } from "../numbered-writes.js";
import { clientsRole } from "../one-group.js";
import { ACCOUNTS, fillTables, scaleKey } from "../pgbench-tables.js";
import { audit, idOf, NAME, VIOLATIONS } from "./audit.js";
import { examples } from "./examples.js";
import { SCRIPTS, tablesOf, type ConnectionsSettings, type Treatment } from "./settings.js";
import type { ClientContext, PreloadInputs, Reported, Workload, WorkloadClient } from "../workload.js";
import { defaultStorageOnly } from "../common-rules.js";

const weight = (what: string) =>
  z
    .number()
    .min(0)
    .max(1e6)
    .default(1)
    .meta({ description: `Weight of ${what}. Default 1.` });

const keys = {
  script: z.enum(SCRIPTS).default("insert").meta({
    description:
      "The statement beside select-account: select-1 is SELECT 1, insert adds a row without a key. Default insert.",
  }),
  weights: z
    .strictObject({
      account: weight("select-account, which reads one account by its key"),
      script: weight("the script"),
    })
    .prefault({})
    .meta({ title: "Weights", description: "How often a client runs which of the two." }),
  scale: scaleKey,
} as const;

function weightRules({ weights }: ConnectionsSettings): Finding[] {
  if (weights.account + weights.script > 0) return [];
  return [{ path: ["weights"], message: "both weights are 0: no client would do anything" }];
}

function statementsOf(settings: Treatment) {
  const { accounts, rows } = tablesOf(settings);
  const scripts: Readonly<Record<ConnectionsSettings["script"], Statement>> = {
    "select-1": { name: "select-1", text: "SELECT 1" },
    insert: { name: "insert", text: `INSERT INTO ${rows} (id, name) VALUES ($1, '${NAME}')` },
  };
  const account: Statement = {
    name: "select-account",
    text: `SELECT abalance FROM ${accounts} WHERE aid = $1`,
  };
  return { account, script: scripts[settings.script] };
}

function client({ assignment, transactor }: ClientContext<Treatment>): WorkloadClient {
  const { settings, trial, role, firstClient, clients } = assignment;
  const { weights, scale, script } = settings;
  const { account, script: scripted } = statementsOf(settings);
  const isSimple = settings.prepared === "simple";
  const told = noWrites(assignment);
  const prngs = Array.from(
    { length: clients },
    (_, number) => new Prng(deriveSeed(trial.seed, "mix", role, firstClient + number)),
  );
  /** By client: the account that it reads next, undefined for the script. */
  const drawn: ({ readonly aid: number | undefined } | undefined)[] = [];
  const mix = new Mix(weights, deriveSeed(trial.seed, role));
  const draw = (number: number, arrival?: Arrival): { readonly aid: number | undefined } => {
    const prng = prngs[number] as Prng;
    const isAccount = (arrival ? mix.of(arrival) : mix.next(prng)) === "account";
    return { aid: isAccount ? prng.intBetween(1, scale * ACCOUNTS) : undefined };
  };
  // The simple protocol has no parameters: the number is put in, as pgbench does.
  const send = (connection: Connection, { name, text }: Statement, value: number): Promise<StatementRow[]> =>
    isSimple
      ? connection.execute({ name, text: text.replace("$1", String(value)) }, [])
      : connection.execute({ name, text }, [value]);

  async function insert(plan: { client: number; intendedMs: number }): Promise<void> {
    const writes = told[plan.client] as Writes;
    const number = writes.sent++;
    const id = idOf({ client: writes.client, number });
    const end = await transactor.run({
      ...{ ...plan, isPoll: false, events: () => 1, operation: "script" },
      body: (connection: Connection) => asTransaction(send(connection, scripted, id), () => undefined),
      unanswered: () => void writes.inDoubt.push(number),
    });
    if (end.kind === "failed") writes.failed.push(number);
  }

  return {
    operationOf: (arrival) => mix.of(arrival),
    prepare(number, arrival) {
      if (arrival) drawn[number] = draw(number, arrival);
      else drawn[number] ??= draw(number);
    },
    async iterate(number, intendedMs) {
      const { aid } = drawn[number] ?? draw(number);
      drawn[number] = undefined;
      const plan = { client: number, intendedMs };
      if (aid === undefined && script === "insert") return insert(plan);
      await transactor.run({
        ...{ ...plan, isPoll: false, events: () => 1 },
        operation: aid === undefined ? "script" : "account",
        body: (connection: Connection) =>
          aid === undefined ? connection.execute(scripted, []) : send(connection, account, aid),
      });
    },
    close: () => told,
  };
}

function preload(admin: AdminClient, { settings, isWanted }: PreloadInputs<Treatment>): Promise<void> {
  const accounts = {
    table: `${tablesOf(settings).accounts} (aid, bid, abalance, filler)`,
    row: `n, (n - 1) / ${ACCOUNTS} + 1, 0, ''`,
    rows: settings.scale * ACCOUNTS,
  };
  return fillTables(admin, settings, [accounts], isWanted);
}

/** As pgbench states it: all transactions a second, and the same without the time that connecting took. */
function lines({ operations, windowSeconds }: Reported): string[] {
  const measured = Object.values(operations);
  const transactions = measured.reduce((sum, each) => sum + each.transactions, 0);
  const waitMs = measured.reduce((sum, each) => sum + each.transactions * (each.poolWaitMs?.mean ?? 0), 0);
  const clients = Math.max(1, ...measured.map((each) => each.clients ?? 0));
  const connectedSeconds = windowSeconds - waitMs / 1000 / clients;
  if (transactions === 0 || connectedSeconds <= 0) return [];
  const times = Object.entries(operations).flatMap(
    ([name, { serviceTimeMs: ms, serviceStddevMs: stddev = 0 }]) =>
      ms ? [`${name} mean ${ms.mean.toFixed(3)} ms, standard deviation ${stddev.toFixed(3)} ms`] : [],
  );
  const rate = (seconds: number): string => `${(transactions / seconds).toFixed(1)} transactions/s`;
  return [
    `${rate(windowSeconds)}, ${rate(connectedSeconds)} without the time to connect; with it: ${times.join("; ")}`,
  ];
}

export const connections = {
  name: "connections",
  description:
    "Transactions of one statement, so that connections are what costs: pools and poolers compared.",
  operations: {
    account: { verb: "runs", unit: "transactions" },
    script: { verb: "runs", unit: "transactions" },
  },
  roles: {
    clients: clientsRole(["account", "script"]),
  },
  performs: (operation, { weights }) => weights[operation as keyof typeof weights] > 0,
  settings: {
    keys,
    rules: [weightRules, defaultStorageOnly("workload connections")],
    dialectProblems: () => [],
    resolve: ({ script, weights, scale }: ConnectionsSettings): ConnectionsSettings => {
      return { script, weights, scale };
    },
    hasRole: () => true,
    examples,
  },
  tables: {
    names: ["pgbench_accounts", "test_tbl"],
    snapshot: "pgbench_accounts",
    lock: "pgbench_accounts",
    of: () => ({
      variant: "workload connections",
      files: [],
      statements: [
        `CREATE TABLE {{namespace}}.pgbench_accounts (\n  aid int PRIMARY KEY,\n  bid int,\n  abalance int,\n  filler char(84)\n)`,
        `CREATE TABLE {{namespace}}.test_tbl (\n  id bigint,\n  name varchar\n)`,
      ],
    }),
    isMarked: (variant) => variant === "workload connections",
  },
  withoutCommit: () => "each transaction of the workload is one statement without BEGIN",
  databases: ["PostgreSQL"],
  statements: (settings) => Object.values(statementsOf(settings)),
  isSimple: true,
  client,
  loading: { preload },
  auditing: { one: "row", acknowledged: "inserted", violations: VIOLATIONS, audit },
  reporting: { lines },
} as const satisfies Workload<Treatment>;
