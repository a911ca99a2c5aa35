import { drawUuid } from "../../../foundation/prng.js";
import type { Value } from "../program.js";
import { fnv1a, murmur2, permutedIndex } from "./hashes.js";
import * as random from "./random.js";
import { requireBigintRange, isTrue, toDouble, toInt, type Run, type Scope } from "./values.js";

export interface Callable {
  /** How to call the function, for messages. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
  readonly isRandom?: true;
  /** Throws if arguments that are constants are not allowed. Undefined stands for an argument that is not constant. */
  check?(values: readonly (Value | undefined)[]): void;
  bind(runs: readonly Run[]): Run;
}

type Bind = Callable["bind"];

/** Binds a function that gives NULL if one of its arguments is NULL. */
function strictFunction(apply: (a: Value, b: Value, c: Value) => Value): Bind {
  return ([first, second, third]) => {
    if (!first) return () => apply(null, null, null);
    if (!second)
      return (scope) => {
        const a = first(scope);
        return a === null ? null : apply(a, null, null);
      };
    return (scope) => {
      const a = first(scope);
      const b = second(scope);
      const c = third?.(scope);
      return a === null || b === null || c === null ? null : apply(a, b, c ?? null);
    };
  };
}

const integerFunction = (apply: (a: bigint, b: bigint) => bigint): Bind =>
  strictFunction((a, b) => apply(toInt(a), toInt(b)));
const doubleFunction = (apply: (a: number) => number): Bind => strictFunction((a) => apply(toDouble(a)));

/**
 * Binds an operation on numbers. Whole numbers give a whole number; if one operand is a double, both are converted to
 * doubles.
 */
function arithmetic(
  mark: string,
  whole: (a: bigint, b: bigint) => bigint,
  double: (a: number, b: number) => number,
): Bind {
  return strictFunction((a, b) =>
    typeof a === "number" || typeof b === "number"
      ? double(toDouble(a), toDouble(b))
      : requireBigintRange(whole(toInt(a), toInt(b)), () => `${a} ${mark} ${b}`),
  );
}

/** Binds a comparison of numbers or, if both operands are texts, of texts. */
function comparison(holds: <T extends bigint | number | string>(a: T, b: T) => boolean): Bind {
  return strictFunction((a, b) => {
    if (typeof a === "number" || typeof b === "number") return holds(toDouble(a), toDouble(b));
    return typeof a === "string" && typeof b === "string" ? holds(a, b) : holds(toInt(a), toInt(b));
  });
}

function requireNonZeroDivisor(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new Error(`${a} / 0: division by zero`);
  return b;
}

/** Binds a function that chooses one of its arguments, the least or the greatest. */
function pickArgument(isBetter: (a: bigint | number, b: bigint | number) => boolean): Bind {
  return (runs) => (scope) => {
    const values = runs.map((run) => run(scope));
    if (values.includes(null)) return null;
    const hasDouble = values.some((value) => typeof value === "number");
    const numbers = values.map((value) => (hasDouble ? toDouble(value) : toInt(value)));
    return numbers.reduce((best, each) => (isBetter(best, each) ? best : each));
  };
}

/** Binds AND or OR. Like in pgbench, the first operand alone decides the result if it is NULL or `decisive`. */
const logical =
  (decisive: boolean): Bind =>
  ([first, second]) =>
  (scope) => {
    const a = first?.(scope) ?? null;
    if (a === null || isTrue(a) === decisive) return a === null ? null : decisive;
    const b = second?.(scope) ?? null;
    return b === null ? null : isTrue(b);
  };

const cases: Bind = (runs) => (scope) => {
  const last = runs.length - 1;
  for (let i = 0; i < last; i += 2) if (isTrue(runs[i]?.(scope) ?? null)) return runs[i + 1]?.(scope) ?? null;
  return runs[last]?.(scope) ?? null;
};

/** Largest width of a range for which a random double has enough bits. */
const DOUBLE_RANGE_WIDTH_MAX = 2n ** 32n;

function rangeWidthOf(min: bigint, max: bigint): bigint {
  if (min > max) throw new Error(`the range ${min} .. ${max} is empty`);
  const width = max - min + 1n;
  return requireBigintRange(width, () => `the range ${min} .. ${max}`);
}

/** A random function of two limits, both included, and of the distribution's parameter, if it has one. */
function randomCallable(distribution: random.Distribution, parameter = "parameter"): Callable {
  const { shape: rule } = distribution;
  function check([min, max, shape]: readonly (Value | undefined)[]): void {
    if (min !== undefined && max !== undefined && min !== null && max !== null)
      rangeWidthOf(toInt(min), toInt(max));
    if (rule && shape !== undefined && shape !== null && !rule.isValid(toDouble(shape)))
      throw new Error(`expected ${rule.rule}, not ${shape}`);
  }
  const makeDraw = (low: Value, high: Value, shape: Value): ((scope: Scope) => bigint) => {
    check([low, high, shape]);
    const min = toInt(low);
    const width = toInt(high) - min + 1n;
    if (!rule && width > DOUBLE_RANGE_WIDTH_MAX) return ({ prng }) => min + random.uniformBelow(width, prng);
    const draw = distribution.of(Number(width), rule ? toDouble(shape) : 0);
    return ({ prng }) => min + BigInt(draw(prng));
  };
  return {
    usage: rule ? `min, max, ${parameter}` : "min, max",
    least: rule ? 3 : 2,
    most: rule ? 3 : 2,
    isRandom: true,
    check,
    bind([minOf, maxOf, shapeOf]) {
      // Limits rarely change from one call to the next, so the last distribution is kept.
      let last: { min: Value; max: Value; shape: Value; draw: (scope: Scope) => bigint } | undefined;
      return (scope) => {
        const min = minOf?.(scope) ?? null;
        const max = maxOf?.(scope) ?? null;
        const shape = shapeOf ? shapeOf(scope) : 0n;
        if (min === null || max === null || shape === null) return null;
        if (last?.min !== min || last.max !== max || last.shape !== shape)
          last = { min, max, shape, draw: makeDraw(min, max, shape) };
        return last.draw(scope);
      };
    },
  };
}

const TEXT_LENGTH_MAX = 10_000_000n;

function textLengthOf(value: Value): number {
  const length = toInt(value);
  if (length < 0n || length > TEXT_LENGTH_MAX)
    throw new Error(`text takes a length of 0 .. ${TEXT_LENGTH_MAX}, not ${length}`);
  return Number(length);
}

const fixedArityCallable = (usage: string, count: number, bind: Bind): Callable => ({
  usage,
  least: count,
  most: count,
  bind,
});
const hash = (apply: (value: bigint, seed: bigint) => bigint): Callable => ({
  usage: "value, seed",
  least: 2,
  most: 2,
  bind: integerFunction(apply),
});
const variadicCallable = (bind: Bind): Callable => ({ usage: "a, b, ...", least: 1, most: Infinity, bind });
const power = fixedArityCallable(
  "x, y",
  2,
  strictFunction((a, b) => toDouble(a) ** toDouble(b)),
);
const remainder = integerFunction((a, b) => a % requireNonZeroDivisor(a, b));

/** Functions by name, such as `random(1, 10)`. */
export const FUNCTIONS: ReadonlyMap<string, Callable> = new Map([
  [
    "abs",
    fixedArityCallable(
      "number",
      1,
      strictFunction((a) => {
        if (typeof a === "number") return Math.abs(a);
        const whole = toInt(a);
        return requireBigintRange(whole < 0n ? -whole : whole, () => `abs(${whole})`);
      }),
    ),
  ],
  ["concat", variadicCallable((runs) => (scope) => runs.map((run) => run(scope) ?? "").join(""))],
  [
    "double",
    fixedArityCallable(
      "number",
      1,
      doubleFunction((a) => a),
    ),
  ],
  ["exp", fixedArityCallable("number", 1, doubleFunction(Math.exp))],
  ["exponential", randomCallable(random.exponential)],
  ["gaussian", randomCallable(random.gaussian)],
  ["greatest", variadicCallable(pickArgument((a, b) => a > b))],
  ["hash", hash(murmur2)],
  ["hash_fnv1a", hash(fnv1a)],
  ["hash_murmur2", hash(murmur2)],
  ["int", fixedArityCallable("number", 1, strictFunction(toInt))],
  ["least", variadicCallable(pickArgument((a, b) => a < b))],
  ["ln", fixedArityCallable("number", 1, doubleFunction(Math.log))],
  ["mod", fixedArityCallable("a, b", 2, remainder)],
  [
    "permute",
    fixedArityCallable(
      "i, size, seed",
      3,
      strictFunction((a, b, c) => permutedIndex(toInt(a), toInt(b), toInt(c))),
    ),
  ],
  ["pi", fixedArityCallable("", 0, () => () => Math.PI)],
  [
    "pick",
    {
      ...variadicCallable(
        (runs) => (scope) => runs[scope.prng.intBetween(0, runs.length - 1)]?.(scope) ?? null,
      ),
      isRandom: true,
    },
  ],
  ["pow", power],
  ["power", power],
  ["random", randomCallable(random.uniform)],
  ["random_exponential", randomCallable(random.exponential)],
  ["random_gaussian", randomCallable(random.gaussian)],
  ["random_zipfian", randomCallable(random.zipfian, "s")],
  ["sqrt", fixedArityCallable("number", 1, doubleFunction(Math.sqrt))],
  [
    "text",
    {
      usage: "length",
      least: 1,
      most: 1,
      isRandom: true,
      check([length]) {
        if (length !== undefined && length !== null) textLengthOf(length);
      },
      bind:
        ([lengthRun]) =>
        (scope) => {
          const length = lengthRun?.(scope) ?? null;
          return length === null ? null : random.text(textLengthOf(length), scope.prng);
        },
    },
  ],
  ["uniform", randomCallable(random.uniform)],
  [
    "uuid",
    {
      usage: "",
      least: 0,
      most: 0,
      isRandom: true,
      bind:
        () =>
        ({ prng }) =>
          drawUuid(prng),
    },
  ],
  ["zipfian", randomCallable(random.zipfian, "s")],
]);

const operator = (bind: Bind): Callable => ({ usage: "", least: 0, most: Infinity, bind });
const SHIFT_MASK = 63n;

/** Operators by the name of their call in the tree. There is no `-x` and no `~x`: they are read as `0 - x` and `x # -1`. */
export const OPERATORS: ReadonlyMap<string, Callable> = new Map(
  Object.entries({
    "+": arithmetic(
      "+",
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    "-": arithmetic(
      "-",
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    "*": arithmetic(
      "*",
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    "/": arithmetic(
      "/",
      (a, b) => a / requireNonZeroDivisor(a, b),
      (a, b) => a / b,
    ),
    "%": remainder,
    "&": integerFunction((a, b) => a & b),
    "|": integerFunction((a, b) => a | b),
    "#": integerFunction((a, b) => a ^ b),
    "<<": integerFunction((a, b) => BigInt.asIntN(64, a << (b & SHIFT_MASK))),
    ">>": integerFunction((a, b) => a >> (b & SHIFT_MASK)),
    "=": comparison((a, b) => a === b),
    "<>": comparison((a, b) => a !== b),
    "<": comparison((a, b) => a < b),
    "<=": comparison((a, b) => a <= b),
    ">": comparison((a, b) => a > b),
    ">=": comparison((a, b) => a >= b),
    and: logical(false),
    or: logical(true),
    not: strictFunction((a) => !isTrue(a)),
    is:
      ([first, second]) =>
      (scope) =>
        first?.(scope) === second?.(scope),
    case: cases,
  } satisfies Record<string, Bind>).map(([mark, bind]) => [mark, operator(bind)]),
);
