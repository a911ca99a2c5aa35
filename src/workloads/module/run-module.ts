// The code of a module runs in the threads of the load, with the rights of the user that started train-sim.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { FailureClassifier } from "../../database/contract.js";
import { databaseOfDialect } from "../../database/registry.js";
import type { Connection, Statement } from "../../database/sql.js";
import { StatementError } from "../../database/errors.js";
import { messageOf, TrialError } from "../../foundation/errors.js";
import { drawUuid } from "../../foundation/prng.js";
import type { FileProblem, Invariant, Place, Program, ReadProgram, Setting } from "../script/program.js";
import type { DrawFactory, Run } from "../script/run.js";
import type { TransactionBegin, Transactions } from "../script/store.js";
import { scriptProblem, statementProblem } from "../script/statement-rules.js";
import { statementsIn, type CutSql } from "../script/sql-text.js";
import type { DrawContext, Session, Transaction, Value, WorkloadModule } from "./define.js";
import { shapeProblems } from "./shape.js";

type LoadedModule = WorkloadModule<Readonly<Record<string, Setting["value"]>>, unknown>;

const MODULE_START = { line: 1, column: 1 };
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
  const refuse = (message: string): FileProblem => at(MODULE_START, message);
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
  const schemaScript = moduleSql(schema, `${file} schema`);
  const preloadScript = moduleSql(preload, `${file} preload`);
  const asked = invariants.map(({ name: title, sql }) => moduleSql(sql, `${file} invariant "${title}"`));
  const all = [schemaScript, preloadScript, ...asked];
  const unknown = new Set(
    all
      .flatMap(({ statements }) => statements)
      .flatMap(({ variables }) => variables.filter((each) => !(each in settings))),
  );
  const found = [
    ...all.flatMap(({ unended }) =>
      unended ? [at(unended.place, `${unended.what} begins here and does not end`)] : [],
    ),
    ...[...schemaScript.statements, ...preloadScript.statements].flatMap((sql): FileProblem[] => {
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
    settings: Object.entries(settings).map(([key, value]) => ({ name: key, value, place: MODULE_START })),
    schema: schemaScript.statements,
    preload: preloadScript.statements,
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
function moduleSql(text: string, file: string): CutSql {
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
function moduleError(file: string, where: string, message: string, error?: unknown): TrialError {
  return new TrialError(`${placeOf(error, file)}: ${where}: ${message}`, "Correct the module.", {
    cause: error,
  });
}

function wrapThrownError(file: string, where: string, error: unknown): TrialError {
  return moduleError(file, where, `threw: ${messageOf(error)}`, error);
}

function callModule<T>(file: string, where: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw wrapThrownError(file, where, error);
  }
}

class StatementCache {
  private readonly statements = new Map<string, Statement>();

  constructor(private readonly file: string) {}

  of(transaction: string, name: string, text: string): Statement {
    const key = `${transaction}.${name} ${text}`;
    const statements = this.statements.get(key);
    if (statements) return statements;
    for (const sql of statementsIn(text).statements) {
      const problem = scriptProblem(sql);
      if (problem !== undefined) throw moduleError(this.file, `${transaction}.${name}`, problem, new Error());
    }
    const statement = { name: `${transaction}.${name}`, text };
    this.statements.set(key, statement);
    return statement;
  }
}

/** State that all runs of one worker thread share. */
interface ThreadState {
  readonly file: string;
  readonly statements: StatementCache;
  readonly transactions: Transactions;
  readonly failures: FailureClassifier;
}

/** Session that the functions of a module get. */
class ModuleSession implements Session {
  foundNoRow = true;

  constructor(
    private readonly shared: ThreadState,
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
    private readonly shared: ThreadState,
    name: string,
    private readonly moduleTransaction: Transaction<never, unknown>,
    private readonly drawnValue: unknown,
    private readonly begin: string,
  ) {
    this.transaction = { name, isReadOnly: moduleTransaction.isReadOnly ?? false };
    if (moduleTransaction.resolve)
      this.resolve = (connection: Connection) => {
        const session = this.session(connection);
        const ask = async (): Promise<unknown> => moduleTransaction.resolve?.(session, drawnValue);
        return shared.transactions.inReadTransaction(
          connection,
          begin,
          async () => (await ask().catch(this.explain("resolve"))) === true,
        );
      };
  }

  valueOf(): string | number {
    const where = `${this.transaction.name}.fact`;
    const fact: unknown = callModule(this.shared.file, where, () =>
      this.moduleTransaction.fact?.(this.drawnValue),
    );
    if (typeof fact === "string" || typeof fact === "number") return fact;
    throw moduleError(this.shared.file, where, `returned ${String(fact)}; expected text or a number`);
  }

  async attempt(connection: Connection): Promise<true> {
    await connection.control("begin", this.begin);
    const session = this.session(connection);
    try {
      this.work = this.workOf(await this.moduleTransaction.run(session, this.drawnValue));
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
      throw wrapThrownError(this.shared.file, `${this.transaction.name}.${what}`, error);
    };
  }

  private workOf(done: unknown): number {
    if (done === undefined) return 1;
    if (Number.isSafeInteger(done) && (done as number) >= 0) return done as number;
    const where = `${this.transaction.name}.run`;
    throw moduleError(
      this.shared.file,
      where,
      `resolved to ${typeof done === "number" ? done : `a value of type ${typeof done}`}; expected nothing, or a whole number from 0 on`,
    );
  }

  private session(connection: Connection): ModuleSession {
    return new ModuleSession(this.shared, this.transaction.name, connection);
  }
}

export function moduleDrawFactory(file: string): DrawFactory {
  return ({ assignment: { settings } }, transactions) => {
    const { transactions: all } = load(file) as LoadedModule;
    const { failures } = databaseOfDialect(settings.dialect);
    const shared: ThreadState = { file, statements: new StatementCache(file), transactions, failures };
    const beginTexts = new Map(
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
      const drawnValue = callModule(file, `${name}.draw`, () => transaction.draw(by));
      return new ModuleRun(shared, name, transaction, drawnValue, beginTexts.get(name) ?? "BEGIN");
    };
  };
}

function textOf({ begin, setUp }: TransactionBegin): string {
  return setUp === undefined ? begin : `${begin}; ${setUp}`;
}
