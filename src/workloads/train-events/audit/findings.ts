// What the audit has found wrong so far: how many events of each kind, and the first ones by name. Counts are exact,
// however many; names end at a bound, so that a table that was emptied does not fill the result.
import { VIOLATION_KINDS, type NamedEvent, type ViolationKind } from "../model/conservation.js";

/** Events that are named, of each kind. */
export const NAMED_PER_KIND = 20;

export class Findings {
  readonly counts = Object.fromEntries(VIOLATION_KINDS.map((kind) => [kind, 0])) as Record<
    ViolationKind,
    number
  >;
  readonly named: NamedEvent[] = [];

  add(kind: ViolationKind, id: string, words: string): void {
    this.counts[kind]++;
    this.name(kind, id, words);
  }

  /** Names an event that is counted elsewhere. */
  name(kind: ViolationKind, id: string, words: string): void {
    if (this.named.filter((each) => each.kind === kind).length < NAMED_PER_KIND)
      this.named.push({ kind, id, words });
  }
}
