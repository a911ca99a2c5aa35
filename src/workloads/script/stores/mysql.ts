import type { MySqlAdmin } from "../../../database/mysql/admin.js";
import { openSnapshot } from "../../../database/mysql/snapshot.js";
import {
  asTransaction,
  beginText,
  commit,
  inReadTransaction,
  rollBack,
} from "../../../database/mysql/transaction.js";
import { messageOf, UsageError } from "../../../foundation/errors.js";
import { settingLiteralIn } from "../client.js";
import { createdObjectNames, tableNames } from "../made.js";
import { placeText, type Program, type SqlText } from "../program.js";
import { withVariant, type Treatment } from "../settings.js";
import { substituteVariables } from "../sql-text.js";
import { statementsOf } from "../statements.js";
import type { OwnSqlStore } from "../store.js";
import { withMySqlSession } from "./mysql-session.js";
import { tryOut } from "./try-out-mysql.js";

export function mysql(program: Program, file: string): OwnSqlStore {
  const textIn =
    (settings: Treatment) =>
    (sql: SqlText): string =>
      substituteVariables(sql, settingLiteralIn(settings, "mysql"));
  return {
    tables(settings) {
      const { schema } = withVariant(program, settings);
      const placed = schema.map((sql): [string, string] => [
        textIn(settings)(sql),
        placeText(sql.place, file),
      ]);
      return {
        variant: `sql ${program.name}`,
        statements: ["USE {{namespace}}", ...placed.map(([text]) => text)],
        made: createdObjectNames(schema),
        places: new Map(placed),
      };
    },
    statements: () => [...statementsOf(program).values()],
    transactions({ isolation }) {
      return {
        commit,
        rollBack,
        inReadTransaction,
        asTransaction: (answer) => asTransaction(answer, (all) => all),
        begin(isReadOnly) {
          const access = isReadOnly ? "READ ONLY" : "READ WRITE";
          const begin =
            isolation === undefined ? `START TRANSACTION ${access}` : beginText(isolation, access);
          return { begin, setUp: undefined, isNeeded: isolation !== undefined };
        },
      };
    },
    tryOut: (admin: MySqlAdmin, settings) => tryOut(withVariant(program, settings), file, admin, settings),
    async fill(admin: MySqlAdmin, settings, { mayContinue }) {
      const { schema, preload } = withVariant(program, settings);
      if (preload.length === 0) return;
      await withMySqlSession(admin, settings, "preload", async (session) => {
        for (const sql of preload) {
          if (!mayContinue()) return;
          await session.query(textIn(settings)(sql)).catch((error: unknown) => {
            const words = `${placeText(sql.place, file)}: preload: ${messageOf(error)}`;
            throw new UsageError(words, "Correct the statement.", { cause: error });
          });
        }
        for (const name of tableNames(schema)) await session.query(`ANALYZE TABLE ${name}`);
      });
    },
    async scan({ endpoint }: MySqlAdmin, { namespace: database }, read) {
      const snapshot = await openSnapshot({ ...endpoint, database });
      try {
        return await read({
          rows: (sql) => snapshot.query(sql),
          async *values(sql) {
            for await (const row of snapshot.rows(sql)) yield String(Object.values(row)[0]);
          },
        });
      } finally {
        await snapshot.close();
      }
    },
  };
}
