// When each batch was published, in memory that all worker threads share: the producer writes the moment its
// commit was acknowledged, and whoever completes or archives an event finds it by the worker and batch number in
// the event's key. So an event's whole life is measured on one clock, without a look-up in the database.
import { batchNumberOf, PRELOAD_WORKER, workerOf } from "../model/event-id.js";

/** Batches a ring remembers; an older one is no longer found and its lifecycle is counted as unmatched. */
const RING_BATCHES = 1 << 18;
export const RING_BYTES = RING_BATCHES * 12;

/** One publishing worker's ring: monotonic milliseconds by batch number. */
class Ring {
  private readonly atMs: Float64Array;
  private readonly batch: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.atMs = new Float64Array(buffer, 0, RING_BATCHES);
    this.batch = new Int32Array(buffer, RING_BATCHES * 8, RING_BATCHES);
  }

  write(batchNumber: number, atMs: number): void {
    const slot = batchNumber % RING_BATCHES;
    this.atMs[slot] = atMs;
    Atomics.store(this.batch, slot, (batchNumber + 1) | 0);
  }

  /** The moment; "pending" when its producer has not yet seen the acknowledgement; undefined when forgotten. */
  read(batchNumber: number): number | "pending" | undefined {
    const slot = batchNumber % RING_BATCHES;
    const stored = Atomics.load(this.batch, slot);
    if (stored === ((batchNumber + 1) | 0)) return this.atMs[slot];
    return stored < batchNumber + 1 ? "pending" : undefined;
  }
}

/** Turns completions into latencies since publishing. One for each worker thread. */
export class LifecycleClock {
  private readonly rings = new Map<number, Ring>();
  private pending: { id: string; atMs: number; record: (latencyMs: number, atMs: number) => void }[] = [];
  /** Events whose publish moment was not known: preloaded ones aside, these are missing from the latencies. */
  unmatched = 0;

  constructor(buffers: ReadonlyMap<number, SharedArrayBuffer>) {
    for (const [ordinal, buffer] of buffers) this.rings.set(ordinal, new Ring(buffer));
  }

  published(worker: number, batchNumber: number, atMs: number): void {
    this.rings.get(worker)?.write(batchNumber, atMs);
  }

  /** Whether it was acknowledged, to its producer, before that moment. False where that is not known any more. */
  wasPublishedBefore(id: string, atMs: number): boolean {
    const worker = workerOf(id);
    if (worker === PRELOAD_WORKER) return true;
    const publishedMs = this.rings.get(worker)?.read(batchNumberOf(id));
    return typeof publishedMs === "number" && publishedMs < atMs;
  }

  /** Records the latency of each event that reached its end at `atMs`; preloaded ones have no publish moment. */
  reached(ids: readonly string[], atMs: number, record: (latencyMs: number, atMs: number) => void): void {
    for (const id of ids) {
      const worker = workerOf(id);
      if (worker === PRELOAD_WORKER) continue;
      const publishedMs = this.rings.get(worker)?.read(batchNumberOf(id));
      if (publishedMs === "pending") this.pending.push({ id, atMs, record });
      else if (publishedMs === undefined) this.unmatched++;
      // An acknowledgement can be read later than the completion that followed it: then the latency is nil.
      else record(Math.max(0, atMs - publishedMs), atMs);
    }
  }

  /** Tries again those events that were completed before their producer had read its acknowledgement. */
  settlePending(): void {
    const waiting = this.pending;
    this.pending = [];
    for (const { id, atMs, record } of waiting) {
      const publishedMs = this.rings.get(workerOf(id))?.read(batchNumberOf(id));
      if (typeof publishedMs === "number") record(Math.max(0, atMs - publishedMs), atMs);
      else this.unmatched++;
    }
  }
}
