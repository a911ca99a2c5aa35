// Awaits one report of a kind from each of several workers. A wait may never end: its caller knows what ends it otherwise.
import type { Report } from "./protocol.js";

export type ReportOf<K extends Report["kind"]> = Extract<Report, { kind: K }>;

/** Resolved with one report of each worker. */
interface Barrier {
  readonly kind: Report["kind"];
  readonly received: Map<number, Report>;
  expected: readonly number[];
  readonly resolve: (reports: Report[]) => void;
}

export class Barriers {
  private readonly open = new Set<Barrier>();

  /** The next report of that kind of each of those workers, in their order. */
  await<K extends Report["kind"]>(kind: K, workers: readonly number[]): Promise<ReportOf<K>[]> {
    if (workers.length === 0) return Promise.resolve([]);
    const all = new Promise<Report[]>((resolve) => {
      this.open.add({ kind, received: new Map(), expected: workers, resolve });
    });
    return all as Promise<ReportOf<K>[]>;
  }

  receive(report: Report, worker: number): void {
    for (const barrier of this.open) {
      if (barrier.kind !== report.kind || !barrier.expected.includes(worker)) continue;
      barrier.received.set(worker, report);
      this.settle(barrier);
    }
  }

  /** Expects nothing of that worker any more, and has nothing of it in what resolves from now on. */
  without(worker: number): void {
    for (const barrier of this.open) {
      barrier.expected = barrier.expected.filter((each) => each !== worker);
      barrier.received.delete(worker);
      this.settle(barrier);
    }
  }

  private settle(barrier: Barrier): void {
    if (barrier.received.size < barrier.expected.length) return;
    this.open.delete(barrier);
    barrier.resolve(barrier.expected.map((each) => barrier.received.get(each) as Report));
  }
}
