// Reads and writes numbers without Buffer's bounds checks, which cost more than the rest for each column of each row.

/** Reads the four bytes from `at` as a signed big-endian number. */
export function int32At(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

/** A buffer that can be written by byte and by word. */
export interface ByteTarget {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function byteTarget(bytes: Buffer): ByteTarget {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/**
 * Copies bytes, whose number is a multiple of four, word by word: for a few bytes, a call out of JavaScript would take
 * longer.
 */
export function copyWords(from: DataView, start: number, to: DataView, at: number, bytes: number): void {
  for (let i = 0; i < bytes; i += 4) to.setUint32(at + i, from.getUint32(start + i));
}

/** UTF-8 texts one after the other in one buffer, with the end of each text. */
export interface TextColumn {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
  /** Bytes left free before each text, for formats that need a prefix there. */
  readonly room: number;
}
