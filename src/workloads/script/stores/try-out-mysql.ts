// MySQL does not roll DDL back, so the statements are tried in the run's own namespace, which is reset and then dropped.
import type { MySqlAdmin } from "../../../database/mysql/admin.js";
import { namespaces } from "../../../database/mysql/namespaces.js";
import { messageOf } from "../../../foundation/errors.js";
import { settingLiteralIn } from "../client.js";
import { placeText, type Place, type Program, type SqlText } from "../program.js";
import type { Treatment } from "../settings.js";
import { parametrisedSql, placeIn, substituteVariables, wordsOf } from "../sql-text.js";
import { takesParameters } from "../statement-rules.js";
import { sqlStepsOf } from "../statements.js";
import { withMySqlSession } from "./mysql-session.js";

/** First words of statements in a preload that change the structure. */
const STRUCTURE_VERBS = ["CREATE", "ALTER"];
const VIEW_NAME = "train_sim_invariant";

const changesStructure = (sql: SqlText): boolean => STRUCTURE_VERBS.includes(wordsOf(sql)[0] ?? "");

/** Place of the text that a syntax error quotes, if the statement has it once; otherwise the statement's place. */
function placeOfError({ place }: SqlText, text: string, message: string): Place {
  const [, quoted = ""] = /near '([^]+)' at line \d+$/.exec(message) ?? [];
  const at = quoted === "" ? -1 : text.indexOf(quoted);
  const isOnce = at >= 0 && text.indexOf(quoted, at + 1) < 0;
  return isOnce ? { ...place, ...placeIn(text, at, place) } : place;
}

export async function tryOut(
  program: Program,
  file: string,
  admin: MySqlAdmin,
  settings: Treatment,
): Promise<readonly string[]> {
  const { namespace, dialect } = settings;
  const literalOf = settingLiteralIn(settings, "mysql");
  const problems: string[] = [];
  const tablesOf = (): readonly string[] => [];
  const tables = { variant: `sql ${program.name}`, names: [], statements: [], made: [] };
  await namespaces.reset(admin, { namespace, tables }, dialect, tablesOf);
  try {
    await withMySqlSession(admin, settings, "preflight", async (session) => {
      const refuse = (place: Place, message: string): void =>
        void problems.push(`${placeText(place, file)}: ${message}`);
      /** Runs what the server makes of the statement; resolves to true if it was accepted. */
      const attempt = async (sql: SqlText, text: string, run: () => Promise<unknown>): Promise<boolean> => {
        try {
          await run();
          return true;
        } catch (error) {
          const message = messageOf(error);
          refuse(placeOfError(sql, text, message), message);
          return false;
        }
      };
      for (const sql of [...program.schema, ...program.preload.filter(changesStructure)]) {
        const text = substituteVariables(sql, literalOf);
        await attempt(sql, text, () => session.query(text));
      }
      for (const { steps } of program.transactions)
        for (const step of sqlStepsOf(steps)) {
          if (!takesParameters(wordsOf(step))) continue;
          const text = parametrisedSql(step);
          const isTaken = await attempt(step, text, () =>
            session.query("PREPARE train_sim_statement FROM ?", [text]),
          );
          if (isTaken) await session.query("DEALLOCATE PREPARE train_sim_statement");
        }
      for (const { name, sql } of program.invariants) {
        const text = substituteVariables(sql, literalOf);
        const isTaken = await attempt(sql, text, () => session.query(`CREATE VIEW ${VIEW_NAME} AS ${text}`));
        if (!isTaken) continue;
        const columns = await session.query(`SHOW COLUMNS FROM ${VIEW_NAME}`);
        await session.query(`DROP VIEW ${VIEW_NAME}`);
        if (columns.length !== 1)
          refuse(sql.place, `invariant "${name}" returns ${columns.length} columns; it takes one`);
      }
    });
  } finally {
    await namespaces.drop(admin, namespace, dialect, tablesOf);
  }
  return problems;
}
