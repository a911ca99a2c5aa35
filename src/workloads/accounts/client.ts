import * as z from "zod";
import type { PreparedTransaction } from "../../database/session.js";
import { initialWrites, Writes } from "../numbered-writes.js";
import { singleOperationPlan } from "../one-role.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import type { Treatment } from "./settings.js";
import type { AccountsStore } from "./store.js";
import { TransferStream, type Transfer } from "./transfer.js";

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
  const writesByClient = initialWrites(assignment);
  const transfers = writesByClient.map((one) => new TransferStream(settings, trial.seed, one.client));
  const drawnTransfers: (DrawnTransfer | undefined)[] = [];

  function take(number: number): DrawnTransfer {
    const known = drawnTransfers[number];
    if (known) return known;
    const transfer = (transfers[number] as TransferStream).draw();
    return { transfer, transaction: operations.transfer(transfer) };
  }

  return {
    prepare: (number) => void (drawnTransfers[number] = take(number)),
    async iterate(number, intendedMs) {
      const { transfer, transaction } = take(number);
      drawnTransfers[number] = undefined;
      const writes = writesByClient[number] as Writes;
      const write = writes.sent++;
      const end = await transactor.run<true>({
        ...singleOperationPlan("transfer", number, intendedMs),
        body: transaction,
        settle: async (session) => (await operations.isMade(transfer)(session)) || undefined,
      });
      if (end.kind !== "failed") return;
      writes.failed.push(write);
      if (end.inDoubt) writes.inDoubt.push(write);
    },
    close: () => writesByClient,
  };
}
