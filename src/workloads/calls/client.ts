import * as z from "zod";
import type { PreparedTransaction } from "../../database/session.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Arrival } from "../../load/arrivals.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import { singleOperationPlan } from "../one-role.js";
import {
  batchesOfTransaction,
  CARDINALITY,
  placeOf,
  rowCountOf,
  drawSubscriber,
  timeText,
  type BatchPlace,
} from "./batch.js";
import { asksProbe, PROBES, profileOf, type Probe, type Treatment } from "./settings.js";
import type { CallsStore } from "./store.js";

const Place = z.object({ number: z.int().min(0), day: z.number().min(0) });
/** A worker's account: the first batch of each transaction, by outcome. */
export const WorkerAccount = z.object({ acknowledged: z.array(Place), inDoubt: z.array(Place) });

interface DrawnBatch {
  readonly first: BatchPlace;
  readonly transaction: PreparedTransaction<number>;
}

function loaderClients(
  store: CallsStore,
  { assignment, transactor }: ClientContext<Treatment>,
): WorkloadClients {
  const { settings, trial, firstClient, roleClients } = assignment;
  const { commit, batchesPerDay, batchesBefore } = settings;
  const operations = store.operations(settings, trial.seed);
  const { dayMs } = profileOf(settings);
  const isDailyLoad = settings.actors["loaders"]?.load.executor === "daily-arrival-rate";
  const account: z.infer<typeof WorkerAccount> = { acknowledged: [], inDoubt: [] };
  const begun: number[] = [];
  const drawnBatches: (DrawnBatch | undefined)[] = [];

  /**
   * Takes the number of the client's next batch. Clients take numbers in turn, so that together they load a day in order.
   */
  function takeBatchNumber(client: number): number {
    const turn = begun[client] ?? 0;
    begun[client] = turn + 1;
    const transaction = turn * roleClients + firstClient + client;
    return batchesBefore + transaction * (commit === "once" ? batchesPerDay : 1);
  }

  /**
   * Draws the client's next batch. Its hour depends on the arrival, so a batch for an arrival that never came is drawn
   * again.
   */
  function prepare(client: number, arrival?: Arrival): void {
    if (isDailyLoad ? !arrival : drawnBatches[client]) return;
    const number = drawnBatches[client]?.first.number ?? takeBatchNumber(client);
    const first =
      isDailyLoad && arrival ? { number, day: arrival.offsetMs / dayMs } : placeOf(number, settings);
    drawnBatches[client] = { first, transaction: operations.load(batchesOfTransaction(settings, first)) };
  }

  const rowsOfTransaction = (first: BatchPlace): number =>
    batchesOfTransaction(settings, first).reduce(
      (sum, place) => sum + rowCountOf(settings, trial.seed, place),
      0,
    );

  return {
    prepare,
    async iterate(client, intendedMs) {
      prepare(client);
      const next = drawnBatches[client];
      if (!next) throw new Error("A batch of a profile was asked for before its arrival was known");
      drawnBatches[client] = undefined;
      const { first, transaction } = next;
      const end = await transactor.run<number>({
        client,
        intendedMs,
        operation: "load",
        isPoll: false,
        events: (rows) => rows,
        body: transaction,
        settle: async (session) =>
          (await operations.isThere(first)(session)) ? rowsOfTransaction(first) : undefined,
      });
      if (end.kind === "committed") account.acknowledged.push(first);
      else if (end.kind === "failed" && end.inDoubt) account.inDoubt.push(first);
    },
    close: () => account,
  };
}

function valuesOf(probe: Probe, prng: Prng): (string | number)[] {
  if (probe === "byCaller") return [drawSubscriber(prng)];
  if (probe !== "byTower") return [];
  const hourStartSeconds = prng.intBetween(0, 23) * 3600;
  return [
    timeText(hourStartSeconds),
    timeText(hourStartSeconds + 3600),
    prng.intBetween(1, CARDINALITY.towers),
  ];
}

interface DrawnProbe {
  readonly probe: Probe;
  readonly transaction: PreparedTransaction<unknown>;
}

function probeClients(
  store: CallsStore,
  { assignment, transactor }: ClientContext<Treatment>,
): WorkloadClients {
  const { settings, trial, firstClient, clients } = assignment;
  const operations = store.operations(settings, trial.seed);
  const prngs = Array.from(
    { length: clients },
    (_, client) => new Prng(deriveSeed(trial.seed, "probe", firstClient + client)),
  );
  const asked: number[] = [];
  const drawnProbes: (DrawnProbe | undefined)[] = [];
  const probes = PROBES.filter((probe) => asksProbe(probe, settings));
  const probeOf = (turn: number): Probe => probes[turn % probes.length] ?? "lastHour";

  function draw(client: number, arrival?: Arrival): DrawnProbe {
    const turn = asked[client] ?? firstClient + client;
    asked[client] = turn + 1;
    const probe = probeOf(arrival?.number ?? turn);
    return { probe, transaction: operations.probe(probe, valuesOf(probe, prngs[client] as Prng)) };
  }

  return {
    operationOf: ({ number }) => probeOf(number),
    prepare(client, arrival) {
      if (arrival || !drawnProbes[client]) drawnProbes[client] = draw(client, arrival);
    },
    async iterate(client, intendedMs) {
      const { probe, transaction } = drawnProbes[client] ?? draw(client);
      drawnProbes[client] = undefined;
      await transactor.run<unknown>({
        ...singleOperationPlan(probe, client, intendedMs),
        body: transaction,
      });
    },
    close: () => ({ acknowledged: [], inDoubt: [] }) satisfies z.infer<typeof WorkerAccount>,
  };
}

export function client(store: CallsStore, context: ClientContext<Treatment>): WorkloadClients {
  return context.assignment.role === "probes" ? probeClients(store, context) : loaderClients(store, context);
}
