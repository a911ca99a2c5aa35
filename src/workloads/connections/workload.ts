// Connections: short transactions of one statement each, so that what a connection costs is what is measured. Each client runs
// `select-account` or the script, by weight, as pgbench does with two scripts. Inserted rows have no key; the audit counts them.
import * as z from "zod";
import type { AdminClient } from "../../database/admin.js";
import type { Statement } from "../../database/contract.js";
import { dialectOf } from "../../database/dialects/registry.js";
import { asTransaction } from "../../database/transaction.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { counted } from "../../foundation/units.js";
import type { Arrival } from "../../load/arrivals.js";
import type { Finding } from "../../syntax/problems.js";
import { Mix } from "../mix.js";
import { clientsRole } from "../one-group.js";
import { ACCOUNTS, fillTables, scaleKey } from "../pgbench-tables.js";
import { examples } from "./examples.js";
import type {
  Audited,
  AuditInputs,
  ClientContext,
  PreloadInputs,
  Reported,
  Workload,
  WorkloadClient,
  WorkloadTreatment,
} from "../workload.js";
import { defaultStorageOnly } from "../common-rules.js";

const SCRIPTS = ["select-1", "insert"] as const;
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

interface ConnectionsSettings {
  readonly script: (typeof SCRIPTS)[number];
  readonly weights: { readonly account: number; readonly script: number };
  readonly scale: number;
}
type Treatment = ConnectionsSettings & WorkloadTreatment;

function weightRules({ weights }: ConnectionsSettings): Finding[] {
  if (weights.account + weights.script > 0) return [];
  return [{ path: ["weights"], message: "both weights are 0: no client would do anything" }];
}

/** Qualified and quoted. */
function tablesOf({ dialect, namespace }: Pick<Treatment, "dialect" | "namespace">) {
  const schema = dialectOf(dialect).quoteIdentifier(namespace);
  return { accounts: `${schema}.pgbench_accounts`, rows: `${schema}.test_tbl` };
}

function statementsOf(settings: Treatment) {
  const { accounts, rows } = tablesOf(settings);
  const scripts: Readonly<Record<ConnectionsSettings["script"], Statement>> = {
    "select-1": { name: "select-1", text: "SELECT 1" },
    insert: { name: "insert", text: `INSERT INTO ${rows} (id, name) VALUES (1, 'some random name')` },
  };
  const account: Statement = {
    name: "select-account",
    text: `SELECT abalance FROM ${accounts} WHERE aid = $1`,
  };
  return { account, script: scripts[settings.script] };
}

/** Inserts, over a worker's life. */
const Told = z.object({ acknowledged: z.int().min(0), inDoubt: z.int().min(0) });

function client({ assignment, transactor }: ClientContext<Treatment>): WorkloadClient {
  const { settings, trial, role, firstClient, clients } = assignment;
  const { weights, scale, script } = settings;
  const { account, script: scripted } = statementsOf(settings);
  const told = { acknowledged: 0, inDoubt: 0 };
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
  const readsOf = (aid: number): Statement => ({ ...account, text: account.text.replace("$1", String(aid)) });

  return {
    operationOf: (arrival) => mix.of(arrival),
    prepare(number, arrival) {
      if (arrival) drawn[number] = draw(number, arrival);
      else drawn[number] ??= draw(number);
    },
    async iterate(number, intendedMs) {
      const { aid } = drawn[number] ?? draw(number);
      drawn[number] = undefined;
      const plan = { client: number, intendedMs, isPoll: false, events: () => 1 };
      if (aid !== undefined) {
        const isSimple = settings.prepared === "simple";
        const [statement, values] = isSimple ? [readsOf(aid), []] : [account, [aid]];
        await transactor.run({
          ...plan,
          operation: "account",
          body: (connection) => connection.execute(statement, values),
        });
        return;
      }
      const isInsert = script === "insert";
      const end = await transactor.run({
        ...plan,
        operation: "script",
        body: (connection) => {
          const answer = connection.execute(scripted, []);
          return isInsert ? asTransaction(answer, () => undefined) : answer;
        },
        unanswered: () => {
          told.inDoubt++;
        },
      });
      if (isInsert && end.kind === "committed") told.acknowledged++;
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

async function audit(
  admin: AdminClient,
  { settings, told, unclosed }: AuditInputs<Treatment>,
): Promise<Audited> {
  const [row] = await admin.query(`SELECT count(*) AS rows FROM ${tablesOf(settings).rows}`);
  const rows = Number(row?.["rows"]);
  const sum = { acknowledged: 0, inDoubt: 0 };
  for (const { acknowledged, inDoubt } of told.map((one) => Told.parse(one))) {
    sum.acknowledged += acknowledged;
    sum.inDoubt += inDoubt;
  }
  const isWhole = unclosed.length === 0;
  const lost = Math.max(0, sum.acknowledged - rows);
  const unexpected = isWhole ? Math.max(0, rows - sum.acknowledged - sum.inDoubt) : 0;
  const violations = [
    ...(lost > 0 ? [`${lost} of ${counted(sum.acknowledged, "acknowledged row")} not in the table`] : []),
    ...(unexpected > 0 ? [`${counted(unexpected, "row")} in the table without an acknowledgement`] : []),
  ];
  const findings = {
    verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
    published: sum.acknowledged,
    inDoubt: sum.inDoubt,
    inDoubtFound: Math.min(sum.inDoubt, Math.max(0, rows - sum.acknowledged)),
    lost,
    unexpected,
    violations,
    notAudited: unclosed.map(
      (name) => `${name} ended without its count of inserts: its last ones are unknown`,
    ),
  };
  return { findings };
}

/** As pgbench states it: all transactions a second, and the same without the time that connecting took. */
function report({ operations, windowSeconds }: Reported): string[] {
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
        `CREATE TABLE {{namespace}}.test_tbl (\n  id int,\n  name varchar\n)`,
      ],
    }),
    isMarked: (variant) => variant === "workload connections",
  },
  withoutCommit: () => "each transaction of the workload is one statement without BEGIN",
  statements: (settings) => Object.values(statementsOf(settings)),
  isSimple: true,
  client,
  preload,
  audited: { one: "row", acknowledged: "inserted" },
  violations: ["lost", "unexpected"],
  audit,
  report,
  examples,
  evidence: [],
} as const satisfies Workload<Treatment>;
