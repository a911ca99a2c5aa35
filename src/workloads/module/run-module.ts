// A workload that is a module of JavaScript, as a program whose transactions are its functions. It runs in the threads of
// the load, as the user that started train-sim.
import { createRequire } from "node:module";
import { commit, inReadTransaction, rollBack } from "../../database/transaction.js";
import type { Connection, Statement } from "../../database/contract.js";
import { drawUuid } from "../../foundation/prng.js";
import type { FileProblem, Invariant, Program, ReadProgram, Setting } from "../script/program.js";
import type { Begin, DrawOf, Run } from "../script/run.js";
import { statementsIn } from "../script/sql-text.js";
import type { DrawContext, Session, Transaction, WorkloadModule } from "./define.js";
import { shapeProblems } from "./shape.js";

type Loaded = WorkloadModule<Readonly<Record<string, Setting["value"]>>, unknown>;

const PLACE = { line: 1, column: 1 };
const require = createRequire(import.meta.url);

/** Of a module that was found sound. */
function load(file: string): unknown {
  const exported = require(file) as { readonly default?: unknown };
  return exported.default ?? exported;
}

/** What it exports as a program without steps, or all that is wrong with it. */
export function readModule(file: string): ReadProgram {
  const exported = load(file);
  const refuse = (message: string): FileProblem => ({ file, place: PLACE, message });
  const problems = shapeProblems(exported);
  if (problems.length > 0) return { problems: problems.map(refuse) };
  const {
    name,
    settings = {},
    schema = "",
    preload = "",
    transactions,
    invariants = [],
  } = exported as Loaded;
  const all = [schema, preload, ...invariants.map(({ sql }) => sql)].map((text) => statementsIn(text, PLACE));
  const [made, filled, ...asked] = all;
  const unknown = new Set(
    all
      .flatMap(({ statements }) => statements)
      .flatMap(({ variables }) => variables.filter((each) => !(each in settings))),
  );
  const found = [
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
    schema: made?.statements ?? [],
    preload: filled?.statements ?? [],
    transactions: Object.entries(transactions).map(([key, { weight = 1, isReadOnly = false }]) => ({
      ...{ name: key, weight, isReadOnly, isWhole: true },
      ...{ parameters: [], steps: [] },
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

/** Statements by transaction, name and text: what is prepared is known by its object. */
class Statements {
  private readonly known = new Map<string, Statement>();

  of(transaction: string, name: string, text: string): Statement {
    const key = `${transaction}.${name} ${text}`;
    const statement = this.known.get(key) ?? { name: `${transaction}.${name}`, text };
    this.known.set(key, statement);
    return statement;
  }
}

class ModuleRun implements Run {
  readonly transaction: Run["transaction"];
  readonly resolve?: NonNullable<Run["resolve"]>;

  constructor(
    name: string,
    private readonly made: Transaction<never, unknown>,
    private readonly drawn: unknown,
    private readonly begin: string,
    private readonly statements: Statements,
  ) {
    this.transaction = { name, isReadOnly: made.isReadOnly ?? false };
    if (made.resolve)
      this.resolve = (connection) =>
        inReadTransaction(
          connection,
          begin,
          async () => (await made.resolve?.(this.session(connection), drawn)) === true,
        );
  }

  valueOf(): string | number {
    return this.made.fact?.(this.drawn) ?? "";
  }

  async attempt(connection: Connection): Promise<true> {
    await connection.control("begin", this.begin);
    try {
      await this.made.run(this.session(connection), this.drawn);
    } catch (error) {
      await rollBack(connection);
      throw error;
    }
    if (this.transaction.isReadOnly) await connection.control("commit", "COMMIT");
    else await commit(connection, "COMMIT");
    return true;
  }

  private session(connection: Connection): Session {
    return {
      query: (name, text, values = []) =>
        connection.executeNamed(this.statements.of(this.transaction.name, name, text), values),
    };
  }
}

export function drawModule(file: string): DrawOf {
  return ({ assignment: { settings } }, beginOf) => {
    const { transactions } = load(file) as Loaded;
    const statements = new Statements();
    const begins = new Map(
      Object.entries(transactions).map(([name, { isReadOnly = false }]) => [
        name,
        textOf(beginOf(isReadOnly)),
      ]),
    );
    return (name, { client, prng }) => {
      const transaction = transactions[name];
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
      const drawn = transaction.draw(by);
      return new ModuleRun(name, transaction, drawn, begins.get(name) ?? "BEGIN", statements);
    };
  };
}

function textOf({ begin, setUp }: Begin): string {
  return setUp === undefined ? begin : `${begin}; ${setUp}`;
}
