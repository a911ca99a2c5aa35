// Text that brings a document to its length, from a text longer than the window of compressors.
import { Prng } from "../../../foundation/prng.js";

const REMARK_WORDS =
  "hold proceed restricted milepost siding crew foreman flag relay cleared advised confirmed".split(" ");
const REMARKS_TEXT_BYTES = 1 << 18;
const REMARKS_TEXT_SEED = 0x6e6f_7465;

let text: Buffer | undefined;

/** Text from which all remarks are cut. It is made on first use, within milliseconds. */
function remarksText(): Buffer {
  if (text) return text;
  const prng = new Prng(REMARKS_TEXT_SEED);
  let written = "";
  while (written.length < REMARKS_TEXT_BYTES) {
    const bits = prng.uint32();
    written += `${REMARK_WORDS[(bits & 255) % REMARK_WORDS.length] as string} ${(bits >>> 16).toString(16).padStart(4, "0")} `;
  }
  text = Buffer.from(written.slice(0, REMARKS_TEXT_BYTES), "latin1");
  return text;
}

/** Writes remarks of `length` characters at offset `at`. The 32 bits of `drawn` select where in the long text they begin. */
export function writeRemarks(drawn: number, bytes: Buffer, at: number, length: number): void {
  const source = remarksText();
  let from = drawn % REMARKS_TEXT_BYTES;
  for (let done = 0; done < length; from = 0) {
    const piece = source.subarray(from, from + length - done);
    bytes.set(piece, at + done);
    done += piece.length;
  }
}
