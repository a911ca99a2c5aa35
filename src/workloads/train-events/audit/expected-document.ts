// An event's document and flat columns, made again from ledger and seed, with their checksum.
import { hash } from "node:crypto";
import { firstOf } from "../../../foundation/text/numbers.js";
import { counted } from "../../../foundation/units.js";
import { CHECKSUM_DIGITS, CHECKSUM_SEPARATOR, type EventTables, type WrittenEvent } from "../store.js";
import type { DocumentGenerator, GeneratedDocument } from "../model/document-generator.js";
import { compactText, jsonbText, type DocumentValues } from "../model/document-values.js";
import { batchNumberOf, positionOf, workerOf } from "../../event-id.js";
import type { EventDocument } from "../model/event.js";
import { documentsOf, type LedgerBatch } from "../model/ledger.js";
import type { EventStatus } from "../model/lifecycle.js";
import { differingPaths, processDocument, processValues } from "../model/processed-document.js";
import { DATABASE_SHAPES, PAYLOAD_TRAITS, type EventSettings } from "../settings.js";
import type { Ledgers } from "./key-audit.js";

/** An event's status and passes, which determine its document. */
export interface EventProgress {
  readonly id: string;
  readonly status: EventStatus;
  readonly attempts: number;
}

interface Origin {
  readonly generator: DocumentGenerator;
  readonly index: number;
}

export class ExpectedDocuments {
  private readonly generators = new Map<string, DocumentGenerator>();
  private readonly latest = new Map<number, LedgerBatch>();

  constructor(
    private readonly ledgers: Ledgers,
    private readonly settings: Pick<EventSettings, "payload" | "statementShape" | "documentPlace">,
    private readonly tables: Pick<EventTables, "writesJsonbAsPostgres">,
  ) {}

  /**
   * Expected text of an event's document, and the checksum of the text and the flat columns; undefined if no ledger
   * contains the event.
   */
  expectedDocument(
    progress: EventProgress,
  ): { readonly text: string; readonly checksum: string } | undefined {
    const origin = this.originOf(progress.id);
    if (!origin) return undefined;
    const values = origin.generator.valuesAt(origin.index);
    processValues(values, progress.status, progress.attempts);
    const text = this.isWrittenByProgram(progress) ? compactText(values) : jsonbText(values);
    return { text, checksum: hash("md5", checksumInput(text, values), "hex").slice(0, CHECKSUM_DIGITS) };
  }

  /**
   * Difference between an event and its expected document, by value; undefined if only the text is written in another way.
   */
  difference(progress: EventProgress, written: WrittenEvent): string | undefined {
    const origin = this.originOf(progress.id);
    if (!origin) return undefined;
    const document = origin.generator.at(origin.index);
    const columns = [
      written.event_type === document.eventType ? [] : ["column event_type"],
      written.authority_id === document.authorityId ? [] : ["column authority_id"],
      written.train_id === document.trainId ? [] : ["column train_id"],
    ].flat();
    let seen: unknown;
    try {
      seen = JSON.parse(written.payload);
    } catch {
      return "its document is no JSON";
    }
    const paths = differingPaths(seen, wantedDocument(document, progress));
    const places = [...columns, ...paths.map((path) => path || "the whole document")];
    if (places.length === 0)
      return this.isExact(progress) ? "its document has the right values and the wrong bytes" : undefined;
    const placesText = firstOf(places, 5);
    if (progress.attempts === 0) return `no pass has changed it, and yet these differ: ${placesText}`;
    return `${counted(progress.attempts, "pass that left it", "passes that left it")} ${progress.status} ${progress.attempts === 1 ? "makes" : "make"} something else of: ${placesText}`;
  }

  batchOf(id: string): LedgerBatch | undefined {
    const worker = workerOf(id);
    const number = batchNumberOf(id);
    const latestEntry = this.latest.get(worker);
    if (latestEntry?.batch === number) return latestEntry;
    const entry = this.ledgers.get(worker)?.find(number);
    if (entry) this.latest.set(worker, entry);
    return entry;
  }

  private originOf(id: string): Origin | undefined {
    const worker = workerOf(id);
    const file = this.ledgers.get(worker);
    const entry = this.batchOf(id);
    const position = positionOf(id);
    if (!file || !entry || position >= entry.events) return undefined;
    const key = `${worker} ${entry.client}`;
    let generator = this.generators.get(key);
    if (!generator) {
      generator = documentsOf(file.source, entry.client);
      this.generators.set(key, generator);
    }
    return { generator, index: entry.firstDocument + position };
  }

  /** True if the last writer of the payload was most likely the program, not the database. */
  private isWrittenByProgram({ attempts }: EventProgress): boolean {
    if (PAYLOAD_TRAITS[this.settings.payload].columnType !== "text") return false;
    // The program replaces values in a text that the database has made, and keeps the spaces of that text.
    if (this.settings.documentPlace === "database") return false;
    // A database that changes a text converts it to JSONB and back.
    return attempts === 0 || !DATABASE_SHAPES.includes(this.settings.statementShape);
  }

  /**
   * True if the stored text must equal the expected one; false if the database may write the same document in another way.
   */
  private isExact(progress: EventProgress): boolean {
    return this.tables.writesJsonbAsPostgres || this.isWrittenByProgram(progress);
  }
}

function checksumInput(text: string, { eventType, authorityId, trainId }: DocumentValues): string {
  const s = CHECKSUM_SEPARATOR;
  return `${text}${s}${eventType}${s}${authorityId}${s}${trainId}`;
}

function wantedDocument({ json }: GeneratedDocument, { status, attempts }: EventProgress): EventDocument {
  const document = JSON.parse(json) as EventDocument;
  processDocument(document, status, attempts);
  return document;
}
