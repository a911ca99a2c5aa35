// Arithmetic as pgbench has it: whole numbers of 64 bits stay whole, with a double everything becomes one, NULL stays NULL.
import type { Value } from "./program.js";

/** An expression without a result, in pgbench's words. */
export class ArithmeticError extends Error {
  override readonly name = "ArithmeticError";
}

function whole(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new ArithmeticError("bigint out of range");
  return value;
}

export function toInt(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw new ArithmeticError(`${String(value)} is no number`);
  if (!Number.isFinite(value)) throw new ArithmeticError("double to int overflow");
  return whole(BigInt(Math.trunc(value)));
}

export function toDouble(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  throw new ArithmeticError(`${String(value)} is no number`);
}

/** A number is true unless it is 0. */
export function truth(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return value !== 0n;
  if (typeof value === "number") return value !== 0;
  throw new ArithmeticError(`${String(value)} is no truth value`);
}

function arithmetic(ints: (a: bigint, b: bigint) => bigint, doubles: (a: number, b: number) => number) {
  return (a: Value, b: Value): Value => {
    if (a === null || b === null) return null;
    if (typeof a === "bigint" && typeof b === "bigint") return whole(ints(a, b));
    return doubles(toDouble(a), toDouble(b));
  };
}

function nonZero(b: bigint): bigint {
  if (b === 0n) throw new ArithmeticError("division by zero");
  return b;
}

export const add = arithmetic(
  (a, b) => a + b,
  (a, b) => a + b,
);
export const subtract = arithmetic(
  (a, b) => a - b,
  (a, b) => a - b,
);
export const multiply = arithmetic(
  (a, b) => a * b,
  (a, b) => a * b,
);
export const divide = arithmetic(
  (a, b) => a / nonZero(b),
  (a, b) => a / b,
);

/** Of whole numbers, with the sign of the first. */
export function modulo(a: Value, b: Value): Value {
  if (a === null || b === null) return null;
  return toInt(a) % nonZero(toInt(b));
}

export function compare(a: Value, b: Value, holds: (order: number) => boolean): Value {
  if (a === null || b === null) return null;
  const [x, y] = typeof a === typeof b ? [a, b] : [toDouble(a), toDouble(b)];
  return holds(x < y ? -1 : x > y ? 1 : 0);
}

export function bits(of: (a: bigint, b: bigint) => bigint) {
  return (a: Value, b: Value): Value => (a === null || b === null ? null : of(toInt(a), toInt(b)));
}
