// Holds documents to the model of an event: as many as the scenario says, where they are made, once they were claimed, and in
// the audit.
import type { Prng } from "../../../foundation/prng.js";
import type { Validated } from "../model/conservation.js";
import { invalidityOf } from "../model/event.js";
import type { EventBatch } from "../model/event-batch.js";
import type { Validation } from "../settings.js";
import type { Findings } from "./findings.js";

const ONE_IN = 100;
/** Characters of sampled documents that wait for the end of the trial: code that runs this seldom is slow for long. */
const KEPT_MOST = 2_000_000;

type Held = readonly [where: keyof Validated, id: string, document: string];

export class DocumentChecks {
  private readonly validated = { made: 0, claimed: 0, audited: 0 };
  private readonly kept: Held[] = [];
  private keptCharacters = 0;

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
    this.keptCharacters += document.length;
    if (this.validate === "all" || this.keptCharacters > KEPT_MOST) this.check(where, id, document);
    else this.kept.push([where, id, document]);
  }

  /** Validates those that waited; then how many were validated in all. */
  total(): Validated {
    for (const held of this.kept.splice(0)) this.check(...held);
    return this.validated;
  }

  private check(...[where, id, document]: Held): void {
    this.validated[where]++;
    const invalidity = invalidityOf(document);
    if (invalidity !== undefined)
      this.findings.add("invalid", id, `its document was ${invalidity} when ${where}`);
  }
}
