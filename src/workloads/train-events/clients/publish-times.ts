// The time at which each batch was published, in memory that all worker threads share, found by the batch number in an
// event's key: so an event's life is measured on one clock. For producers on other agents the memory is a copy, which is a
// little late.
import { batchNumberOf, PRELOAD_WORKER, workerOf } from "../model/event-id.js";

/** Batches that a ring remembers; an older batch is no longer found and its lifecycle counts as unmatched. */
const RING_BATCHES = 1 << 18;
export const RING_BYTES = RING_BATCHES * 12;

/** Most look-ups, one a second, of an event's publish time before it counts as unknown. */
const LOOKS_MAX = 5;
/** Milliseconds by which a time on another agent must be earlier to be certainly earlier. */
const SURELY_BEFORE_MS = 1_000;

/** One publishing worker's ring: times by batch number, then the batch numbers, which mark an entry as present. */
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

  /** Publish time; "pending" before the acknowledgement is known; undefined if the ring no longer has it. */
  read(batchNumber: number): number | "pending" | undefined {
    const slot = batchNumber % RING_BATCHES;
    const stored = Atomics.load(this.batch, slot);
    if (stored === ((batchNumber + 1) | 0)) return this.atMs[slot];
    return stored < batchNumber + 1 ? "pending" : undefined;
  }
}

interface Waiting {
  readonly id: string;
  readonly atMs: number;
  readonly looks: number;
  readonly record: (latencyMs: number, atMs: number) => void;
}

/** Turns completions into latencies since publishing; there is one for each worker thread. */
export class LifecycleClock {
  private readonly rings = new Map<number, Ring>();
  private pending: Waiting[] = [];
  /** Number of events with an unknown publish time, without preloaded events; these are missing from the latencies. */
  unmatched = 0;

  /** `buffers` holds the memory of each publishing worker; memory of the workers in `mirrored` is a copy. */
  constructor(
    buffers: ReadonlyMap<number, SharedArrayBuffer>,
    private readonly mirrored: readonly number[],
  ) {
    for (const [ordinal, buffer] of buffers) this.rings.set(ordinal, new Ring(buffer));
  }

  published(worker: number, batchNumber: number, atMs: number): void {
    this.rings.get(worker)?.write(batchNumber, atMs);
  }

  /** True if the producer saw the event's acknowledgement before that time; false if that is no longer known. */
  wasPublishedBefore(id: string, atMs: number): boolean {
    const worker = workerOf(id);
    if (worker === PRELOAD_WORKER) return true;
    const publishedMs = this.rings.get(worker)?.read(batchNumberOf(id));
    const marginMs = this.mirrored.includes(worker) ? SURELY_BEFORE_MS : 0;
    return typeof publishedMs === "number" && publishedMs < atMs - marginMs;
  }

  /** Records the latency of each event that reached its end at `atMs`; preloaded events have no publish time. */
  reached(ids: readonly string[], atMs: number, record: (latencyMs: number, atMs: number) => void): void {
    for (const id of ids) {
      if (workerOf(id) !== PRELOAD_WORKER) this.match({ id, atMs, looks: 1, record });
    }
  }

  /** Looks the pending publish times up again. */
  settlePending(): void {
    const waiting = this.pending;
    this.pending = [];
    for (const each of waiting) this.match({ ...each, looks: each.looks + 1 });
  }

  /** Counts lives with a pending publish time as unmatched. */
  close(): void {
    this.unmatched += this.pending.length;
    this.pending = [];
  }

  private match(waiting: Waiting): void {
    const { id, atMs, looks, record } = waiting;
    const publishedMs = this.rings.get(workerOf(id))?.read(batchNumberOf(id));
    if (publishedMs === "pending" && looks <= LOOKS_MAX) this.pending.push(waiting);
    else if (typeof publishedMs !== "number") this.unmatched++;
    // The producer may read an acknowledgement after the completion that followed it: then the latency is 0.
    else record(Math.max(0, atMs - publishedMs), atMs);
  }
}
