// Holds documents to the model of an event: as many as the scenario says, where they are made, once they were claimed, and in
// the audit.
import type { Prng } from "../../../foundation/prng.js";
import type { Validated } from "../model/conservation.js";
import { invalidityOf } from "../model/event.js";
import type { EventBatch } from "../model/event-batch.js";
import type { Validation } from "../settings.js";
import type { Findings } from "./findings.js";

const ONE_IN = 100;

export class DocumentChecks {
  readonly validated = { made: 0, claimed: 0, audited: 0 };

  constructor(
    readonly validate: Validation,
    private readonly findings: Findings,
    /** Decides which are chosen. */
    private readonly prng: Prng,
  ) {}

  made(batch: EventBatch): void {
    for (let row = 0; row < batch.size; row++)
      if (this.isChosen()) this.hold("made", batch.idAt(row), batch.documentAt(row));
  }

  /** Asked once for each document. */
  isChosen(): boolean {
    return this.validate === "all" || (this.validate === "sample" && this.prng.float() * ONE_IN < 1);
  }

  hold(where: keyof Validated, id: string, document: string): void {
    if (this.validate === "off") return;
    this.validated[where]++;
    const invalidity = invalidityOf(document);
    if (invalidity !== undefined)
      this.findings.add("invalid", id, `its document was ${invalidity} when ${where}`);
  }
}
