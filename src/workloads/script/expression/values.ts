import type { Prng } from "../../../foundation/prng.js";
import type { Value } from "../program.js";

export interface Scope {
  readonly prng: Prng;
  valueOf(name: string): Value;
}

export type Run = (scope: Scope) => Value;

const INT_MAX = 2n ** 63n - 1n;
const INT_MIN = -(2n ** 63n);

function describeType(value: Value): string {
  if (typeof value === "string") return `'${value}' is text`;
  return value === null ? "NULL has no value" : `${value} is a boolean`;
}

/** Rounds to the nearest whole number. A half is rounded to the even number. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const over = value - floor;
  return over < 0.5 || (over === 0.5 && floor % 2 === 0) ? floor : Math.ceil(value);
}

export function toInt(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw new Error(`${describeType(value)}, where a whole number is expected`);
  const whole = roundHalfToEven(value);
  if (!(whole >= -(2 ** 63) && whole < 2 ** 63)) throw new Error(`${value}: bigint out of range`);
  return BigInt(whole);
}

export function toDouble(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value !== "bigint") throw new Error(`${describeType(value)}, where a number is expected`);
  return Number(value);
}

/** True if an expression's value counts as true: a number does unless it is 0. */
export function isTrue(value: Value): boolean {
  if (typeof value === "string") throw new Error(`${describeType(value)}, where a boolean is expected`);
  return value !== null && Number(value) !== 0;
}

/** @param what name of the computed value in the message */
export function requireBigintRange(value: bigint, what: () => string): bigint {
  if (value > INT_MAX || value < INT_MIN) throw new Error(`${what()}: bigint out of range`);
  return value;
}
