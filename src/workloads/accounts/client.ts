// The clients of workload accounts: each makes one transfer after the other, drawn from the seed before its intended start.
import * as z from "zod";
import type { Connection } from "../../database/contract.js";
import { dialectOf } from "../../database/dialects/registry.js";
import { inTransaction } from "../../database/transaction.js";
import { deriveSeed, drawUuid, Prng } from "../../foundation/prng.js";
import { ACCOUNTS } from "../pgbench-tables.js";
import type { ClientContext, WorkloadClient } from "../workload.js";
import type { Treatment } from "./settings.js";
import { statementsOf, TELLERS } from "./sql.js";

const DELTA_MAX = 5_000;

interface Transfer {
  readonly id: string;
  readonly aid: number;
  readonly tid: number;
  readonly bid: number;
  readonly delta: number;
}

/** Of a worker's life: transfers that were acknowledged, with the sum of their amounts, and those in doubt at the end. */
export const Told = z.object({
  acknowledged: z.int().min(0),
  delta: z.int(),
  inDoubt: z.array(z.object({ id: z.string(), delta: z.int() })),
});

function draw(prng: Prng, { scale, hotBranch }: Treatment): Transfer {
  const isHot = prng.float() < hotBranch;
  const tid = isHot ? prng.intBetween(1, TELLERS) : prng.intBetween(1, TELLERS * scale);
  return {
    id: drawUuid(prng),
    aid: prng.intBetween(1, ACCOUNTS * scale),
    tid,
    bid: isHot ? 1 : prng.intBetween(1, scale),
    delta: prng.intBetween(-DELTA_MAX, DELTA_MAX),
  };
}

export function client({ assignment, transactor }: ClientContext<Treatment>): WorkloadClient {
  const { settings, trial, role, firstClient, clients } = assignment;
  const statements = statementsOf(settings);
  const begin = dialectOf(settings.dialect).begin(settings.isolation, "READ WRITE");
  const told: z.infer<typeof Told> = { acknowledged: 0, delta: 0, inDoubt: [] };
  const prngs = Array.from(
    { length: clients },
    (_, number) => new Prng(deriveSeed(trial.seed, "transfer", role, firstClient + number)),
  );
  const drawn: (Transfer | undefined)[] = [];
  const take = (number: number): Transfer => drawn[number] ?? draw(prngs[number] as Prng, settings);

  async function send(connection: Connection, { id, aid, tid, bid, delta }: Transfer): Promise<true> {
    await connection.execute(statements.addToAccount, [delta, aid]);
    await connection.execute(statements.readAccount, [aid]);
    if (settings.variant === "aggregates") {
      await connection.execute(statements.addToTeller, [delta, tid]);
      await connection.execute(statements.addToBranch, [delta, bid]);
    }
    if (settings.variant === "reads") {
      await connection.execute(statements.readTeller, [tid]);
      await connection.execute(statements.readBranch, [bid]);
    }
    await connection.execute(statements.addToHistory, [id, tid, bid, aid, delta]);
    return true;
  }

  return {
    prepare: (number) => void (drawn[number] = take(number)),
    async iterate(number, intendedMs) {
      const transfer = take(number);
      drawn[number] = undefined;
      const { id, delta } = transfer;
      const end = await transactor.run({
        ...{ client: number, intendedMs, operation: "transfer", isPoll: false, events: () => 1 },
        body: (connection) => inTransaction(connection, begin, () => send(connection, transfer)),
        settle: async (connection) =>
          (await connection.execute(statements.isInHistory, [id])).length > 0 ? true : undefined,
      });
      if (end.kind === "committed") {
        told.acknowledged++;
        told.delta += delta;
      } else if (end.kind === "failed" && end.inDoubt) told.inDoubt.push({ id, delta });
    },
    close: () => told,
  };
}
