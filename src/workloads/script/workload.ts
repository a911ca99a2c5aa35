// A workload made of a program: one group of clients with every executor, its transactions as operations, its tables in
// train-sim's namespace, its invariants as the audit.
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { withSearchPath } from "../../database/endpoint.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { messageOf, UsageError } from "../../foundation/errors.js";
import { hasPooler } from "../../pools/registry.js";
import { clientsRole } from "../one-group.js";
import type { PreloadInputs, Workload } from "../workload.js";
import { auditOf } from "./audit.js";
import { clientOf, literalIn } from "./client.js";
import type { DrawOf } from "./run.js";
import { sendsCommits } from "./machine.js";
import { madeBy, tableNames } from "./made.js";
import { placeText, type Program } from "./program.js";
import { dialectProblems, keysOf, resolve, rules, type Treatment } from "./settings.js";
import { countsRows, statementsOf } from "./statements.js";
import { substituted } from "./sql-text.js";
import { tryOutOf } from "./try-out.js";

/**
 * @param file what messages call it
 * @param drawOf what its clients run
 */
export function workloadOfProgram(program: Program, file: string, drawOf: DrawOf): Workload<Treatment> {
  const names = tableNames(program.schema);
  const operations = program.transactions.map(({ name }) => name);
  return {
    name: program.name,
    description: `A workload of one's own, from ${file}.`,
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
      rules,
      dialectProblems,
      resolve: (written) => resolve(program, written),
      hasRole: () => true,
    },
    tables: {
      names,
      snapshot: names[0],
      lock: names[0],
      of(settings) {
        // Of a transaction where DDL has one; else it stays with the session, whose own statements name every schema.
        const set = dialectOf(settings.dialect).supportsTransactionalDdl ? "SET LOCAL" : "SET";
        const placed = program.schema.map((sql): [string, string] => [
          substituted(sql, literalIn(settings)),
          placeText(sql.place, file),
        ]);
        return {
          variant: `sql ${program.name}`,
          files: [],
          statements: [`${set} search_path TO {{namespace}}`, ...placed.map(([text]) => text)],
          made: madeBy([...program.schema, ...program.preload]),
          places: new Map(placed),
        };
      },
      isMarked: () => false,
    },
    // A pooler that does not keep the search path makes a transaction of each statement.
    withoutCommit: ({ isolation, pool }) =>
      isolation !== undefined || hasPooler(pool) || sendsCommits(program)
        ? undefined
        : "each transaction of the workload is one statement without BEGIN",
    databases: ["PostgreSQL"],
    statements: () => [...statementsOf(program).values()],
    isSimple: true,
    isUnqualified: true,
    client: clientOf(program, drawOf),
    loading: {
      tryOut: tryOutOf(program, file),
      preload: (admin: AdminClient, inputs) => preload(program, file, admin, inputs),
    },
    auditing: {
      ...{ one: "transaction", acknowledged: "committed" },
      violations: ["lost", "duplicated", "unexpected"],
      audit: auditOf(program, file),
    },
  };
}

async function preload(
  program: Program,
  file: string,
  admin: AdminClient,
  { settings, isWanted }: PreloadInputs<Treatment>,
): Promise<void> {
  if (program.preload.length === 0) return;
  const searchPath = dialectOf(settings.dialect).quoteIdentifier(settings.namespace);
  const client = await connectAdmin(withSearchPath(admin.endpoint, searchPath), {
    purpose: "preload",
  });
  try {
    for (const sql of program.preload) {
      if (!isWanted()) return;
      await client.query(substituted(sql, literalIn(settings))).catch((error: unknown) => {
        throw new UsageError(
          `${placeText(sql.place, file)}: preload: ${messageOf(error)}`,
          "Correct the statement.",
          { cause: error },
        );
      });
    }
    for (const name of tableNames(program.schema)) await client.query(`ANALYZE ${name}`);
  } finally {
    await client.close();
  }
}
