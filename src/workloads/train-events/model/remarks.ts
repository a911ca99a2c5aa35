// Text that brings a document to its length, from a text longer than the window of compressors.
import { Prng } from "../../../foundation/prng.js";

const WORDS =
  "hold proceed restricted milepost siding crew foreman flag relay cleared advised confirmed".split(" ");
const TEXT_BYTES = 1 << 18;
const TEXT_SEED = 0x6e6f_7465;

let text: Buffer | undefined;

/** The long text, made on first use, within milliseconds. */
function longText(): Buffer {
  if (text) return text;
  const prng = new Prng(TEXT_SEED);
  let written = "";
  while (written.length < TEXT_BYTES) {
    const bits = prng.uint32();
    written += `${WORDS[(bits & 255) % WORDS.length] as string} ${(bits >>> 16).toString(16).padStart(4, "0")} `;
  }
  text = Buffer.from(written.slice(0, TEXT_BYTES), "latin1");
  return text;
}

/** Writes `length` characters at `at`; the 32 bits of `drawn` determine where they begin in the long text. */
export function remarksAt(drawn: number, bytes: Buffer, at: number, length: number): void {
  const source = longText();
  let from = drawn % TEXT_BYTES;
  for (let done = 0; done < length; from = 0) {
    const piece = source.subarray(from, from + length - done);
    bytes.set(piece, at + done);
    done += piece.length;
  }
}
