// The code of a module runs in the threads of the load, with the rights of the user that started train-sim.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Failures } from "../../database/contract.js";
import { databaseSpeaking } from "../../database/registry.js";
import type { Connection, Statement } from "../../database/sql.js";
import { StatementError } from "../../database/errors.js";
import { messageOf, TrialError } from "../../foundation/errors.js";
import { drawUuid } from "../../foundation/prng.js";
import type { FileProblem, Invariant, Place, Program, ReadProgram, Setting } from "../script/program.js";
import type { DrawOf, Run } from "../script/run.js";
import type { Begin, Transactions } from "../script/store.js";
import { scriptProblem, statementProblem } from "../script/statement-rules.js";
import { statementsIn, type CutSql } from "../script/sql-text.js";
import type { DrawContext, Session, Transaction, Value, WorkloadModule } from "./define.js";
import { shapeProblems } from "./shape.js";

type LoadedModule = WorkloadModule<Readonly<Record<string, Setting["value"]>>, unknown>;

const PLACE = { line: 1, column: 1 };
const require = createRequire(import.meta.url);

/** Loads a module and returns its default export. */
function load(file: string): unknown {
  const exported = require(file) as { readonly default?: unknown };
  return exported.default ?? exported;
}

/** Reads a module as a program without steps; otherwise returns all of its problems. */
export function readModule(file: string): ReadProgram {
  const exported = load(file);
  const at = (place: Place, message: string): FileProblem => ({ file: place.file ?? file, place, message });
  const refuse = (message: string): FileProblem => at(PLACE, message);
  const problems = shapeProblems(exported);
  if (problems.length > 0) return { problems: problems.map(refuse) };
  const {
    name,
    settings = {},
    schema = "",
    preload = "",
    transactions,
    invariants = [],
  } = exported as LoadedModule;
  const made = textIn(schema, `${file} schema`);
  const filled = textIn(preload, `${file} preload`);
  const asked = invariants.map(({ name: title, sql }) => textIn(sql, `${file} invariant "${title}"`));
  const all = [made, filled, ...asked];
  const unknown = new Set(
    all
      .flatMap(({ statements }) => statements)
      .flatMap(({ variables }) => variables.filter((each) => !(each in settings))),
  );
  const found = [
    ...all.flatMap(({ unended }) =>
      unended ? [at(unended.place, `${unended.what} begins here and does not end`)] : [],
    ),
    ...[...made.statements, ...filled.statements].flatMap((sql): FileProblem[] => {
      const message = statementProblem(sql, false);
      return message === undefined ? [] : [at(sql.place, message)];
    }),
    ...[...unknown].map((variable) => refuse(`${variable} is no setting; add it to settings`)),
    ...asked.flatMap(({ statements }, i) =>
      statements.length === 1 ? [] : [refuse(`invariant ${invariants[i]?.name ?? ""} is not one statement`)],
    ),
    ...invariants
      .filter(({ acknowledged }) => acknowledged !== undefined && !transactions[acknowledged]?.fact)
      .map(({ name: title, acknowledged = "" }) =>
        refuse(`invariant ${title}: transaction ${acknowledged} has no fact`),
      ),
  ];
  if (found.length > 0) return { problems: found };
  const program: Program = {
    name,
    settings: Object.entries(settings).map(([key, value]) => ({ name: key, value, place: PLACE })),
    schema: made.statements,
    preload: filled.statements,
    transactions: Object.entries(transactions).map(([key, { weight = 1, isReadOnly = false, unit }]) => ({
      name: key,
      weight,
      isReadOnly,
      isWhole: true,
      parameters: [],
      steps: [],
      ...(unit !== undefined && { unit }),
    })),
    invariants: invariants.flatMap(({ name: title, acknowledged }, i): Invariant[] => {
      const sql = asked[i]?.statements[0];
      if (!sql) return [];
      const fact =
        acknowledged === undefined ? {} : { acknowledged: { transaction: acknowledged, variable: "fact" } };
      return [{ name: title, sql, ...fact }];
    }),
  };
  return { program };
}

/** @param file the file for places in the text */
function textIn(text: string, file: string): CutSql {
  const { statements, unended } = statementsIn(text);
  return {
    statements: statements.map((sql) => ({ ...sql, place: { ...sql.place, file } })),
    ...(unended && { unended: { ...unended, place: { ...unended.place, file } } }),
  };
}

/** Place in the module at which an error was thrown, such as `orders.mjs:12:5`; the file if the stack does not show it. */
function placeOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const from = [pathToFileURL(file).href, file].map((name) => [name, stack.indexOf(`${name}:`)] as const);
  const [name, at] = from.find(([, index]) => index >= 0) ?? [];
  const place = name === undefined ? null : /^:\d+:\d+/.exec(stack.slice((at ?? 0) + name.length));
  return `${file}${place?.[0] ?? ""}`;
}

/** Error that ends the trial because of a mistake in the module, since another attempt would fail in the same way. */
function refusedError(file: string, where: string, message: string, error?: unknown): TrialError {
  return new TrialError(`${placeOf(error, file)}: ${where}: ${message}`, "Correct the module.", {
    cause: error,
  });
}

function thrownError(file: string, where: string, error: unknown): TrialError {
  return refusedError(file, where, `threw: ${messageOf(error)}`, error);
}

function calling<T>(file: string, where: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw thrownError(file, where, error);
  }
}

class Statements {
  private readonly statements = new Map<string, Statement>();

  constructor(private readonly file: string) {}

  of(transaction: string, name: string, text: string): Statement {
    const key = `${transaction}.${name} ${text}`;
    const statements = this.statements.get(key);
    if (statements) return statements;
    for (const sql of statementsIn(text).statements) {
      const problem = scriptProblem(sql);
      if (problem !== undefined)
        throw refusedError(this.file, `${transaction}.${name}`, problem, new Error());
    }
    const statement = { name: `${transaction}.${name}`, text };
    this.statements.set(key, statement);
    return statement;
  }
}

/** State that all runs of one worker thread share. */
interface Shared {
  readonly file: string;
  readonly statements: Statements;
  readonly transactions: Transactions;
  readonly failures: Failures;
}

/** Session that the functions of a module get. */
class ModuleSession implements Session {
  foundNoRow = true;

  constructor(
    private readonly shared: Shared,
    private readonly transaction: string,
    private readonly connection: Connection,
  ) {}

  async query(name: string, text: string, values: readonly Value[] = []): ReturnType<Session["query"]> {
    const { file, statements, failures } = this.shared;
    const statement = statements.of(this.transaction, name, text);
    try {
      const rows = await this.connection.executeNamed(statement, values);
      if (this.connection.foundNoRow !== true) this.foundNoRow = false;
      return rows;
    } catch (error) {
      if (error instanceof StatementError && failures.classify(error).kind === "fatal")
        error.place = placeOf(new Error(), file);
      throw error;
    }
  }
}

class ModuleRun implements Run {
  readonly transaction: Run["transaction"];
  readonly resolve?: NonNullable<Run["resolve"]>;
  work = 1;
  foundNoRow = true;

  constructor(
    private readonly shared: Shared,
    name: string,
    private readonly made: Transaction<never, unknown>,
    private readonly drawn: unknown,
    private readonly begin: string,
  ) {
    this.transaction = { name, isReadOnly: made.isReadOnly ?? false };
    if (made.resolve)
      this.resolve = (connection) => {
        const session = this.session(connection);
        const ask = async (): Promise<unknown> => made.resolve?.(session, drawn);
        return shared.transactions.inReadTransaction(
          connection,
          begin,
          async () => (await ask().catch(this.explain("resolve"))) === true,
        );
      };
  }

  valueOf(): string | number {
    const where = `${this.transaction.name}.fact`;
    const fact: unknown = calling(this.shared.file, where, () => this.made.fact?.(this.drawn));
    if (typeof fact === "string" || typeof fact === "number") return fact;
    throw refusedError(this.shared.file, where, `returned ${String(fact)}; expected text or a number`);
  }

  async attempt(connection: Connection): Promise<true> {
    await connection.control("begin", this.begin);
    const session = this.session(connection);
    try {
      this.work = this.workOf(await this.made.run(session, this.drawn));
      this.foundNoRow = session.foundNoRow;
    } catch (error) {
      await this.shared.transactions.rollBack(connection);
      this.explain("run")(error);
    }
    if (this.transaction.isReadOnly) await connection.control("commit", "COMMIT");
    else await this.shared.transactions.commit(connection, "COMMIT");
    return true;
  }

  /** Rethrows the failure of a statement; turns any other error of the module's function into an error with its place. */
  private explain(what: string) {
    return (error: unknown): never => {
      if (error instanceof TrialError || error instanceof StatementError) throw error;
      throw thrownError(this.shared.file, `${this.transaction.name}.${what}`, error);
    };
  }

  private workOf(done: unknown): number {
    if (done === undefined) return 1;
    if (Number.isSafeInteger(done) && (done as number) >= 0) return done as number;
    const where = `${this.transaction.name}.run`;
    throw refusedError(
      this.shared.file,
      where,
      `resolved to ${typeof done === "number" ? done : `a value of type ${typeof done}`}; expected nothing, or a whole number from 0 on`,
    );
  }

  private session(connection: Connection): ModuleSession {
    return new ModuleSession(this.shared, this.transaction.name, connection);
  }
}

export function drawModule(file: string): DrawOf {
  return ({ assignment: { settings } }, transactions) => {
    const { transactions: all } = load(file) as LoadedModule;
    const { failures } = databaseSpeaking(settings.dialect);
    const shared: Shared = { file, statements: new Statements(file), transactions, failures };
    const begins = new Map(
      Object.entries(all).map(([name, { isReadOnly = false }]) => [
        name,
        textOf(transactions.begin(isReadOnly)),
      ]),
    );
    return (name, { client, prng }) => {
      const transaction = all[name];
      if (!transaction) throw new Error(`there is no transaction ${name}`);
      const random = {
        float: () => prng.float(),
        intBetween: (min: number, max: number) => prng.intBetween(min, max),
        uuid: () => drawUuid(prng),
      };
      const by: DrawContext<Readonly<Record<string, Setting["value"]>>> = {
        random,
        settings: settings.values,
        client,
      };
      const drawn = calling(file, `${name}.draw`, () => transaction.draw(by));
      return new ModuleRun(shared, name, transaction, drawn, begins.get(name) ?? "BEGIN");
    };
  };
}

function textOf({ begin, setUp }: Begin): string {
  return setUp === undefined ? begin : `${begin}; ${setUp}`;
}
