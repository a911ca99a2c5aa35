// Numbers in bytes that are there for sure. A few shifts: Buffer's own readers check each time whether the bytes are there,
// which costs more than the rest where it is done for every column of every row.

/** The four bytes from `at` on as one signed number, the first byte highest. */
export function int32At(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}
