// The clients of a user's workload. They keep the values of acknowledged transactions that the invariants need.
import * as z from "zod";
import { monotonicMs } from "../../foundation/clock.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { SqlSession } from "../../database/sql.js";
import type { Arrival } from "../../load/arrivals.js";
import { IdleBackoff } from "../../clients/idle-backoff.js";
import { Mix } from "../mix.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import { evaluate } from "./expression.js";
import { compile } from "./compile.js";
import { sqlLiteral, ScriptRun } from "./machine.js";
import type { Invariant, Program, SqlSyntax, Value } from "./program.js";
import type { DrawFactory, Run } from "./run.js";
import type { Treatment } from "./settings.js";
import { placeholder, substituteVariables } from "./sql-text.js";
import type { TransactionBegin, OwnSqlStore, Transactions } from "./store.js";

/** A worker's account, by invariant: values of acknowledged transactions, and of transactions that ended in doubt. */
export const WorkerAccount = z.object({
  acknowledged: z.record(z.string(), z.array(z.string())),
  inDoubt: z.record(z.string(), z.array(z.string())),
  /** Number of acknowledged transactions that write something. */
  committed: z.int().min(0),
  doubtful: z.int().min(0),
});

/** Text of a value as the database would return it. */
const textOf = (value: Value): string => (value === null ? "" : String(value));

/** A setting's value as expressions take it. */
export function toExpressionValue(value: number | string | boolean): Value {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Returns the function that writes the value of a setting as SQL. */
export function settingLiteralIn(
  { values }: Pick<Treatment, "values">,
  syntax?: SqlSyntax,
): (setting: string) => string {
  return (setting) => sqlLiteral(toExpressionValue(values[setting] ?? ""), syntax);
}

type SettleCommit = (session: SqlSession, run: Run) => Promise<boolean>;

/**
 * Functions that query whether a transaction in doubt was committed, by the transaction's name. They use the query of its
 * invariant.
 */
function settleFunctionsOf(
  program: Program,
  settings: Treatment,
  transactions: Transactions,
): Map<string, SettleCommit> {
  const { begin, setUp } = transactions.begin(true);
  return new Map(
    program.invariants.flatMap(({ name, sql, acknowledged }: Invariant): [string, SettleCommit][] => {
      // A lookup of one part's id says nothing of the other parts.
      const isWhole = program.transactions.some(
        (each) => each.isWhole && each.name === acknowledged?.transaction,
      );
      if (!acknowledged || !isWhole) return [];
      const rows = `acknowledged (value) AS (${substituteVariables(sql, settingLiteralIn(settings, sql.syntax))})`;
      const text = `WITH ${rows} SELECT 1 FROM acknowledged WHERE value = ${placeholder(1, sql.syntax)} LIMIT 1`;
      const statement = { name: `settle.${name}`, text };
      const settle: SettleCommit = async (connection, run) => {
        const values = [textOf(run.valueOf(acknowledged.variable))];
        const ask = async (): Promise<boolean> => (await connection.execute(statement, values)).length > 0;
        return setUp === undefined
          ? ask()
          : transactions.inReadTransaction(connection, `${begin}; ${setUp}`, ask);
      };
      return [[acknowledged.transaction, settle]];
    }),
  );
}

/** Returns the function that draws transactions of a program whose steps are SQL. */
export function scriptDrawFactory(program: Program, file: string): DrawFactory {
  return ({ assignment: { settings, trial } }, transactions) => {
    const beginOf = (isReadOnly: boolean): TransactionBegin => transactions.begin(isReadOnly);
    const compiled = new Map(compile(program, beginOf).map((each) => [each.transaction.name, each]));
    const initialVariables = [
      ["default_seed", BigInt(deriveSeed(trial.seed, "default_seed"))] as const,
      ["random_seed", BigInt(trial.seed)] as const,
      ...Object.entries(settings.values).map(([name, value]): [string, Value] => [
        name,
        toExpressionValue(value),
      ]),
    ];
    const isSimple = settings.prepared === "simple";
    const options = {
      file,
      prng: new Prng(0),
      isSimple,
      isPipelined: settings.pipeline === true,
      transactions,
    };
    return (name, { client, prng }) => {
      const chosen = compiled.get(name);
      if (!chosen) throw new Error(`there is no transaction ${name}`);
      const values = new Map<string, Value>(initialVariables).set("client_id", BigInt(client));
      const valueOf = (variable: string): Value => values.get(variable) ?? null;
      for (const { variable, expression } of chosen.transaction.parameters)
        values.set(variable, evaluate(expression, { valueOf, prng }));
      return new ScriptRun(chosen, values, prng.uint32(), options);
    };
  };
}

export function client(
  store: OwnSqlStore,
  program: Program,
  drawFactory: DrawFactory,
  context: ClientContext<Treatment>,
): WorkloadClients {
  const { assignment, transactor, recorder, sleeper } = context;
  const { settings, trial, role, firstClient, clients, endpoints } = assignment;
  const transactions = store.transactions(settings, endpoints);
  const draw = drawFactory(context, transactions);
  const weights = Object.fromEntries(program.transactions.map(({ name, weight }) => [name, weight]));
  const mix = new Mix(weights, deriveSeed(trial.seed, role));
  const drawSources = Array.from({ length: clients }, (_, number) => {
    const client = firstClient + number;
    return { client, prng: new Prng(deriveSeed(trial.seed, "draw", role, client)) };
  });
  const settleFunctions = settleFunctionsOf(program, settings, transactions);
  const account: z.infer<typeof WorkerAccount> = { acknowledged: {}, inDoubt: {}, committed: 0, doubtful: 0 };
  const drawnRuns: (Run | undefined)[] = [];
  const idle = new IdleBackoff(clients, sleeper, context.time);

  function next(number: number, arrival?: Arrival): Run {
    const drawSource = drawSources[number];
    if (!drawSource) throw new RangeError(`there is no client ${number}`);
    return draw(arrival ? mix.of(arrival) : mix.next(drawSource.prng), drawSource);
  }

  /**
   * Returns a function that finds out whether a run's commit in doubt happened; undefined if neither an invariant nor the
   * module can show it.
   */
  function settleOf(run: Run): ((session: SqlSession) => Promise<true | undefined>) | undefined {
    const settleByInvariant = settleFunctions.get(run.transaction.name);
    const asked =
      run.resolve?.bind(run) ??
      (settleByInvariant && ((session: SqlSession) => settleByInvariant(session, run)));
    return asked && (async (connection) => ((await asked(connection)) ? true : undefined));
  }

  function keep(run: Run, kept: Record<string, string[]>): void {
    for (const { name, acknowledged } of program.invariants) {
      if (acknowledged?.transaction !== run.transaction.name) continue;
      if (run.hasValue?.(acknowledged.variable) === false) continue;
      (kept[name] ??= []).push(textOf(run.valueOf(acknowledged.variable)));
    }
  }

  return {
    operationOf: (arrival) => mix.of(arrival),
    prepare(number, arrival) {
      if (arrival) drawnRuns[number] = next(number, arrival);
      else drawnRuns[number] ??= next(number);
    },
    async iterate(number, intendedMs) {
      const run = drawnRuns[number] ?? next(number);
      drawnRuns[number] = undefined;
      const { name, isReadOnly } = run.transaction;
      const settle = settleOf(run);
      const end = await transactor.run({
        client: number,
        intendedMs,
        operation: name,
        isPoll: true,
        events: () => run.work,
        isFinalIfInDoubt: !isReadOnly && !settle,
        body: (connection: SqlSession, times) =>
          run.attempt(connection, async (ms) => {
            const fromMs = monotonicMs();
            await sleeper.sleep(ms);
            times.bookNamedPart("appDelay", fromMs, monotonicMs());
          }),
        ...(settle && { settle }),
      });
      if (end.kind === "committed" && !isReadOnly && run.foundNoRow)
        recorder.count(name, "withoutRows", end.finishedMs);
      if (!context.isScheduled()) await idle.waitAfterPoll(number, end.kind === "empty");
      if (isReadOnly) return;
      if (end.kind === "committed") {
        account.committed++;
        keep(run, account.acknowledged);
      } else if (end.kind === "failed" && (end.inDoubt || run.isPartlyCommitted)) {
        account.doubtful++;
        keep(run, account.inDoubt);
      }
    },
    close: () => account,
  };
}
