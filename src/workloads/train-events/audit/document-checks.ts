import type { Prng } from "../../../foundation/prng.js";
import type { ValidationCounts } from "../model/conservation.js";
import { invalidityOf } from "../model/event.js";
import type { EventBatch } from "../model/event-batch.js";
import type { Validation } from "../settings.js";
import type { Findings } from "./findings.js";

const DOCUMENTS_PER_SAMPLE = 100;
/** Number of characters of sampled documents that a worker may keep until the end of the trial. */
const KEPT_CHARACTERS_MAX = 2_000_000;

type SampledDocument = readonly [where: keyof ValidationCounts, id: string, document: string];

export class DocumentChecks {
  private readonly validated = { made: 0, claimed: 0, audited: 0 };
  private readonly kept: SampledDocument[] = [];
  private keptCharacters = 0;
  private sampled = 0;

  constructor(
    readonly validate: Validation,
    private readonly findings: Findings,
    /** Random numbers that select the sampled documents. */
    private readonly prng: Prng,
    /** True to validate sampled documents only in `total`, after the load, whose CPU time validation would take. */
    private readonly isTimed = false,
  ) {}

  holdMade(batch: EventBatch): void {
    for (let row = 0; row < batch.size; row++)
      if (this.isDocumentChosen()) this.hold("made", batch.idAt(row), batch.documentAt(row));
  }

  /** Decides at random whether a document is validated. Call it once for each document. */
  isDocumentChosen(): boolean {
    return (
      this.validate === "all" || (this.validate === "sample" && this.prng.float() * DOCUMENTS_PER_SAMPLE < 1)
    );
  }

  hold(...held: SampledDocument): void {
    if (this.validate === "off") return;
    if (this.validate === "sample" && this.isTimed) this.keep(held);
    else this.check(...held);
  }

  /** Validates the kept documents; returns the numbers of all validated documents. */
  total(): ValidationCounts {
    for (const held of this.kept.splice(0)) this.check(...held);
    return this.validated;
  }

  /** Keeps a random part of all sampled documents, each with the same probability (a reservoir, Vitter's algorithm R). */
  private keep(held: SampledDocument): void {
    this.sampled++;
    if (this.keptCharacters < KEPT_CHARACTERS_MAX) {
      this.keptCharacters += held[2].length;
      this.kept.push(held);
      return;
    }
    const place = Math.floor(this.prng.float() * this.sampled);
    if (place < this.kept.length) this.kept[place] = held;
  }

  private check(...[where, id, document]: SampledDocument): void {
    this.validated[where]++;
    const invalidity = invalidityOf(document);
    if (invalidity !== undefined)
      this.findings.add("invalid", id, `its document was ${invalidity} when ${where}`);
  }
}
