// The clients of a workload of the user's own: each draws a transaction and its parameters before its intended start, and runs
// it to its end. What was acknowledged is kept by what the invariants ask for.
import * as z from "zod";
import type { Arrival } from "../../load/arrivals.js";
import type { Connection } from "../../database/contract.js";
import { dialectOf } from "../../database/dialects/registry.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { monotonicMs } from "../../foundation/clock.js";
import { Mix } from "../mix.js";
import type { ClientContext, WorkloadClient } from "../workload.js";
import { evaluate } from "./expression.js";
import { compile, Machine, type Beginning } from "./machine.js";
import type { Invariant, Program, ScriptTransaction, Value } from "./program.js";
import type { Treatment } from "./settings.js";
import { literal } from "./machine.js";
import { substituted } from "./sql-text.js";

/** Of a worker's life, by invariant: values of acknowledged transactions, and of those in doubt at the end. */
export const Told = z.object({
  acknowledged: z.record(z.string(), z.array(z.string())),
  inDoubt: z.record(z.string(), z.array(z.string())),
  /** Transactions that write. */
  committed: z.int().min(0),
  doubtful: z.int().min(0),
});

/** As the database gives it back. */
export const textOf = (value: Value): string => (value === null ? "" : String(value));

/** Asks whether a transaction in doubt is there, by what an invariant says of it. */
function settling({ name, sql }: Invariant, settingOf: (variable: string) => string) {
  const text = substituted(sql, settingOf);
  return {
    name: `settle.${name}`,
    text: `SELECT 1 FROM (${text}) AS acknowledged (value) WHERE value = $1 LIMIT 1`,
  };
}

export function clientOf(program: Program) {
  return (context: ClientContext<Treatment>): WorkloadClient => {
    const { assignment, transactor, sleeper } = context;
    const { settings, trial, role, firstClient, clients, endpoints } = assignment;
    const dialect = dialectOf(settings.dialect);
    const { isolation } = settings;
    const setUp = endpoints.every(({ searchPath }) => searchPath !== undefined)
      ? undefined
      : `SET LOCAL search_path TO ${dialect.quoteIdentifier(settings.namespace)}`;
    const beginningOf = ({ isReadOnly }: ScriptTransaction): Beginning => ({
      begin: dialect.begin(isolation ?? "read committed", isReadOnly ? "READ ONLY" : "READ WRITE"),
      setUp,
      isNeeded: isolation !== undefined,
    });
    const compiled = new Map(compile(program, beginningOf).map((each) => [each.transaction.name, each]));
    const weights = Object.fromEntries(program.transactions.map(({ name, weight }) => [name, weight]));
    const mix = new Mix(weights, deriveSeed(trial.seed, role));
    const prngs = Array.from(
      { length: clients },
      (_, number) => new Prng(deriveSeed(trial.seed, "draw", role, firstClient + number)),
    );
    const given = new Map<string, Value>([
      ...Object.entries(settings.values).map(([name, value]): [string, Value] => [name, ofSetting(value)]),
      ["random_seed", BigInt(trial.seed)],
    ]);
    const settingOf = (name: string): string => literal(given.get(name) ?? null);
    const audited = new Map(
      program.invariants.flatMap((each) =>
        each.acknowledged
          ? [[each.acknowledged.transaction, { each, statement: settling(each, settingOf) }]]
          : [],
      ),
    );
    const told: z.infer<typeof Told> = { acknowledged: {}, inDoubt: {}, committed: 0, doubtful: 0 };
    const drawn: (Machine | undefined)[] = [];
    const machinePrng = new Prng(0);

    function draw(number: number, arrival?: Arrival): Machine {
      const prng = prngs[number] as Prng;
      const chosen = compiled.get(arrival ? mix.of(arrival) : mix.next(prng));
      if (!chosen) throw new Error("a transaction that the program does not have");
      const values = new Map(given);
      values.set("client_id", BigInt(firstClient + number));
      const valueOf = (name: string): Value => values.get(name) ?? null;
      for (const { variable, expression } of chosen.transaction.parameters)
        values.set(variable, evaluate(expression, { valueOf, prng }));
      return new Machine(chosen, values, prng.uint32(), {
        prng: machinePrng,
        isSimple: settings.prepared === "simple",
      });
    }

    function keep(machine: Machine, in_: Record<string, string[]>): void {
      for (const { name, acknowledged } of program.invariants) {
        if (acknowledged?.transaction !== machine.transaction.name) continue;
        (in_[name] ??= []).push(textOf(machine.valueOf(acknowledged.variable)));
      }
    }

    return {
      operationOf: (arrival) => mix.of(arrival),
      prepare(number, arrival) {
        if (arrival) drawn[number] = draw(number, arrival);
        else drawn[number] ??= draw(number);
      },
      async iterate(number, intendedMs) {
        const machine = drawn[number] ?? draw(number);
        drawn[number] = undefined;
        const { name, isReadOnly } = machine.transaction;
        const check = audited.get(name);
        const settle = async (connection: Connection): Promise<true | undefined> => {
          const value = machine.valueOf(check?.each.acknowledged?.variable ?? "");
          const rows = check ? await connection.execute(check.statement, [textOf(value)]) : [];
          return rows.length > 0 ? true : undefined;
        };
        const end = await transactor.run({
          ...{ client: number, intendedMs, operation: name, isPoll: false, events: () => 1 },
          isOnce: !isReadOnly && !check,
          body: (connection, times) =>
            machine.attempt(connection, async (ms) => {
              const fromMs = monotonicMs();
              await sleeper.sleep(ms);
              times.bookNamed("appDelay", fromMs, monotonicMs());
            }),
          ...(check && { settle }),
        });
        if (isReadOnly) return;
        if (end.kind === "committed") {
          told.committed++;
          keep(machine, told.acknowledged);
        } else if (end.kind === "failed" && end.inDoubt) {
          told.doubtful++;
          keep(machine, told.inDoubt);
        }
      },
      close: () => told,
    };
  };
}

/** A number of a scenario, as expressions have it. */
export function ofSetting(value: number | string | boolean): Value {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}
