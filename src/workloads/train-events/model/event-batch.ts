// A batch of events column by column, as bytes: making strings first was most of the CPU time of a client.
import { writeBytes } from "./document-bytes.js";
import type { DocumentGenerator } from "./document-generator.js";
import { FIXED_WIDTHS } from "./document-values.js";
import { idsOf, KEY_BYTES, keyBytes, type IdKind } from "../../event-id.js";
import { EventType, type PreparedEvent } from "./event.js";
import { valuesText } from "./sent-values.js";
import { byteTarget, copyWords, type ByteTarget, type TextColumn } from "../../../foundation/bytes.js";

function textColumn(texts: readonly string[]): TextColumn {
  let end = 0;
  const ends = texts.map((text) => (end += Buffer.byteLength(text)));
  return { bytes: Buffer.from(texts.join("")), ends, room: 0 };
}

function textAt({ bytes, ends, room }: TextColumn, row: number): string {
  return bytes.toString("utf8", room + (row === 0 ? 0 : (ends[row - 1] as number)), ends[row]);
}

function sliceOf({ bytes, ends, room }: TextColumn, from: number, to: number): TextColumn {
  const start = from === 0 ? 0 : (ends[from - 1] as number);
  return {
    bytes: bytes.subarray(start, ends[to - 1] ?? start),
    ends: ends.slice(from, to).map((end) => end - start),
    room,
  };
}

/** Positions of the keys in ascending order of the keys. */
function sortedPositions(keys: Buffer): number[] {
  const compare = (a: number, b: number): number =>
    keys.compare(keys, b * KEY_BYTES, (b + 1) * KEY_BYTES, a * KEY_BYTES, (a + 1) * KEY_BYTES);
  return Array.from({ length: keys.length / KEY_BYTES }, (_, position) => position).sort(compare);
}

const TRAIN_ID_BYTES = FIXED_WIDTHS.trainId;
const EVENT_TYPE_BYTES_MAX = Math.max(...EventType.options.map((type) => type.length));

export class EventBatch {
  readonly size: number;

  constructor(
    /** Keys of `KEY_BYTES` each; `authorityIds` have the same size. */
    readonly keys: Buffer,
    readonly documents: TextColumn,
    readonly eventTypes: TextColumn,
    readonly authorityIds: Buffer,
    readonly trainIds: TextColumn,
    private readonly valueTexts?: readonly string[],
  ) {
    this.size = keys.length / KEY_BYTES;
  }

  /** Makes a batch of these events, which may come in any order. */
  static of(events: readonly PreparedEvent[]): EventBatch {
    const sorted = events.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    return new EventBatch(
      keyBytes(sorted.map(({ id }) => id)),
      textColumn(sorted.map(({ payload }) => payload)),
      textColumn(sorted.map(({ eventType }) => eventType)),
      keyBytes(sorted.map(({ authorityId }) => authorityId)),
      textColumn(sorted.map(({ trainId }) => trainId)),
      sorted.flatMap(({ values }) => values ?? []),
    );
  }

  /** Values of each document as a text. Throws if the batch was made without values, for a client that makes the documents. */
  values(): readonly string[] {
    if (this.valueTexts?.length !== this.size) throw new Error("the batch was made without values");
    return this.valueTexts;
  }

  idAt(row: number): string {
    return idsOf(this.keys.subarray(row * KEY_BYTES, (row + 1) * KEY_BYTES))[0] as string;
  }

  documentAt(row: number): string {
    return textAt(this.documents, row);
  }

  events(): PreparedEvent[] {
    const authorities = idsOf(this.authorityIds);
    return idsOf(this.keys).map((id, row) => ({
      id,
      payload: this.documentAt(row),
      eventType: EventType.parse(textAt(this.eventTypes, row)),
      authorityId: authorities[row] as string,
      trainId: textAt(this.trainIds, row),
    }));
  }

  slice(from: number, to: number): EventBatch {
    const [first, last] = [from * KEY_BYTES, to * KEY_BYTES];
    return new EventBatch(
      this.keys.subarray(first, last),
      sliceOf(this.documents, from, to),
      sliceOf(this.eventTypes, from, to),
      this.authorityIds.subarray(first, last),
      sliceOf(this.trainIds, from, to),
      this.valueTexts?.slice(from, to),
    );
  }
}

/** Largest buffer of a column, in bytes, that is kept for the next batch. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

class ColumnMemory {
  private kept = byteTarget(Buffer.alloc(0));

  /** Returns a buffer of at least that many bytes. It is valid until the next call. */
  of(bytes: number): ByteTarget {
    if (bytes <= this.kept.bytes.length) return this.kept;
    const target = byteTarget(Buffer.allocUnsafeSlow(bytes));
    if (bytes <= KEPT_BYTES_MAX) this.kept = target;
    return target;
  }
}

/**
 * Makes the batches of one thread. All batches share memory, except for their keys, so a batch is valid until the next one
 * is made: code that sends it later must copy what it sends.
 */
export class BatchMaker {
  private readonly documents = new ColumnMemory();
  private readonly types = new ColumnMemory();
  private readonly authorities = new ColumnMemory();
  private readonly trains = new ColumnMemory();

  /**
   * @param room number of bytes before each document in the column of documents
   * @param hasValues true if the batches have the documents' values, for a database that makes the documents
   */
  constructor(
    private readonly kind: IdKind,
    private readonly room = 0,
    private readonly hasValues = false,
  ) {}

  /**
   * Makes a batch whose rows are in the order of keys. The key at position i gets the document with index `firstDocument` +
   * i.
   */
  make(keys: Buffer, generator: DocumentGenerator, firstDocument: number): EventBatch {
    const size = keys.length / KEY_BYTES;
    // UUIDs of version 7 are made in ascending order, so that sorting is not needed.
    const order = this.kind === "uuidv7" ? undefined : sortedPositions(keys);
    const { room } = this;
    const documents = this.documents.of(size * (room + generator.maxBytes));
    const documentEnds = new Array<number>(size);
    const types = this.types.of(size * EVENT_TYPE_BYTES_MAX).bytes;
    const typeEnds = new Array<number>(size);
    const authorities = this.authorities.of(size * KEY_BYTES);
    const trains = this.trains.of(size * TRAIN_ID_BYTES);
    const trainEnds = new Array<number>(size);
    const sorted = order ? Buffer.allocUnsafe(keys.length) : keys;
    for (let row = 0, end = 0, typeEnd = 0; row < size; row++) {
      const position = order?.[row] ?? row;
      if (order) keys.copy(sorted, row * KEY_BYTES, position * KEY_BYTES, (position + 1) * KEY_BYTES);
      const document = generator.write(firstDocument + position, documents, end + room);
      documentEnds[row] = end = document.end;
      typeEnds[row] = typeEnd = writeBytes(types, typeEnd, document.type);
      for (let word = 0; word < 4; word++)
        authorities.view.setUint32(row * KEY_BYTES + 4 * word, document.authority[word] as number);
      copyWords(documents.view, document.trainIdAt, trains.view, row * TRAIN_ID_BYTES, TRAIN_ID_BYTES);
      trainEnds[row] = (row + 1) * TRAIN_ID_BYTES;
    }
    return new EventBatch(
      sorted,
      { bytes: documents.bytes.subarray(0, documentEnds[size - 1] ?? 0), ends: documentEnds, room },
      { bytes: types.subarray(0, typeEnds[size - 1] ?? 0), ends: typeEnds, room: 0 },
      authorities.bytes.subarray(0, size * KEY_BYTES),
      { bytes: trains.bytes.subarray(0, size * TRAIN_ID_BYTES), ends: trainEnds, room: 0 },
      this.hasValues
        ? trainEnds.map((_, row) => valuesText(generator.valuesAt(firstDocument + (order?.[row] ?? row))))
        : undefined,
    );
  }
}
