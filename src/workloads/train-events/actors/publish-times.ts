// The moment when each batch was published, in memory that all worker threads share, found by the batch in an event's key: so an
// event's life is measured on one clock. Of producers on other agents the memory is a copy, which comes a little later.
import { batchNumberOf, PRELOAD_WORKER, workerOf } from "../model/event-id.js";

/** Batches a ring remembers; an older one is no longer found and its lifecycle is counted as unmatched. */
const RING_BATCHES = 1 << 18;
export const RING_BYTES = RING_BATCHES * 12;

/** Events wait for so many looks, one a second, until the moment of their publishing is known. */
const LOOKS_MAX = 5;
/** Milliseconds by which a moment on another agent must be earlier to be surely earlier. */
const SURELY_BEFORE_MS = 1_000;

/** One publishing worker's ring: monotonic milliseconds by batch number. What says that it is there lies behind. */
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

interface Waiting {
  readonly id: string;
  readonly atMs: number;
  readonly looks: number;
  readonly record: (latencyMs: number, atMs: number) => void;
}

/** Turns completions into latencies since publishing. One for each worker thread. */
export class LifecycleClock {
  private readonly rings = new Map<number, Ring>();
  private pending: Waiting[] = [];
  /** Events whose publish moment was not known: preloaded ones aside, these are missing from the latencies. */
  unmatched = 0;

  /** Memory by the publishing worker; `mirrored` are the workers of which it is a copy. */
  constructor(
    buffers: ReadonlyMap<number, SharedArrayBuffer>,
    private readonly mirrored: readonly number[],
  ) {
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
    const marginMs = this.mirrored.includes(worker) ? SURELY_BEFORE_MS : 0;
    return typeof publishedMs === "number" && publishedMs < atMs - marginMs;
  }

  /** Records the latency of each event that reached its end at `atMs`; preloaded ones have no publish moment. */
  reached(ids: readonly string[], atMs: number, record: (latencyMs: number, atMs: number) => void): void {
    for (const id of ids) {
      if (workerOf(id) !== PRELOAD_WORKER) this.match({ id, atMs, looks: 1, record });
    }
  }

  /** Looks again for those events of which it was not known yet. */
  settlePending(): void {
    const waiting = this.pending;
    this.pending = [];
    for (const each of waiting) this.match({ ...each, looks: each.looks + 1 });
  }

  /** Counts lives that still wait as unmatched. */
  close(): void {
    this.unmatched += this.pending.length;
    this.pending = [];
  }

  private match(waiting: Waiting): void {
    const { id, atMs, looks, record } = waiting;
    const publishedMs = this.rings.get(workerOf(id))?.read(batchNumberOf(id));
    if (publishedMs === "pending" && looks <= LOOKS_MAX) this.pending.push(waiting);
    else if (typeof publishedMs !== "number") this.unmatched++;
    // An acknowledgement can be read later than the completion that followed it: then the latency is nil.
    else record(Math.max(0, atMs - publishedMs), atMs);
  }
}
