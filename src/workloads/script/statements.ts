// The statements of a program as its clients send them, named after their transaction and first word.
import type { Statement } from "../../database/sql.js";
import type { Parameter, Program, RowExpectation, ScriptTransaction, SqlStep, Step } from "./program.js";
import { takesParameters } from "./statement-rules.js";
import { parametrisedSql, wordsOf } from "./sql-text.js";

const CHANGE_VERBS = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

function isChangeWithoutReturning(words: readonly string[]): boolean {
  const verb = words[0] === "WITH" ? words.find((word) => CHANGE_VERBS.has(word)) : words[0];
  return verb !== undefined && CHANGE_VERBS.has(verb) && !words.includes("RETURNING");
}

/** Text of a step. If its changed rows must be counted, the change gets a RETURNING for every row. */
export function addRowCounting(step: SqlStep, text: string): string {
  // The answers of MySQL have the number of changed rows.
  if (step.syntax === "mysql") return text;
  return (step.expect ?? step.countsRows ?? step.orEnd) && isChangeWithoutReturning(wordsOf(step))
    ? `${text} RETURNING 1`
    : text;
}

export function sqlStepsOf(steps: readonly Step[]): SqlStep[] {
  return steps.flatMap((step) => {
    if (step.kind === "sql") return [step];
    return step.kind === "if" ? step.branches.flatMap((branch) => sqlStepsOf(branch.steps)) : [];
  });
}

/** True if rows are the transaction's units of work. */
export function countsRows({ steps }: Pick<ScriptTransaction, "steps">): boolean {
  return sqlStepsOf(steps).some((step) => step.countsRows);
}

/** All statements of a program, each once. A prepared statement is identified by its object, so objects are shared. */
export function statementsOf({
  transactions,
}: Pick<Program, "transactions">): ReadonlyMap<SqlStep, Statement> {
  const statements = new Map<SqlStep, Statement>();
  for (const { name, steps } of transactions) {
    const times = new Map<string, number>();
    for (const step of sqlStepsOf(steps)) {
      const words = wordsOf(step);
      const verb = (words[0] ?? "statement").toLowerCase();
      const isText =
        step.isMessage === true ||
        step.quoted !== undefined ||
        (step.variables.length > 0 && !takesParameters(words));
      const time = (times.get(verb) ?? 0) + 1;
      times.set(verb, time);
      statements.set(step, {
        name: `${name}.${verb}${time === 1 ? "" : `-${time}`}`,
        text: addRowCounting(step, parametrisedSql(step)),
        ...(isText && { isText }),
      });
    }
  }
  return statements;
}

/** Problem of an answer with that number of rows; undefined if the number is right. */
export function rowCountProblem(
  { operator, rows: wanted }: RowExpectation,
  rows: number,
): string | undefined {
  const holds = {
    "=": rows === wanted,
    ">": rows > wanted,
    ">=": rows >= wanted,
    "<": rows < wanted,
    "<=": rows <= wanted,
  }[operator];
  return holds ? undefined : `${rows} rows; expected ${operator} ${wanted}`;
}

/** True if a statement uses the variable and may be committed before the transaction has ended. */
export function isUsedBeforeEnd(steps: readonly SqlStep[], variable: string): boolean {
  const end = steps.findLastIndex(({ orEnd }) => orEnd);
  return steps.slice(0, Math.max(0, end)).some(({ variables }) => variables.includes(variable));
}

/** True if the transaction draws that variable or one of its statements returns it. */
export function isOwnVariable(
  { parameters, steps }: { readonly parameters: readonly Parameter[]; readonly steps: readonly SqlStep[] },
  name: string,
): boolean {
  return [...parameters, ...steps.flatMap(({ bindings }) => bindings)].some(
    ({ variable }) => variable === name,
  );
}
