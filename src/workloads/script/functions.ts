// The functions of expressions: pgbench's, by its documentation and with its distributions, and those of files of SQL besides.
import { drawUuid, type Prng } from "../../foundation/prng.js";
import { Zipf } from "../../foundation/zipf.js";
import type { Value } from "./program.js";
import { ArithmeticError, modulo, toDouble, toInt } from "./values.js";

export interface Scope {
  readonly prng: Prng;
  valueOf(name: string): Value;
}

interface Callable {
  /** Arguments. */
  readonly least: number;
  readonly most?: number;
  readonly call: (given: readonly Value[], scope: Scope) => Value;
  /** What is wrong with arguments that are constants; undefined stands for one that is none. */
  readonly check?: (given: readonly (Value | undefined)[]) => string | undefined;
}

const TEXT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,;-_+*/=()[]{}<>!?#%&@";
const TEXT_MAX = 1_000_000;
const WORDS_32 = 0x1_0000_0000;
const UNSIGNED = (value: bigint): bigint => BigInt.asUintN(64, value);

/** A number of a range, from where in it: 0 is the least, and 1 is beyond the last. */
function within(least: bigint, most: bigint, at: number): bigint {
  const size = most - least + 1n;
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return least + BigInt(Math.floor(Number(size) * at));
  return least + (size * BigInt(Math.floor(at * Number.MAX_SAFE_INTEGER))) / BigInt(Number.MAX_SAFE_INTEGER);
}

function range([low = null, high = null]: readonly Value[]): [bigint, bigint] {
  const [least, most] = [toInt(low), toInt(high)];
  if (least > most) throw new ArithmeticError("empty range given to random");
  if (BigInt.asIntN(64, most - least + 1n) !== most - least + 1n)
    throw new ArithmeticError("random range is too large");
  return [least, most];
}

function isEmpty([low, high]: readonly (Value | undefined)[]): string | undefined {
  return typeof low === "bigint" && typeof high === "bigint" && low > high ? "the range is empty" : undefined;
}

function uniform(given: readonly Value[], { prng }: Scope): Value {
  const [least, most] = range(given);
  const size = most - least + 1n;
  if (size <= BigInt(WORDS_32)) return least + BigInt(prng.intBetween(0, Number(size) - 1));
  return least + (((BigInt(prng.uint32()) << 32n) | BigInt(prng.uint32())) % size);
}

function exponential(given: readonly Value[], { prng }: Scope): Value {
  const [least, most] = range(given);
  const rate = toDouble(given[2] ?? null);
  if (!(rate > 0)) throw new ArithmeticError("the parameter of an exponential distribution must be above 0");
  const cut = Math.exp(-rate);
  return within(least, most, -Math.log(cut + (1 - cut) * (1 - prng.float())) / rate);
}

const GAUSSIAN_MIN = 2;

function gaussian(given: readonly Value[], { prng }: Scope): Value {
  const [least, most] = range(given);
  const width = toDouble(given[2] ?? null);
  if (!(width >= GAUSSIAN_MIN))
    throw new ArithmeticError("the parameter of a Gaussian distribution must be at least 2");
  for (;;) {
    const radius = Math.sqrt(-2 * Math.log(1 - prng.float()));
    const deviation = radius * Math.sin(2 * Math.PI * (1 - prng.float()));
    if (deviation >= -width && deviation < width)
      return within(least, most, (deviation + width) / (2 * width));
  }
}

const zipfs = new Map<string, Zipf>();
/** Of ranges and parameters; more come from expressions whose range is drawn itself. */
const ZIPFS_MAX = 1_000;

function zipfian(given: readonly Value[], { prng }: Scope): Value {
  const [least, most] = range(given);
  const s = toDouble(given[2] ?? null);
  if (!(s > 0)) throw new ArithmeticError("the parameter of a Zipfian distribution must be above 0");
  const key = `${most - least} ${s}`;
  let zipf = zipfs.get(key);
  if (!zipf) {
    if (zipfs.size >= ZIPFS_MAX) zipfs.clear();
    zipfs.set(key, (zipf = new Zipf(Number(most - least + 1n), s)));
  }
  return least + BigInt(zipf.draw(prng)) - 1n;
}

function atLeast(bound: number, words: string): NonNullable<Callable["check"]> {
  return (given) => {
    const [, , parameter] = given;
    const isWrong =
      (typeof parameter === "number" || typeof parameter === "bigint") &&
      (bound === 0 ? Number(parameter) <= 0 : Number(parameter) < bound);
    return isEmpty(given) ?? (isWrong ? `the parameter must be ${words}` : undefined);
  };
}

function fnv1a(value: bigint, seed: bigint): bigint {
  let hash = UNSIGNED(0xcbf29ce484222325n ^ UNSIGNED(seed));
  let rest = UNSIGNED(value);
  for (let octet = 0; octet < 8; octet++) {
    hash = UNSIGNED((hash ^ (rest & 0xffn)) * 0x100000001b3n);
    rest >>= 8n;
  }
  return BigInt.asIntN(64, hash);
}

const MURMUR = 0xc6a4a7935bd1e995n;

function murmur2(value: bigint, seed: bigint): bigint {
  let part = UNSIGNED(UNSIGNED(value) * MURMUR);
  part = UNSIGNED((part ^ (part >> 47n)) * MURMUR);
  let hash = UNSIGNED(UNSIGNED(seed) ^ UNSIGNED(MURMUR * 8n));
  hash = UNSIGNED((hash ^ part) * MURMUR);
  hash = UNSIGNED((hash ^ (hash >> 47n)) * MURMUR);
  return BigInt.asIntN(64, hash ^ (hash >> 47n));
}

function hashBy(of: (value: bigint, seed: bigint) => bigint): Callable {
  return {
    ...{ least: 1, most: 2 },
    call: ([value = null, seed], scope) =>
      value === null ? null : of(toInt(value), toInt(seed ?? scope.valueOf("random_seed"))),
  };
}

function ofDoubles(of: (...given: number[]) => number, least: number): Callable {
  return { least, call: (given) => (given.includes(null) ? null : of(...given.map(toDouble))) };
}

function extreme(isBetter: (a: number, b: number) => boolean): Callable {
  return {
    ...{ least: 1, most: Infinity },
    call: (given) => {
      if (given.includes(null)) return null;
      const chosen = given.reduce((a, b) => (isBetter(toDouble(b), toDouble(a)) ? b : a));
      return given.every((each) => typeof each === "bigint") ? chosen : toDouble(chosen);
    },
  };
}

function refused(why: string): Callable {
  return { least: 0, most: Infinity, check: () => why, call: () => null };
}

const random: Callable = { least: 2, call: uniform, check: isEmpty };
const randomExponential: Callable = { least: 3, call: exponential, check: atLeast(0, "above 0") };
const randomGaussian: Callable = { least: 3, call: gaussian, check: atLeast(GAUSSIAN_MIN, "at least 2") };
const randomZipfian: Callable = { least: 3, call: zipfian, check: atLeast(0, "above 0") };
const power = ofDoubles((a = 0, b = 0) => a ** b, 2);

export const FUNCTIONS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  [
    "abs",
    {
      least: 1,
      call: ([a = null]) =>
        typeof a === "bigint" ? (a < 0n ? -a : a) : a === null ? null : Math.abs(toDouble(a)),
    },
  ],
  ["debug", refused("prints what a client does; use the log of the run")],
  ["double", { least: 1, call: ([a = null]) => (a === null ? null : toDouble(a)) }],
  ["exp", ofDoubles((a = 0) => Math.exp(a), 1)],
  ["exponential", randomExponential],
  ["gaussian", randomGaussian],
  ["greatest", extreme((a, b) => a > b)],
  ["hash", hashBy(murmur2)],
  ["hash_fnv1a", hashBy(fnv1a)],
  ["hash_murmur2", hashBy(murmur2)],
  ["int", { least: 1, call: ([a = null]) => (a === null ? null : toInt(a)) }],
  ["least", extreme((a, b) => a < b)],
  ["ln", ofDoubles((a = 0) => Math.log(a), 1)],
  ["mod", { least: 2, call: ([a = null, b = null]) => modulo(a, b) }],
  ["permute", refused("is not here; hash the number and take it modulo the size instead")],
  ["pi", { least: 0, call: () => Math.PI }],
  [
    "pick",
    {
      least: 1,
      most: Infinity,
      call: (given, { prng }) => given[prng.intBetween(0, given.length - 1)] ?? null,
    },
  ],
  ["pow", power],
  ["power", power],
  ["random", random],
  ["random_exponential", randomExponential],
  ["random_gaussian", randomGaussian],
  ["random_zipfian", randomZipfian],
  ["sqrt", ofDoubles((a = 0) => Math.sqrt(a), 1)],
  [
    "text",
    {
      least: 1,
      check: ([length]) =>
        typeof length === "bigint" && (length < 0n || length > TEXT_MAX)
          ? `takes 0 to ${TEXT_MAX} characters`
          : undefined,
      call: ([length = null], { prng }) =>
        Array.from(
          { length: Math.min(TEXT_MAX, Number(toInt(length))) },
          () => TEXT[prng.intBetween(0, TEXT.length - 1)] ?? "",
        ).join(""),
    },
  ],
  ["uniform", random],
  ["uuid", { least: 0, call: (_, { prng }) => drawUuid(prng) }],
  ["zipfian", randomZipfian],
]);
