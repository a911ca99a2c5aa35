import { Findings as CountedFindings } from "../../findings.js";
import { VIOLATION_KINDS, type LossKind, type ViolationKind } from "../model/conservation.js";
import { Losses } from "../../losses.js";

export class Findings extends CountedFindings<ViolationKind> {
  readonly losses = new Losses();
  /** Numbers of events with lost acknowledged work that a fault explains. */
  readonly explained: Record<LossKind, number> = { lost: 0, undone: 0 };

  constructor() {
    super(VIOLATION_KINDS);
  }

  /** Adds a finding about acknowledged work that an event lacks. `isExplained` is true if a fault may have lost it. */
  addLoss(kind: LossKind, id: string, words: string, isExplained: boolean): void {
    if (isExplained) this.explained[kind]++;
    this.add(kind, id, isExplained ? `${words}; a fault may have lost it` : words);
  }
}
