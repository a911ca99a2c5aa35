// The server names the table of a failed attempt, or the statement touches one only; nothing is guessed.
import type { FailurePlace } from "./contract.js";
import type { Statement } from "./sql.js";
import { InDoubtError, StatementError } from "./errors.js";

type NamedText = Pick<Statement, "name" | "text">;

export function onlyTableOfStatements(
  statements: readonly NamedText[],
  tables: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const found = statements.flatMap(({ name, text }) => {
    const named = Object.entries(tables).filter(([, qualified]) => {
      const [, ...after] = text.split(qualified);
      return after.some((rest) => !/^\w/.test(rest));
    });
    return named.length === 1 ? named.map(([table]) => [name, table] as const) : [];
  });
  return new Map(found);
}

/**
 * Returns a function that names the statement and table of a failure. `tables` maps each table's name to its qualified,
 * quoted name.
 */
export function failurePlaceFinder(
  statements: readonly NamedText[],
  tables: Readonly<Record<string, string>>,
): (error: unknown) => FailurePlace {
  const onlyTableByStatement = onlyTableOfStatements(statements, tables);
  return (error) => failurePlaceOf(error, onlyTableByStatement);
}

export function failurePlaceOf(
  error: unknown,
  onlyTableByStatement: ReadonlyMap<string, string>,
): FailurePlace {
  if (error instanceof InDoubtError) return failurePlaceOf(error.cause, onlyTableByStatement);
  if (!(error instanceof StatementError)) return {};
  const { statement, cause } = error;
  const table = tableNamedIn(cause) ?? onlyTableByStatement.get(statement);
  return { statement, ...(table !== undefined && { table }) };
}

/** The table that a message such as `could not obtain lock on row in relation "events"`, or its context, names. */
function tableNamedIn(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null) return undefined;
  const { table, message, where } = cause as { table?: unknown; message?: unknown; where?: unknown };
  if (typeof table === "string" && table !== "") return table;
  for (const text of [message, where]) {
    const named = typeof text === "string" ? /\brelation "([^"\n]{1,63})"/.exec(text)?.[1] : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}
