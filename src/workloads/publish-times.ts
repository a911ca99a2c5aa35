// The time at which each batch was published, in memory that all worker threads share, found by the batch number in an
// event's key: so an event's life is measured on one clock. For producers on other agents the memory is a copy, which is a
// little late.
import { batchNumberOf, PRELOAD_WORKER, workerOf } from "./event-id.js";

/** Number of batches that a ring holds. Older batches are overwritten, and lives of their events count as unmatched. */
const RING_BATCHES = 1 << 18;
export const RING_BYTES = RING_BATCHES * 12;

/** Largest number of look-ups, one a second, for a publish time. After that it counts as unknown. */
const LOOKUPS_MAX = 5;
/** Milliseconds by which a time on another agent's clock must be earlier to count as earlier. */
const MIRRORED_CLOCK_MARGIN_MS = 1_000;

/**
 * Publish times of one worker in a ring buffer: times by batch number, and the batch number of each entry, which is written
 * last.
 */
class PublishTimeRing {
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

  /**
   * Publish time of a batch; "pending" if its acknowledgement is not known yet; undefined if the ring has overwritten it.
   */
  read(batchNumber: number): number | "pending" | undefined {
    const slot = batchNumber % RING_BATCHES;
    const stored = Atomics.load(this.batch, slot);
    if (stored === ((batchNumber + 1) | 0)) return this.atMs[slot];
    return stored < batchNumber + 1 ? "pending" : undefined;
  }
}

interface PendingLatency {
  readonly id: string;
  readonly atMs: number;
  readonly looks: number;
  readonly record: (latencyMs: number, atMs: number) => void;
}

/** Computes latencies from the publishing of an event to a stage of its life. Each worker thread has one. */
export class LifecycleClock {
  private readonly rings = new Map<number, PublishTimeRing>();
  private pending: PendingLatency[] = [];
  /** Number of events whose publish time is unknown. The latencies lack them; preloaded events do not count. */
  unmatched = 0;

  /**
   * `buffers` has the shared memory of each publishing worker. For the workers in `mirrored` it is a copy from another
   * agent.
   */
  constructor(
    buffers: ReadonlyMap<number, SharedArrayBuffer>,
    private readonly mirrored: readonly number[],
  ) {
    for (const [ordinal, buffer] of buffers) this.rings.set(ordinal, new PublishTimeRing(buffer));
  }

  recordPublication(worker: number, batchNumber: number, atMs: number): void {
    this.rings.get(worker)?.write(batchNumber, atMs);
  }

  /** True if the event's producer read the acknowledgement before `atMs`; false if it did not, or if that is unknown. */
  wasPublishedBefore(id: string, atMs: number): boolean {
    const worker = workerOf(id);
    if (worker === PRELOAD_WORKER) return true;
    const publishedMs = this.rings.get(worker)?.read(batchNumberOf(id));
    const marginMs = this.mirrored.includes(worker) ? MIRRORED_CLOCK_MARGIN_MS : 0;
    return typeof publishedMs === "number" && publishedMs < atMs - marginMs;
  }

  /**
   * Records the latencies of events that reached a stage at `atMs`. Preloaded events are skipped, since they have no
   * publish time.
   */
  recordStage(ids: readonly string[], atMs: number, record: (latencyMs: number, atMs: number) => void): void {
    for (const id of ids) {
      if (workerOf(id) !== PRELOAD_WORKER) this.match({ id, atMs, looks: 1, record });
    }
  }

  /** Looks up the publish times that were pending. */
  settlePending(): void {
    const waiting = this.pending;
    this.pending = [];
    for (const each of waiting) this.match({ ...each, looks: each.looks + 1 });
  }

  /** Counts lives whose publish time is still pending as unmatched. */
  close(): void {
    this.unmatched += this.pending.length;
    this.pending = [];
  }

  private match(waiting: PendingLatency): void {
    const { id, atMs, looks, record } = waiting;
    const publishedMs = this.rings.get(workerOf(id))?.read(batchNumberOf(id));
    if (publishedMs === "pending" && looks <= LOOKUPS_MAX) this.pending.push(waiting);
    else if (typeof publishedMs !== "number") this.unmatched++;
    // The producer may read its acknowledgement after the event's completion: the latency is then 0.
    else record(Math.max(0, atMs - publishedMs), atMs);
  }
}
