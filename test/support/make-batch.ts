// Makes batches of events: seeded documents under fresh keys. Nothing in them depends on the clock, so that a failing test
// fails again.
import { Prng } from "../../src/foundation/prng.js";
import { DocumentGenerator } from "../../src/workloads/train-events/model/document-generator.js";
import type { PreparedEvent } from "../../src/workloads/train-events/model/event.js";
import { batchKeys, idsOf } from "../../src/workloads/event-id.js";

/**
 * Creation time of all keys, in milliseconds since 1970. It is the same in all batches, so only `batchNumber` makes keys
 * differ.
 */
const MADE_AT_MS = Date.UTC(2026, 5, 1);

/** A batch of `size` events of any type. The same arguments give the same batch. */
export function makeBatch(size: number, seed: number, batchNumber = 0): PreparedEvent[] {
  const generator = new DocumentGenerator(seed, "test");
  const prng = new Prng(seed + batchNumber);
  return idsOf(batchKeys("uuidv7", size, 1, batchNumber, MADE_AT_MS, prng)).map((id, i) => {
    const { json, eventType, authorityId, trainId } = generator.at(batchNumber * size + i);
    return { id, payload: json, eventType, authorityId, trainId };
  });
}
