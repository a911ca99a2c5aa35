import * as z from "zod";
import type { PreparedTransaction } from "../../database/session.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Arrival } from "../../load/arrivals.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import { doing } from "../one-role.js";
import { batchesOf, CARDINALITY, placeOf, rowsOf, subscriber, timeOf, type BatchPlace } from "./batch.js";
import { PROBES, profileOf, type Probe, type Treatment } from "./settings.js";
import type { CallsStore } from "./store.js";

const Place = z.object({ number: z.int().min(0), day: z.number().min(0) });
/** A worker's account: the first batch of each transaction, by outcome. */
export const WorkerAccount = z.object({ acknowledged: z.array(Place), inDoubt: z.array(Place) });

interface DrawnBatch {
  readonly first: BatchPlace;
  readonly transaction: PreparedTransaction<number>;
}

function loaders(store: CallsStore, { assignment, transactor }: ClientContext<Treatment>): WorkloadClients {
  const { settings, trial, firstClient, roleClients } = assignment;
  const { commit, batchesPerDay, batchesBefore } = settings;
  const operations = store.operations(settings, trial.seed);
  const { dayMs } = profileOf(settings);
  const isDaily = settings.actors["loaders"]?.load.executor === "daily-arrival-rate";
  const account: z.infer<typeof WorkerAccount> = { acknowledged: [], inDoubt: [] };
  const begun: number[] = [];
  const drawn: (DrawnBatch | undefined)[] = [];

  /**
   * Takes the number of the client's next batch. Clients take numbers in turn, so that together they load a day in order.
   */
  function takeNumber(client: number): number {
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
    if (isDaily ? !arrival : drawn[client]) return;
    const number = drawn[client]?.first.number ?? takeNumber(client);
    const first = isDaily && arrival ? { number, day: arrival.offsetMs / dayMs } : placeOf(number, settings);
    drawn[client] = { first, transaction: operations.load(batchesOf(settings, first)) };
  }

  const rowsFrom = (first: BatchPlace): number =>
    batchesOf(settings, first).reduce((sum, place) => sum + rowsOf(settings, trial.seed, place), 0);

  return {
    prepare,
    async iterate(client, intendedMs) {
      prepare(client);
      const next = drawn[client];
      if (!next) throw new Error("A batch of a profile was asked for before its arrival was known");
      drawn[client] = undefined;
      const { first, transaction } = next;
      const end = await transactor.run<number>({
        client,
        intendedMs,
        operation: "load",
        isPoll: false,
        events: (rows) => rows,
        body: transaction,
        settle: async (session) => ((await operations.isThere(first)(session)) ? rowsFrom(first) : undefined),
      });
      if (end.kind === "committed") account.acknowledged.push(first);
      else if (end.kind === "failed" && end.inDoubt) account.inDoubt.push(first);
    },
    close: () => account,
  };
}

function valuesOf(probe: Probe, prng: Prng): (string | number)[] {
  if (probe === "byCaller") return [subscriber(prng)];
  if (probe !== "byTower") return [];
  const hour = prng.intBetween(0, 23) * 3600;
  return [timeOf(hour), timeOf(hour + 3600), prng.intBetween(1, CARDINALITY.towers)];
}

interface DrawnProbe {
  readonly probe: Probe;
  readonly transaction: PreparedTransaction<unknown>;
}

function probes(store: CallsStore, { assignment, transactor }: ClientContext<Treatment>): WorkloadClients {
  const { settings, trial, firstClient, clients } = assignment;
  const operations = store.operations(settings, trial.seed);
  const prngs = Array.from(
    { length: clients },
    (_, client) => new Prng(deriveSeed(trial.seed, "probe", firstClient + client)),
  );
  const asked: number[] = [];
  const drawn: (DrawnProbe | undefined)[] = [];
  const probeOf = (turn: number): Probe => PROBES[turn % PROBES.length] ?? "lastHour";

  function draw(client: number, arrival?: Arrival): DrawnProbe {
    const turn = asked[client] ?? firstClient + client;
    asked[client] = turn + 1;
    const probe = probeOf(arrival?.number ?? turn);
    return { probe, transaction: operations.probe(probe, valuesOf(probe, prngs[client] as Prng)) };
  }

  return {
    operationOf: ({ number }) => probeOf(number),
    prepare(client, arrival) {
      if (arrival || !drawn[client]) drawn[client] = draw(client, arrival);
    },
    async iterate(client, intendedMs) {
      const { probe, transaction } = drawn[client] ?? draw(client);
      drawn[client] = undefined;
      await transactor.run<unknown>({
        ...doing(probe, client, intendedMs),
        body: transaction,
      });
    },
    close: () => ({ acknowledged: [], inDoubt: [] }) satisfies z.infer<typeof WorkerAccount>,
  };
}

export function client(store: CallsStore, context: ClientContext<Treatment>): WorkloadClients {
  return context.assignment.role === "probes" ? probes(store, context) : loaders(store, context);
}
