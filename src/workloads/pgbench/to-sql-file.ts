// A file of SQL draws its values ahead; a script that computes and branches between statements is refused.
import { PLAIN_BEGIN } from "../script/compile.js";
import type { FileProblem, Invariant, Place, Setting, SqlStep, SqlText, Step } from "../script/program.js";
import { statementsIn, substituteVariables } from "../script/sql-text.js";
import { statementProblem } from "../script/statement-rules.js";
import { sqlStepsOf } from "../script/statements.js";
import { PRELOAD_TEXT, SCHEMA_TEXT } from "./builtin.js";
import type { PgbenchProgram, PgbenchTransaction } from "./read-pgbench.js";

const BEYOND: Readonly<Record<Exclude<Step["kind"], "sql" | "control">, string>> = {
  set: "\\set behind a statement; move it above all statements",
  sleep: "\\sleep above or below all statements; remove it, or use thinkTime in the scenario",
  pipeline: "\\startpipeline; remove it, and set pipeline: true in the scenario",
  if: "\\if; write each branch as a script of its own",
};

/** Length of a pause that `pauseOf` has read. */
function pauseText({ forMs }: Extract<Step, { readonly kind: "sleep" }>): string {
  if (forMs.kind === "constant") return `${Number(forMs.value) * 1000}us`;
  const [variable, factor] = forMs.kind === "call" ? forMs.arguments : [];
  const ms = factor?.kind === "constant" ? Number(factor.value) : 1;
  return `:${variable?.kind === "variable" ? variable.name : ""} ${{ 1000: "s", 1: "ms" }[ms] ?? "us"}`;
}

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
      ...this.body(steps),
    ];
    return `${lines.join("\n")}\n`;
  }

  /** Lines of a script's statements. Each transaction, and each statement outside of one, is a part. */
  private body(steps: readonly Step[]): string[] {
    const lines: string[] = [];
    let isOpen = false;
    let isFirst = true;
    const lastSql = steps.findLastIndex(({ kind }) => kind === "sql");
    for (const [at, step] of steps.entries()) {
      if (step.kind === "control") {
        if (step.does === "rollback")
          this.refuse(step.place, `${step.text}: a file of SQL commits each transaction; remove it`);
        else if (step.does === "begin" && step.text !== undefined && !PLAIN_BEGIN.test(step.text))
          this.refuse(step.place, `${step.text}: use isolation in the scenario`);
        isOpen = step.does === "begin";
        if (!isOpen && at < lastSql) lines.push("-- commit");
      } else if (step.kind === "sql") {
        if (step.orEnd && lines.includes("-- commit"))
          this.refuse(
            step.place,
            "or end below the first transaction; only the first one may end the script",
          );
        lines.push(...this.statementLines(step));
        if (!isOpen && at < lastSql) lines.push("-- commit");
        isFirst = false;
      } else if (step.kind === "sleep" && !isFirst && at < lastSql)
        lines.push(`-- sleep: ${pauseText(step)}`);
      else this.refuse(step.place, BEYOND[step.kind]);
    }
    return lines;
  }

  private statementLines(step: SqlStep): string[] {
    return [
      ...(step.orEnd ? ["-- returning: or end"] : []),
      ...(step.countsRows ? ["-- counts: rows"] : []),
      `${this.statement(step)};`,
    ];
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
