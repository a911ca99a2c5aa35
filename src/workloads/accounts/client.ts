// The clients of workload accounts: each makes one transfer after the other, drawn from the seed before its intended start.
import * as z from "zod";
import type { Connection } from "../../database/sql.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { inTransaction } from "../../database/postgres/transaction.js";
import { noWrites, Writes } from "../numbered-writes.js";
import type { ClientContext, WorkloadClient } from "../workload.js";
import type { Treatment } from "./settings.js";
import { statementsOf } from "./sql.js";
import { Transfers, type Transfer } from "./transfer.js";

/** A worker's transfers. */
export const Told = z.array(Writes);

export function client({ assignment, transactor }: ClientContext<Treatment>): WorkloadClient {
  const { settings, trial } = assignment;
  const statements = statementsOf(settings);
  const begin = dialectOf(settings.dialect).begin(settings.isolation, "READ WRITE");
  const told = noWrites(assignment);
  const transfers = told.map((one) => new Transfers(settings, trial.seed, one.client));
  const drawn: (Transfer | undefined)[] = [];
  const take = (number: number): Transfer => drawn[number] ?? (transfers[number] as Transfers).draw();

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
      const writes = told[number] as Writes;
      const write = writes.sent++;
      const end = await transactor.run({
        ...{ client: number, intendedMs, operation: "transfer", isPoll: false, events: () => 1 },
        body: (connection: Connection) => inTransaction(connection, begin, () => send(connection, transfer)),
        settle: async (connection: Connection) =>
          (await connection.execute(statements.isInHistory, [transfer.id])).length > 0 ? true : undefined,
      });
      if (end.kind !== "failed") return;
      writes.failed.push(write);
      if (end.inDoubt) writes.inDoubt.push(write);
    },
    close: () => told,
  };
}
