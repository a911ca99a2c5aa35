import { monotonicMs } from "../../foundation/clock.js";
import { processCpuSeconds } from "../../foundation/process-usage.js";

export class CpuWindow {
  private startMs: number | undefined;
  private atStart: number | undefined;
  private atEnd: number | undefined;
  private timers: NodeJS.Timeout[] = [];

  /** Whether it is another window than before. */
  set(startMs: number, endMs: number): boolean {
    const isNew = startMs !== this.startMs;
    this.close();
    if (isNew) {
      this.startMs = startMs;
      this.atStart = undefined;
      this.atEnd = undefined;
    }
    if (this.atStart === undefined) this.at(startMs, () => (this.atStart = processCpuSeconds()));
    if (this.atEnd === undefined && Number.isFinite(endMs))
      this.at(endMs, () => (this.atEnd = processCpuSeconds()));
    return isNew;
  }

  /** Up to now, where its end was not reached; undefined where it never began. */
  get seconds(): number | undefined {
    if (this.atStart === undefined) return undefined;
    return (this.atEnd ?? processCpuSeconds()) - this.atStart;
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }

  private at(atMs: number, read: () => void): void {
    const leftMs = atMs - monotonicMs();
    if (leftMs <= 0) read();
    else this.timers.push(setTimeout(read, leftMs));
  }
}
