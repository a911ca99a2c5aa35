// The owner writes a "present" flag last and behind its data, so a copy is read from its end and written from its beginning.

/** Between two looks. What is read elsewhere is older by this and the ways of the network. */
export const MIRROR_MS = 200;

/** Compared as a whole first, then by pieces. */
const CHUNK_BYTES = 64 * 1024;
const PIECE_BYTES = 256;

export type MemoryPiece = [number, Uint8Array];

export interface MemoryChange {
  /** The ordinal of the worker that writes it. */
  ordinal: number;
  pieces: MemoryPiece[];
}

/** Orders what is read before it and after it, on every processor. */
const fence = new Int32Array(new SharedArrayBuffer(4));

export class MemoryMirror {
  private readonly sides: readonly { ordinal: number; own: Buffer; known: Buffer }[];

  /** `memory` is by the ordinal of the worker that writes it. */
  constructor(memory: Iterable<readonly [number, SharedArrayBuffer]>) {
    this.sides = [...memory].map(([ordinal, buffer]) => ({
      ordinal,
      own: Buffer.from(buffer),
      known: Buffer.alloc(buffer.byteLength),
    }));
  }

  changes(): MemoryChange[] {
    return this.sides.flatMap(({ ordinal, own, known }) => {
      const pieces = changed(own, known).reverse();
      return pieces.length > 0 ? [{ ordinal, pieces }] : [];
    });
  }
}

/** From the end to the beginning; `known` knows them afterwards. */
function changed(own: Buffer, known: Buffer): MemoryPiece[] {
  const pieces: MemoryPiece[] = [];
  for (const [start, end] of backwards(0, own.length, CHUNK_BYTES)) {
    if (own.compare(known, start, end, start, end) === 0) continue;
    for (const [from, to] of backwards(start, end, PIECE_BYTES)) {
      Atomics.add(fence, 0, 1);
      if (own.compare(known, from, to, from, to) === 0) continue;
      own.copy(known, from, from, to);
      pieces.push([from, Uint8Array.from(known.subarray(from, to))]);
    }
  }
  return pieces;
}

function* backwards(start: number, end: number, bytes: number): Generator<readonly [number, number]> {
  const last = start + Math.floor((end - start - 1) / bytes) * bytes;
  for (let from = last; from >= start; from -= bytes) yield [from, Math.min(end, from + bytes)];
}

/** Throws a RangeError where they lie outside. */
export function writePieces(memory: SharedArrayBuffer, pieces: readonly MemoryPiece[]): void {
  const bytes = new Uint8Array(memory);
  for (const [offset, piece] of pieces) {
    bytes.set(piece, offset);
    Atomics.add(fence, 0, 1);
  }
}
