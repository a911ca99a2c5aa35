// A file of SQL has one transaction for each name, with values drawn ahead; a script that does more is refused.
import { PLAIN_BEGIN } from "../script/compile.js";
import type { FileProblem, Invariant, Place, Setting, SqlStep, SqlText, Step } from "../script/program.js";
import { statementsIn, substituteVariables } from "../script/sql-text.js";
import { statementProblem } from "../script/statement-rules.js";
import { sqlStepsOf } from "../script/statements.js";
import { PRELOAD_TEXT, SCHEMA_TEXT } from "./builtin.js";
import type { PgbenchProgram, PgbenchTransaction } from "./read-pgbench.js";

const BEYOND: Readonly<Record<Exclude<Step["kind"], "sql">, string>> = {
  control: "a file of SQL has one transaction for each name; split the script at its ends",
  set: "\\set behind a statement; move it above all statements",
  sleep: "\\sleep; remove it, or use thinkTime in the scenario",
  pipeline: "\\startpipeline; remove it, and set pipeline: true in the scenario",
  if: "\\if; write each branch as a script of its own",
};

const sqlFileText = (sql: SqlText): string => substituteVariables(sql, (name) => `:${name}`);

class Printer {
  readonly problems: FileProblem[] = [];

  constructor(private readonly program: PgbenchProgram) {}

  text(): string {
    const { settings, transactions, invariants } = this.program;
    const files = transactions.map(({ file }) => file);
    const names = transactions.map((each) => this.transaction(each));
    const usesPgbenchTables = transactions.some((each) =>
      sqlStepsOf(each.steps).some(({ pieces }) => /\bpgbench_/.test(pieces.join(" "))),
    );
    const tables = usesPgbenchTables
      ? [`-- schema\n${SCHEMA_TEXT}`, `-- preload\n${PRELOAD_TEXT}`]
      : ["-- schema\n-- (write the tables of the script here)\n"];
    return [
      `-- workload: ${transactions.length === 1 ? (transactions[0]?.name ?? "") : "pgbench"}
-- Imported from ${files.join(", ")} by train-sim import pgbench.
${settings.map(settingLine).join("")}`,
      ...tables,
      ...names,
      ...invariants.map(invariantText),
    ].join("\n");
  }

  private refuse(place: Place, message: string): void {
    this.problems.push({ file: place.file ?? "", place, message });
  }

  private transaction({ name, weight, isReadOnly, parameters, steps }: PgbenchTransaction): string {
    const namedVariables = new Set(this.program.settings.map((setting) => setting.name));
    for (const { variable, place } of parameters) {
      if (namedVariables.has(variable))
        this.refuse(place, `${variable} has a value already; call it otherwise`);
      namedVariables.add(variable);
    }
    const lines = [
      `-- name: ${name}`,
      ...(this.program.transactions.length > 1 ? [`-- weight: ${weight}`] : []),
      ...(isReadOnly ? ["-- readonly"] : []),
      ...parameters.map(({ variable, text }) => `-- param: ${variable} = ${text}`),
      ...this.body(steps).flatMap((step) => [
        ...(step.orEnd ? ["-- returning: or end"] : []),
        ...(step.countsRows ? ["-- counts: rows"] : []),
        `${this.statement(step)};`,
      ]),
    ];
    return `${lines.join("\n")}\n`;
  }

  /** Statements of a script that consists of one statement or of one transaction; refuses other scripts. */
  private body(steps: readonly Step[]): SqlStep[] {
    const [first, ...others] = steps;
    const last = others.at(-1);
    const isOneTransaction = first?.kind === "control" && last?.kind === "control" && last.does === "commit";
    if (isOneTransaction && !PLAIN_BEGIN.test(first.text))
      this.refuse(first.place, `${first.text}: use isolation in the scenario`);
    const bodySteps = isOneTransaction ? others.slice(0, -1) : steps;
    const statements = bodySteps.filter((step) => step.kind === "sql");
    for (const step of bodySteps) if (step.kind !== "sql") this.refuse(step.place, BEYOND[step.kind]);
    const [, second] = statements;
    if (!isOneTransaction && second)
      this.refuse(second.place, "a second statement outside of BEGIN and END; a file of SQL would join them");
    return statements;
  }

  private statement(step: SqlStep): string {
    const problem = statementProblem(step, true);
    if (problem !== undefined) this.refuse(step.place, problem);
    if (step.columns)
      this.refuse(step.place, "\\gset takes every column; a file of SQL names them with -- returning:");
    const text = sqlFileText(step);
    const [again, ...others] = statementsIn(text).statements;
    const isSame = others.length === 0 && again?.variables.join() === step.variables.join();
    if (!isSame)
      this.refuse(step.place, "statements joined by \\;, or variables in quotes: a file of SQL has neither");
    return text;
  }
}

function settingLine({ name, value }: Setting): string {
  return `-- setting: ${name} = ${typeof value === "string" ? `'${value}'` : String(value)}\n`;
}

function invariantText({ name, sql }: Invariant): string {
  return `-- invariant: ${name}\n${sqlFileText(sql)};\n`;
}

export function toSqlFile(
  program: PgbenchProgram,
): { readonly text: string } | { readonly problems: readonly FileProblem[] } {
  const printer = new Printer(program);
  const text = printer.text();
  return printer.problems.length > 0 ? { problems: printer.problems } : { text };
}
