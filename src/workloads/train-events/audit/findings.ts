import { Findings as CountedFindings } from "../../findings.js";
import { VIOLATION_KINDS, type LossKind, type ViolationKind } from "../model/conservation.js";
import { Losses } from "./losses.js";

export class Findings extends CountedFindings<ViolationKind> {
  readonly losses = new Losses();
  /** Numbers of events whose acknowledged work a fault may have lost. */
  readonly explained: Record<LossKind, number> = { lost: 0, undone: 0 };

  constructor() {
    super(VIOLATION_KINDS);
  }

  /** Adds a finding about an event that lacks acknowledged work. */
  addLoss(kind: LossKind, id: string, words: string, isExplained: boolean): void {
    if (isExplained) this.explained[kind]++;
    this.add(kind, id, isExplained ? `${words}; a fault may have lost it` : words);
  }
}
