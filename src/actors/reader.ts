// The reader: looks events up as a dispatcher would, by type and by train. It is what an index on the document is
// for: without readers, an inverted index is pure cost.
import { DocumentGenerator, type GeneratedDocument } from "../model/document-generator.js";
import type { Actor, ActorContext } from "./actor.js";
import { Ahead } from "./ahead.js";

/** Readers ask for what the first producer's first documents say, so that some look-ups hit and some miss. */
const PROBES = 256;

export function reader(context: ActorContext): Actor {
  const { workload, transactor, prng, assignment } = context;
  const documents = new DocumentGenerator(assignment.trial.seed, "producers/0");
  const probes: GeneratedDocument[] = Array.from({ length: PROBES }, (_, index) => documents.at(index));
  const ahead = new Ahead(() => workload.read(probes[prng.intBetween(0, PROBES - 1)] as GeneratedDocument));
  return {
    prepare: (client) => ahead.prepare(client),
    async iterate(client, intendedMs) {
      await transactor.run({
        operation: "read",
        client,
        intendedMs,
        body: ahead.take(client),
        isPoll: false,
        events: (rows) => rows,
      });
    },
  };
}
