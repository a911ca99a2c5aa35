// The owner writes a "present" flag last and behind its data, so a copy is read from its end and written from its beginning.

/**
 * Milliseconds between two copies of shared memory. Workers elsewhere see values that are older by this and the network's
 * delay.
 */
export const MIRROR_MS = 200;

/** Bytes that are compared at once; only a chunk that differs is compared by pieces of 256 bytes. */
const CHUNK_BYTES = 64 * 1024;
const PIECE_BYTES = 256;

export type MemoryPiece = [number, Uint8Array];

export interface MemoryChange {
  /** Ordinal of the worker that writes this memory. */
  ordinal: number;
  pieces: MemoryPiece[];
}

/** Memory fence: an atomic addition to it keeps reads and writes before it apart from those after it, on every processor. */
const fence = new Int32Array(new SharedArrayBuffer(4));

export class MemoryMirror {
  private readonly sides: readonly { ordinal: number; own: Buffer; known: Buffer }[];

  /** `memory` holds each buffer with the ordinal of the worker that writes it. */
  constructor(memory: Iterable<readonly [number, SharedArrayBuffer]>) {
    this.sides = [...memory].map(([ordinal, buffer]) => ({
      ordinal,
      own: Buffer.from(buffer),
      known: Buffer.alloc(buffer.byteLength),
    }));
  }

  changes(): MemoryChange[] {
    return this.sides.flatMap(({ ordinal, own, known }) => {
      const pieces = changedPieces(own, known).reverse();
      return pieces.length > 0 ? [{ ordinal, pieces }] : [];
    });
  }
}

/** Pieces of `own` that differ from `known`, from the end to the beginning. Copies them to `known`. */
function changedPieces(own: Buffer, known: Buffer): MemoryPiece[] {
  const pieces: MemoryPiece[] = [];
  for (const [start, end] of rangesFromEnd(0, own.length, CHUNK_BYTES)) {
    if (own.compare(known, start, end, start, end) === 0) continue;
    for (const [from, to] of rangesFromEnd(start, end, PIECE_BYTES)) {
      Atomics.add(fence, 0, 1);
      if (own.compare(known, from, to, from, to) === 0) continue;
      own.copy(known, from, from, to);
      pieces.push([from, Uint8Array.from(known.subarray(from, to))]);
    }
  }
  return pieces;
}

function* rangesFromEnd(start: number, end: number, bytes: number): Generator<readonly [number, number]> {
  const last = start + Math.floor((end - start - 1) / bytes) * bytes;
  for (let from = last; from >= start; from -= bytes) yield [from, Math.min(end, from + bytes)];
}

/** Writes the pieces into the memory, in order. Throws a RangeError if a piece exceeds the memory. */
export function writePieces(memory: SharedArrayBuffer, pieces: readonly MemoryPiece[]): void {
  const bytes = new Uint8Array(memory);
  for (const [offset, piece] of pieces) {
    bytes.set(piece, offset);
    Atomics.add(fence, 0, 1);
  }
}
