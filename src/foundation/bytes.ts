// Reads and writes numbers without Buffer's bounds checks, which cost more than the rest for each column of each row.

/** The four bytes from `at` on as one signed number, the first byte highest. */
export function int32At(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

/** Bytes that are written to by number and by word. */
export interface ByteTarget {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function byteTarget(bytes: Buffer): ByteTarget {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/** As many bytes as a multiple of four says, word by word: a call out of JavaScript would take longer for a few. */
export function copyWords(from: DataView, start: number, to: DataView, at: number, bytes: number): void {
  for (let i = 0; i < bytes; i += 4) to.setUint32(at + i, from.getUint32(start + i));
}

/** Texts one after the other, UTF-8, and where each ends. */
export interface TextColumn {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
  /** Bytes left free before each text, so that a format which has something there takes them all at once. */
  readonly room: number;
}
