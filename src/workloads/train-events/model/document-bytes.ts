// Writes values into a document's bytes, two or four ASCII characters at a time, without making strings.

/** Code of the first two characters, as a little-endian 16-bit word. */
const pair = (text: string): number => text.charCodeAt(0) | (text.charCodeAt(1) << 8);
const DIGIT_PAIRS = Uint16Array.from({ length: 100 }, (_, i) => pair(String(i).padStart(2, "0")));
const CODE_OF_ZERO = 0x30;

/**
 * Writes the low 16 bits as four hexadecimal digits, all at once: each digit gets a byte, and digits above 9 get the
 * distance between "9" and "a" added.
 */
export function writeFourHexDigits(view: DataView, at: number, value: number): void {
  const digits = ((value >>> 12) & 0xf) | (value & 0xf00) | ((value & 0xf0) << 12) | ((value & 0xf) << 24);
  const letters = ((digits + 0x0606_0606) >>> 4) & 0x0101_0101;
  view.setUint32(at, digits + 0x3030_3030 + letters * 39, true);
}

export function writeUuid(view: DataView, at: number, words: Uint32Array): void {
  const a = words[0] as number;
  const b = words[1] as number;
  const c = words[2] as number;
  const d = words[3] as number;
  writeFourHexDigits(view, at, a >>> 16);
  writeFourHexDigits(view, at + 4, a);
  writeFourHexDigits(view, at + 9, b >>> 16);
  writeFourHexDigits(view, at + 14, b);
  writeFourHexDigits(view, at + 19, c >>> 16);
  writeFourHexDigits(view, at + 24, c);
  writeFourHexDigits(view, at + 28, d >>> 16);
  writeFourHexDigits(view, at + 32, d);
}

export function writeTwoDigits(view: DataView, at: number, value: number): void {
  view.setUint16(at, DIGIT_PAIRS[value] as number, true);
}

export function writeDigit(view: DataView, at: number, value: number): void {
  view.setUint8(at, CODE_OF_ZERO + value);
}

export function writeFiveDigits(view: DataView, at: number, value: number): void {
  view.setUint8(at, CODE_OF_ZERO + ((value / 10_000) | 0));
  writeTwoDigits(view, at + 1, ((value / 100) | 0) % 100);
  writeTwoDigits(view, at + 3, value % 100);
}

/**
 * Copies `few` byte by byte, which is faster for a few bytes than a call out of JavaScript. Returns the offset of their
 * end.
 */
export function writeBytes(bytes: Buffer, at: number, few: Uint8Array): number {
  for (let i = 0; i < few.length; i++) bytes[at + i] = few[i] as number;
  return at + few.length;
}
