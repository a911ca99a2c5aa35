// Only retries and failures that have a line each have a known cause; the caller knows from the totals how many have none.
import type { DetailLine } from "../results/log-lines.js";

export interface Cause {
  readonly event: "retry" | "failure";
  readonly operation: string;
  readonly sqlstate: string;
  readonly statement: string | null;
  readonly table: string | null;
  readonly count: number;
  readonly reason: string;
}

export class Causes {
  private readonly byKey = new Map<string, Cause & { count: number }>();

  add({ event, operation, sqlstate, reason, ...place }: DetailLine): void {
    const [statement, table] = [place.statement ?? null, place.table ?? null];
    const key = `${event}\n${operation}\n${sqlstate}\n${statement ?? ""}\n${table ?? ""}`;
    const existingCause = this.byKey.get(key);
    if (existingCause) existingCause.count++;
    else this.byKey.set(key, { event, operation, sqlstate, statement, table, count: 1, reason });
  }

  /** All causes: failures before retries, each with the most frequent first. */
  get all(): Cause[] {
    return [...this.byKey.values()].sort(
      (a, b) => Number(b.event === "failure") - Number(a.event === "failure") || b.count - a.count,
    );
  }
}
