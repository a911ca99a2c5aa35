// The reader: looks events up by the weighed kinds of reads. Without readers an inverted index is pure cost.
import { monotonicMs } from "../../../foundation/clock.js";
import { deriveSeed } from "../../../foundation/prng.js";
import type { Arrival } from "../../../load/arrivals.js";
import { Mix } from "../../mix.js";
import { DocumentGenerator, type GeneratedDocument } from "../model/document-generator.js";
import { streamName } from "../model/ledger.js";
import { READ_OPERATIONS, type QuestionKind } from "../settings.js";
import { preloadSource } from "../preload.js";
import type { ReadOutcome } from "../store.js";
import type { WorkloadClients } from "../../workload.js";
import type { Clients } from "../../../clients/client.js";
import type { EventContext } from "./context.js";
import { QuestionDrawer } from "./question-drawer.js";
import { textIn, type SoughtEvent } from "./read-check.js";
import type { StatementRow } from "../../../database/sql.js";

/** Number of made documents that supply event types, and supply trains until the worker has seen an event. */
const PROBES = 256;

/** A drawn read, which a client can run. */
type DrawnRead = (client: number, intendedMs: number) => Promise<void>;

const rowCountOf = ({ answers }: ReadOutcome): number => answers.reduce((sum, { length }) => sum + length, 0);

/**
 * Returns a function that draws a dispatcher's read: the newest events of a type, and the events of a train. The train is
 * that of an event the worker has just seen, so that the look-up finds it unless it was archived since.
 */
function dispatcherReadDrawer({
  queue,
  transactor,
  prng,
  assignment,
  checks,
}: EventContext): () => DrawnRead {
  const { settings, trial } = assignment;
  const { preload, topology } = settings;
  const published = { stream: topology === "cycle" ? "cycle" : "producers" };
  const source = preload > 0 ? preloadSource(settings, trial.seed) : published;
  const documents = new DocumentGenerator(
    trial.seed,
    streamName(source, 0),
    undefined,
    settings.documentShape,
  );
  const count = preload > 0 ? Math.min(PROBES, preload) : PROBES;
  const probes: GeneratedDocument[] = Array.from({ length: count }, (_, index) => documents.at(index));
  /** Rows of the worker's last read: the newest events of a type, followed by events of a train. */
  let seen: readonly StatementRow[] = [];

  function draw(): SoughtEvent {
    const probe = probes[prng.intBetween(0, count - 1)] as GeneratedDocument;
    const row = seen[prng.intBetween(0, Math.max(0, seen.length - 1))];
    if (!row) return probe;
    const { eventType } = probe;
    const [authorityId, trainId] = [textIn(row, "authorityId"), textIn(row, "trainId")];
    return { eventType, authorityId, trainId, id: row[0] as string };
  }

  return () => {
    const sought = draw();
    const body = queue.read(sought);
    return async (client, intendedMs) => {
      const startedMs = monotonicMs();
      const plan = { operation: READ_OPERATIONS.dispatcher, client, intendedMs, isPoll: false };
      const end = await transactor.run({ ...plan, body, events: rowCountOf });
      if (end.kind === "failed") return;
      seen = end.result.answers[0] ?? [];
      await checks.read({ client, startedMs }, sought, end.result);
    };
  };
}

/**
 * Returns a function that draws a read with one question. A question that no event can match counts as an empty poll, not
 * as a read.
 */
function questionReadDrawer(context: EventContext): (kind: QuestionKind) => DrawnRead {
  const { queue, transactor, prng, assignment, checks, lookAside } = context;
  const { settings, trial } = assignment;
  const drawer = new QuestionDrawer({ settings, seed: trial.seed, prng, queue, lookAside });
  return (kind) => {
    const { question, id, matchesNoEvent } = drawer.draw(kind);
    const body = queue.ask(question);
    return async (client, intendedMs) => {
      const plan = { operation: READ_OPERATIONS[kind], client, intendedMs, isPoll: matchesNoEvent };
      const end = await transactor.run({ ...plan, body, events: ({ length }) => length });
      if (end.kind === "failed") return;
      if (end.kind === "committed") await checks.answer(client, { question, id }, end.result);
      await drawer.look(client);
    };
  };
}

export function readerClients(context: EventContext): Clients & Pick<WorkloadClients, "operationOf"> {
  const { assignment, prng } = context;
  const { settings, trial, role } = assignment;
  const mix = new Mix(settings.reads, deriveSeed(trial.seed, "reads", role));
  const drawDispatcherRead = dispatcherReadDrawer(context);
  const ask = questionReadDrawer(context);
  const drawnReads: (DrawnRead | undefined)[] = [];

  function draw(arrival?: Arrival): DrawnRead {
    const kind = arrival ? mix.of(arrival) : mix.next(prng);
    return kind === "dispatcher" ? drawDispatcherRead() : ask(kind);
  }

  return {
    operationOf: (arrival) => READ_OPERATIONS[mix.of(arrival)],
    prepare(client, arrival) {
      if (arrival) drawnReads[client] = draw(arrival);
      else drawnReads[client] ??= draw();
    },
    async iterate(client, intendedMs) {
      const read = drawnReads[client] ?? draw();
      drawnReads[client] = undefined;
      await read(client, intendedMs);
    },
  };
}
