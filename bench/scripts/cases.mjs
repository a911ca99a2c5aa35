// Workloads that train-sim and pgbench both run: `scenarios/bank.sql`, whose script for pgbench is made from the built
// program's statements so that it cannot drift, and pgbench's own TPC-B. pgbench sends BEGIN and COMMIT as prepared
// statements, train-sim by the simple protocol: another kind of message, but as many round trips. pgbench draws no UUIDs,
// so its server does.
import { readFileSync } from "node:fs";
import { dialectOf } from "#program/database/postgres/dialects/registry.js";
import { readPgbench } from "#program/workloads/pgbench/read-pgbench.js";
import { compile } from "#program/workloads/script/compile.js";
import { statementsOf } from "#program/workloads/script/statements.js";
import { readSqlFile } from "#program/workloads/sql-file/read-sql-file.js";

/** Number of accounts. The file has 1000; with more, deadlocks, each of which takes a second to be noticed, are rare. */
const ACCOUNTS = 10_000;
/** Scale of pgbench, its number of branches: enough that a client rarely waits for another. */
export const SCALE = 10;
const TPCB = "builtin:tpcb-like";
const RETRIES = 100;
const FUNCTIONS = { uniform: "random", zipfian: "random_zipfian" };
/** SQL expressions that pgbench sends in place of variables. */
const IN_PLACE = { uuid: "gen_random_uuid()" };

const BANK = readFileSync(new URL("../../scenarios/bank.sql", import.meta.url), "utf8");

function programOf(read) {
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.program;
}

/** The expression in the syntax of pgbench. */
function inPgbench(expression) {
  if (expression.kind === "constant") return String(expression.value);
  if (expression.kind === "variable") return `:${expression.name}`;
  const name = FUNCTIONS[expression.name];
  if (name === undefined) throw new Error(`the bank has changed: pgbench has no ${expression.name}`);
  return `${name}(${expression.arguments.map(inPgbench).join(", ")})`;
}

function scriptOf({ transaction, operations }) {
  const inPlace = (variable) => {
    const parameter = transaction.parameters.find((each) => each.variable === variable);
    return IN_PLACE[parameter?.expression.name] ?? `:${variable}`;
  };
  const set = transaction.parameters
    .filter(({ expression }) => !(expression.name in IN_PLACE))
    .map(({ variable, expression }) => `\\set ${variable} ${inPgbench(expression)}`);
  const pgbenchText = ({ step, statement }, place) =>
    statement.text.replace(/\$(\d+)/g, (_, number) => place(inPlace(step.variables[number - 1])));
  const textOf = ({ texts, text }) => texts?.join("; ") ?? text;
  const sent = operations.map((operation) =>
    operation.kind === "sql" ? pgbenchText(operation, (text) => text) : textOf(operation),
  );
  return {
    name: transaction.name,
    weight: transaction.weight,
    text: [...set, ...sent.map((text) => `${text};`), ""].join("\n"),
    statements: operations.flatMap((operation) => {
      if (operation.kind !== "sql") return [];
      let parameters = 0;
      const numberParameter = (text) => (text.startsWith(":") ? `$${++parameters}` : text);
      return [{ name: operation.statement.name, text: pgbenchText(operation, numberParameter) }];
    }),
  };
}

function bank() {
  const program = programOf(readSqlFile(BANK, "bank.sql"));
  const { begin } = dialectOf("postgres");
  const compiled = compile(program, (isReadOnly) => ({
    ...{ begin: begin("read committed", isReadOnly ? "READ ONLY" : "READ WRITE") },
    ...{ setUp: undefined, isNeeded: false },
  }));
  const scripts = compiled.map(scriptOf);
  return {
    program,
    statements: [...statementsOf(program).values()],
    peerStatements: scripts.flatMap(({ statements }) => statements),
    scenario: {
      ...{ workload: { file: "bank.sql", sql: BANK }, accounts: ACCOUNTS },
      retry: { attempts: RETRIES },
    },
    scripts,
    args: ["-D", `accounts=${ACCOUNTS}`, `--max-tries=${RETRIES}`],
  };
}

/** The TPC-B case. pgbench finds its scale by itself. */
function tpcb() {
  const program = programOf(readPgbench({ scripts: [TPCB], scale: SCALE, define: {} }, "bench"));
  const statements = [...statementsOf(program).values()];
  return {
    ...{ program, statements, peerStatements: statements },
    scenario: { workload: { pgbench: [TPCB], scale: SCALE } },
    scripts: [],
    args: ["-b", TPCB.replace("builtin:", "")],
  };
}

/**
 * Cases by name: the program, its statements in each side's form, keys of a scenario, and pgbench's scripts and arguments.
 */
export const CASES = { bank: bank(), "tpcb-like": tpcb() };
