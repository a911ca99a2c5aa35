// What the audit has found wrong so far: how many events of each kind, and the first ones by name. Counts are exact,
// however many; names end at a bound, so that a table that was emptied does not fill the result.
import {
  VIOLATION_KINDS,
  type LossKind,
  type NamedEvent,
  type ViolationKind,
} from "../model/conservation.js";
import { Losses } from "./losses.js";

/** Events that are named, of each kind. */
export const NAMED_PER_KIND = 20;

export class Findings {
  readonly counts = Object.fromEntries(VIOLATION_KINDS.map((kind) => [kind, 0])) as Record<
    ViolationKind,
    number
  >;
  readonly named: NamedEvent[] = [];
  readonly losses = new Losses();
  /** Of the events that lack what was acknowledged, those of which a fault may have lost it. */
  readonly explained: Record<LossKind, number> = { lost: 0, undone: 0 };

  add(kind: ViolationKind, id: string, words: string): void {
    this.counts[kind]++;
    this.name(kind, id, words);
  }

  /** An event that lacks what was acknowledged. */
  addLoss(kind: LossKind, id: string, words: string, isExplained: boolean): void {
    if (isExplained) this.explained[kind]++;
    this.add(kind, id, isExplained ? `${words}; a fault may have lost it` : words);
  }

  /** Names an event that is counted elsewhere. */
  name(kind: ViolationKind, id: string, words: string): void {
    if (this.named.filter((each) => each.kind === kind).length < NAMED_PER_KIND)
      this.named.push({ kind, id, words });
  }
}
