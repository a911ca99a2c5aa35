// The clients of workload calls: loaders, which put batches in, and probes, which ask of the table while it grows. A batch is
// drawn and made ready for the wire ahead of its intended start; only of a day that is one transaction all but the first are
// drawn between the calls, since no memory would hold them.
import * as z from "zod";
import type { BoundValues, Connection, SqlValue, Statement } from "../../database/sql.js";
import { bindAhead } from "../../database/postgres/wire/bind-message.js";
import type { CopyRows } from "../../database/postgres/wire/copy-call.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { inTransaction } from "../../database/postgres/transaction.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Arrival } from "../../load/arrivals.js";
import type { ClientContext, WorkloadClient } from "../workload.js";
import {
  arrayBatch,
  callId,
  CARDINALITY,
  copyBatch,
  placeOf,
  rowsOf,
  subscriber,
  timeOf,
  type BatchPlace,
} from "./batch.js";
import { profileOf, type Treatment } from "./settings.js";
import { statementsOf } from "./statements.js";

const Place = z.object({ number: z.int().min(0), day: z.number().min(0) });
/** Of a worker's life: the first batch of each transaction. */
export const Told = z.object({ acknowledged: z.array(Place), inDoubt: z.array(Place) });

/** The batches that one transaction puts in, of which this is the first. */
export function batchesOf(settings: Treatment, first: BatchPlace): BatchPlace[] {
  const { commit, batchesPerDay } = settings;
  if (commit === "per-batch") return [first];
  return Array.from({ length: batchesPerDay }, (_, more) => placeOf(first.number + more, settings));
}

interface Batch {
  readonly rows: number;
  readonly copy?: CopyRows;
  readonly values?: BoundValues;
}

/** Draws batches, and sends them. */
function ingestOf(settings: Treatment, seed: number) {
  const { copy: copyIn, insert } = statementsOf(settings);
  return {
    make: (place: BatchPlace): Batch => {
      if (settings.ingest === "copy") return copyBatch(settings, seed, place);
      const { rows, arrays } = arrayBatch(settings, seed, place);
      return { rows, values: bindAhead(insert, arrays) };
    },
    send: async (connection: Connection, { copy, values }: Batch): Promise<void> => {
      if (copy) await connection.copyIn(copyIn, copy);
      if (values) await connection.execute(insert, values);
    },
  };
}

interface Drawn {
  readonly first: BatchPlace;
  readonly batch: Batch;
}

function loaders({ assignment, transactor }: ClientContext<Treatment>): WorkloadClient {
  const { settings, trial, firstClient, groupClients } = assignment;
  const { commit, batchesPerDay, batchesBefore } = settings;
  const { isThere } = statementsOf(settings);
  const { make, send } = ingestOf(settings, trial.seed);
  const { dayMs } = profileOf(settings);
  const isDaily = settings.actors["loaders"]?.load.executor === "daily-arrival-rate";
  const begin = dialectOf(settings.dialect).begin("read committed", "READ WRITE");
  const told: z.infer<typeof Told> = { acknowledged: [], inDoubt: [] };
  const begun: number[] = [];
  const drawn: (Drawn | undefined)[] = [];

  /** Clients take turns, so that one client loads the day in its order. */
  function takeNumber(client: number): number {
    const turn = begun[client] ?? 0;
    begun[client] = turn + 1;
    const transaction = turn * groupClients + firstClient + client;
    return batchesBefore + transaction * (commit === "once" ? batchesPerDay : 1);
  }

  /** With a profile the hour is the arrival's: what was drawn for one that never came is drawn again for the next. */
  function prepare(client: number, arrival?: Arrival): void {
    if (isDaily ? !arrival : drawn[client]) return;
    const number = drawn[client]?.first.number ?? takeNumber(client);
    const first = isDaily && arrival ? { number, day: arrival.offsetMs / dayMs } : placeOf(number, settings);
    drawn[client] = { first, batch: make(first) };
  }

  const rowsFrom = (first: BatchPlace): number =>
    batchesOf(settings, first).reduce((sum, place) => sum + rowsOf(settings, trial.seed, place), 0);

  async function load(connection: Connection, { first, batch }: Drawn): Promise<number> {
    let rows = 0;
    for (const place of batchesOf(settings, first)) {
      const next = place.number === first.number ? batch : make(place);
      await send(connection, next);
      rows += next.rows;
    }
    return rows;
  }

  return {
    prepare,
    async iterate(client, intendedMs) {
      prepare(client);
      const next = drawn[client];
      if (!next) throw new Error("A batch of a profile was asked for before its arrival was known");
      drawn[client] = undefined;
      const { first } = next;
      const end = await transactor.run<number>({
        ...{ client, intendedMs, operation: "load", isPoll: false, events: (rows) => rows },
        body: (connection: Connection) => inTransaction(connection, begin, () => load(connection, next)),
        settle: async (connection: Connection) => {
          const isCommitted = (await connection.execute(isThere, [callId(first.number, 0)])).length > 0;
          return isCommitted ? rowsFrom(first) : undefined;
        },
      });
      if (end.kind === "committed") told.acknowledged.push(first);
      else if (end.kind === "failed" && end.inDoubt) told.inDoubt.push(first);
    },
    close: () => told,
  };
}

export const PROBES = ["lastHour", "byCaller", "byTower", "topTowers"] as const;
type Probe = (typeof PROBES)[number];

function probes({ assignment, transactor }: ClientContext<Treatment>): WorkloadClient {
  const { settings, trial, firstClient, clients } = assignment;
  const statements = statementsOf(settings);
  const prngs = Array.from(
    { length: clients },
    (_, client) => new Prng(deriveSeed(trial.seed, "probe", firstClient + client)),
  );
  const asked: number[] = [];
  const drawn: ({ readonly probe: Probe; readonly values: readonly SqlValue[] } | undefined)[] = [];
  /** One after the other. */
  const probeOf = (turn: number): Probe => PROBES[turn % PROBES.length] ?? "lastHour";

  function draw(
    client: number,
    arrival?: Arrival,
  ): { readonly probe: Probe; readonly values: readonly SqlValue[] } {
    const turn = asked[client] ?? firstClient + client;
    asked[client] = turn + 1;
    const probe = probeOf(arrival?.number ?? turn);
    const prng = prngs[client] as Prng;
    if (probe === "byCaller") return { probe, values: [subscriber(prng)] };
    if (probe !== "byTower") return { probe, values: [] };
    const hour = prng.intBetween(0, 23) * 3600;
    return { probe, values: [timeOf(hour), timeOf(hour + 3600), prng.intBetween(1, CARDINALITY.towers)] };
  }

  return {
    operationOf: ({ number }) => probeOf(number),
    prepare(client, arrival) {
      if (arrival || !drawn[client]) drawn[client] = draw(client, arrival);
    },
    async iterate(client, intendedMs) {
      const { probe, values } = drawn[client] ?? draw(client);
      drawn[client] = undefined;
      const statement: Statement = statements[probe];
      await transactor.run({
        ...{ client, intendedMs, operation: probe, isPoll: false, events: () => 1 },
        body: (connection: Connection) => connection.execute(statement, values),
      });
    },
    close: () => ({ acknowledged: [], inDoubt: [] }) satisfies z.infer<typeof Told>,
  };
}

export function client(context: ClientContext<Treatment>): WorkloadClient {
  return context.assignment.role === "probes" ? probes(context) : loaders(context);
}
