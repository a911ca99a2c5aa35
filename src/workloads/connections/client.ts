import type { PreparedTransaction } from "../../database/session.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Arrival } from "../../load/arrivals.js";
import { Mix } from "../mix.js";
import { initialWrites, type Writes } from "../numbered-writes.js";
import { singleOperationPlan } from "../one-role.js";
import { ACCOUNTS_PER_SCALE } from "../pgbench-tables.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import { idOf } from "./audit.js";
import type { Treatment } from "./settings.js";
import type { ConnectionsStore } from "./store.js";

export function client(
  store: ConnectionsStore,
  { assignment, transactor }: ClientContext<Treatment>,
): WorkloadClients {
  const { settings, trial, role, firstClient, clients } = assignment;
  const { weights, scale, script } = settings;
  const operations = store.operations(settings);
  const account = initialWrites(assignment);
  const prngs = Array.from(
    { length: clients },
    (_, number) => new Prng(deriveSeed(trial.seed, "mix", role, firstClient + number)),
  );
  /** Next draw of each client: the account to read, or `aid` undefined for the script. Undefined if nothing is drawn. */
  const nextDraws: ({ readonly aid: number | undefined } | undefined)[] = [];
  const mix = new Mix(weights, deriveSeed(trial.seed, role));
  const draw = (number: number, arrival?: Arrival): { readonly aid: number | undefined } => {
    const prng = prngs[number] as Prng;
    const isAccountRead = (arrival ? mix.of(arrival) : mix.next(prng)) === "account";
    return { aid: isAccountRead ? prng.intBetween(1, scale * ACCOUNTS_PER_SCALE) : undefined };
  };

  const run = (
    client: number,
    intendedMs: number,
    operation: "account" | "script",
    body: PreparedTransaction<unknown>,
    onUnanswered?: () => void,
  ) =>
    transactor.run<unknown>({
      ...singleOperationPlan(operation, client, intendedMs),
      body,
      ...(onUnanswered && { onUnanswered }),
    });

  async function insert(client: number, intendedMs: number): Promise<void> {
    const writes = account[client] as Writes;
    const number = writes.sent++;
    const id = idOf({ client: writes.client, number });
    const onUnanswered = (): void => void writes.inDoubt.push(number);
    const end = await run(client, intendedMs, "script", operations.insert(id), onUnanswered);
    if (end.kind === "failed") writes.failed.push(number);
  }

  return {
    operationOf: (arrival) => mix.of(arrival),
    prepare(number, arrival) {
      if (arrival) nextDraws[number] = draw(number, arrival);
      else nextDraws[number] ??= draw(number);
    },
    async iterate(number, intendedMs) {
      const { aid } = nextDraws[number] ?? draw(number);
      nextDraws[number] = undefined;
      if (aid !== undefined) await run(number, intendedMs, "account", operations.account(aid));
      else if (script === "insert") await insert(number, intendedMs);
      else await run(number, intendedMs, "script", operations.select());
    },
    close: () => account,
  };
}
