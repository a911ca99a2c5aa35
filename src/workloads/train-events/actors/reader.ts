// The reader: looks events up as a dispatcher would, by type and by train. It is what an index on the document is
// for: without readers, an inverted index is pure cost. It looks for the train of an event that its worker has just seen, so
// that a look-up finds its event unless that was archived since.
import { monotonicMs } from "../../../foundation/clock.js";
import { DocumentGenerator, type GeneratedDocument } from "../model/document-generator.js";
import type { ReadOutcome } from "../sql/workload.js";
import type { Actor } from "../../../actors/actor.js";
import type { EventContext } from "./context.js";
import { Ahead } from "../../../actors/ahead.js";
import { textIn, type Sought } from "./read-check.js";
import type { StatementRow } from "../../../database/contract.js";

/** Documents of the first producer, whose types are asked for, and whose trains until any event was seen. */
const PROBES = 256;

const rowsIn = ({ answers }: ReadOutcome): number => answers.reduce((sum, { length }) => sum + length, 0);

export function reader(context: EventContext): Actor {
  const { workload, transactor, prng, assignment, checks } = context;
  const documents = new DocumentGenerator(assignment.trial.seed, "producers/0");
  const probes: GeneratedDocument[] = Array.from({ length: PROBES }, (_, index) => documents.at(index));
  /** Of the worker's last answer: the newest events of a type, then those of a train. */
  let seen: readonly StatementRow[] = [];

  function draw(): Sought {
    const probe = probes[prng.intBetween(0, PROBES - 1)] as GeneratedDocument;
    const row = seen[prng.intBetween(0, Math.max(0, seen.length - 1))];
    if (!row) return probe;
    const { eventType } = probe;
    const [authorityId, trainId] = [textIn(row, "authorityId"), textIn(row, "trainId")];
    return { eventType, authorityId, trainId, id: row[0] as string };
  }

  const ahead = new Ahead(() => {
    const sought = draw();
    return { sought, read: workload.read(sought) };
  });
  return {
    prepare: (client) => ahead.prepare(client),
    async iterate(client, intendedMs) {
      const { sought, read } = ahead.take(client);
      const startedMs = monotonicMs();
      const end = await transactor.run({
        operation: "read",
        client,
        intendedMs,
        body: read,
        isPoll: false,
        events: rowsIn,
      });
      if (end.kind === "failed") return;
      seen = end.result.answers[0] ?? [];
      await checks.read({ client, startedMs }, sought, end.result);
    },
  };
}
