import { hasPooler } from "../../pools/registry.js";
import { clientsRole } from "../one-role.js";
import type { Workload } from "../workload.js";
import { audit } from "./audit.js";
import { client } from "./client.js";
import type { DrawFactory } from "./run.js";
import { hasPipeline, sendsCommits } from "./compile.js";
import { tableNames } from "./made.js";
import { migrationProblem, type Migration } from "./migrate-settings.js";
import { VARIANT_KEY, type Program } from "./program.js";
import {
  dialectProblems,
  keysOf,
  refuseSimpleProtocol,
  resolve,
  rules,
  withVariant,
  type Treatment,
} from "./settings.js";
import { countsRows } from "./statements.js";
import { sessionObjections } from "./session-state.js";
import type { OwnSqlStore } from "./store.js";
import { mysql } from "./stores/mysql.js";
import { postgres } from "./stores/postgres.js";
import type { Stores } from "../stores.js";

/** The store of the database whose syntax the program has. */
function storesOf(program: Program, file: string, migration?: Migration): Stores<OwnSqlStore> {
  if (program.syntax === "mysql") return { MySQL: mysql(program, file) };
  return { PostgreSQL: postgres(program, file, migration) };
}

/** Names of the tables that every variant has. */
function commonTableNames(program: Program): readonly string[] {
  const [names = tableNames(program.schema), ...others] = (program.variants ?? []).map(({ name }) =>
    tableNames(withVariant(program, { values: { [VARIANT_KEY]: name } }).schema),
  );
  return names.filter((name) => others.every((other) => other.includes(name)));
}

/**
 * @param file the program's name in messages
 * @param migration command that makes the tables; undefined if the program makes them
 */
export function workloadOfProgram(
  program: Program,
  file: string,
  drawFactory: DrawFactory,
  migration?: Migration,
): Workload<Treatment> {
  const names = commonTableNames(program);
  const operations = program.transactions.map(({ name }) => name);
  return {
    name: program.name,
    description: `Your own workload, from ${file}.`,
    operations: Object.fromEntries(
      program.transactions.map((transaction) => [
        transaction.name,
        {
          verb: "runs",
          unit: transaction.unit ?? (countsRows(transaction) ? "rows" : "transactions"),
        },
      ]),
    ),
    roles: { clients: clientsRole(operations) },
    settings: {
      keys: keysOf(program),
      rules: [...rules, ...(hasPipeline(program) ? [refuseSimpleProtocol] : [])],
      dialectProblems: (name, treatment) => [
        ...dialectProblems(name, treatment),
        ...(migration && name !== "postgres" ? [migrationProblem(name)] : []),
      ],
      resolve: (written) => resolve(program, written),
    },
    tables: {
      names,
      snapshot: names[0],
      lock: names[0],
      ...(migration && { hasForeignTables: true }),
    },
    // If a pooler does not keep the search path, even a single statement is sent as a transaction with COMMIT.
    withoutCommit: ({ isolation, pool }) =>
      isolation !== undefined || hasPooler(pool) || sendsCommits(program)
        ? undefined
        : "each transaction of the workload is one statement without BEGIN",
    stores: storesOf(program, file, migration),
    isSimple: true,
    // The transactions of a module are functions, which await each statement themselves.
    ...(program.syntax === undefined &&
      program.transactions.some(({ steps }) => steps.length > 0) && { canPipeline: true }),
    isUnqualified: true,
    client: (store: OwnSqlStore, context) => client(store, program, drawFactory, context),
    loading: {
      tryOut: (store: OwnSqlStore, admin, settings) => store.tryOut(admin, settings),
      preload: (store: OwnSqlStore, admin, inputs) => store.fill(admin, inputs.settings, inputs),
    },
    reporting: { lint: ({ pool }) => sessionObjections(program, file, pool) },
    auditing: {
      one: "transaction",
      acknowledged: "committed",
      violations: ["lost", "duplicated", "unexpected"],
      audit: (store: OwnSqlStore, admin, inputs) => audit(store, program, file, admin, inputs),
    },
  };
}
