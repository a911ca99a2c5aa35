import * as z from "zod";
import type { PreparedTransaction } from "../../database/session.js";
import { noWrites, Writes } from "../numbered-writes.js";
import { doing } from "../one-role.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import type { Treatment } from "./settings.js";
import type { AccountsStore } from "./store.js";
import { Transfers, type Transfer } from "./transfer.js";

/** A worker's account: the writes of its clients. */
export const WorkerAccount = z.array(Writes);

interface DrawnTransfer {
  readonly transfer: Transfer;
  readonly transaction: PreparedTransaction<true>;
}

export function client(
  store: AccountsStore,
  { assignment, transactor }: ClientContext<Treatment>,
): WorkloadClients {
  const { settings, trial } = assignment;
  const operations = store.operations(settings);
  const account = noWrites(assignment);
  const transfers = account.map((one) => new Transfers(settings, trial.seed, one.client));
  const drawn: (DrawnTransfer | undefined)[] = [];

  function take(number: number): DrawnTransfer {
    const known = drawn[number];
    if (known) return known;
    const transfer = (transfers[number] as Transfers).draw();
    return { transfer, transaction: operations.transfer(transfer) };
  }

  return {
    prepare: (number) => void (drawn[number] = take(number)),
    async iterate(number, intendedMs) {
      const { transfer, transaction } = take(number);
      drawn[number] = undefined;
      const writes = account[number] as Writes;
      const write = writes.sent++;
      const end = await transactor.run<true>({
        ...doing("transfer", number, intendedMs),
        body: transaction,
        settle: async (session) => (await operations.isMade(transfer)(session)) || undefined,
      });
      if (end.kind !== "failed") return;
      writes.failed.push(write);
      if (end.inDoubt) writes.inDoubt.push(write);
    },
    close: () => account,
  };
}
