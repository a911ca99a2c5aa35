// Expected values are from pgbench 15.20 (`\set x debug(...)`, default_seed 7). It refuses numbers for AND and OR, which
// take booleans only; expected values there are from its manual.
import { describe, expect, it } from "vitest";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { evaluate, parseExpression, variablesOf } from "./expression.js";
import type { Expression, Value } from "./program.js";

const VALUES: Readonly<Record<string, Value>> = {
  one: 1n,
  zero: 0n,
  half: 0.5,
  word: "it",
  default_seed: 7n,
};

function parse(text: string): Expression {
  const read = parseExpression(text);
  expect(read).toHaveProperty("expression");
  return (read as { expression: Expression }).expression;
}

function valueOf(name: string): Value {
  return VALUES[name] ?? null;
}

function valueIn(text: string, prng = new Prng(1)): Value {
  return evaluate(parse(text), { prng, valueOf });
}

/** The problem as `column message`. */
function problemIn(text: string): string {
  const read = parseExpression(text);
  return "expression" in read ? "none" : `${read.column} ${read.message}`;
}

describe("an expression", () => {
  it.each<[string, Value]>([
    // Values from the manual.
    ["5 or 0", true],
    ["3 and 0", false],
    ["not false", true],
    ["1 is null", false],
    ["1 notnull", true],
    ["5 = 4", false],
    ["5 <> 4", true],
    ["5 != 5", false],
    ["5 < 4", false],
    ["5 <= 4", false],
    ["5 > 4", true],
    ["5 >= 4", true],
    ["1 | 2", 3n],
    ["1 # 3", 2n],
    ["1 & 3", 1n],
    ["~ 1", -2n],
    ["1 << 2", 4n],
    ["8 >> 2", 2n],
    ["5 + 4", 9n],
    ["3 - 2.0", 1],
    ["5 * 4", 20n],
    ["5 / 3", 1n],
    ["3 % 2", 1n],
    ["- 2.0", -2],
    ["abs(-17)", 17n],
    ["double(5432)", 5432],
    ["exp(1.0)", Math.E],
    ["greatest(5, 4, 3, 2)", 5n],
    ["hash(10, 5432)", -5817877081768721676n],
    ["hash_fnv1a(10, 5432)", -7793829335365542153n],
    ["hash_murmur2(10, 5432)", -5817877081768721676n],
    ["int(5.4 + 3.8)", 9n],
    ["least(5, 4, 3, 2.1)", 2.1],
    ["ln(2.718281828459045)", 1],
    ["mod(54, 32)", 22n],
    ["pi()", Math.PI],
    ["pow(2.0, 10)", 1024],
    ["power(2, 3)", 8],
    ["sqrt(2.0)", Math.SQRT2],
    // NULL.
    ["null", null],
    ["NULL and false", null],
    ["false and null", false],
    ["null or true", null],
    ["true or null", true],
    ["not null", null],
    ["1 + null", null],
    ["greatest(null, 1)", null],
    ["hash(10, null)", null],
    ["random(1, null)", null],
    ["null is null", true],
    ["null isnull", true],
    ["null is not true", true],
    ["1 is true", false],
    ["5 is false", false],
    // Whole numbers and doubles.
    ["-5 / 3", -1n],
    ["-5 % 3", -2n],
    ["2.5 % 2", 0n],
    ["mod(5.5, 2)", 0n],
    ["int(2.5)", 2n],
    ["int(3.5)", 4n],
    ["int(-0.5)", 0n],
    ["5 <> 4.0", true],
    ["least(1, 2.0)", 1],
    ["1 << 65", 2n],
    ["1 << -1", -(2n ** 63n)],
    ["-8 >> 1", -4n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["- 9223372036854775808", -(2n ** 63n)],
    ["9223372036854775807", 2n ** 63n - 1n],
    ["1e3", 1000],
    [".5", 0.5],
    ["1.", 1],
    ["10.0e-2", 0.1],
    ["1.0 / 0", Infinity],
    ["ln(0)", -Infinity],
    ["sqrt(-1)", NaN],
    ["PI()", Math.PI],
    // Precedence.
    ["2 + 3 * 4", 14n],
    ["(2 + 3) * 4", 20n],
    ["7 - 2 - 1", 4n],
    ["~1 + 2", -4n],
    ["~ 1 | 2", -2n],
    ["2 * ~ 3 + 4", -16n],
    ["1 | 2 # 3 & 4", 0n],
    ["1 + 2 << 1", 6n],
    ["- - 5", 5n],
    ["+5", 5n],
    ["not 1 = 2", true],
    ["not not true", true],
    ["1 is null is null", false],
    ["1 > 2 is true", false],
    ["null is null and true", true],
    ["true or false and false", true],
    // Cases.
    ["case when null then 1 else 2 end", 2n],
    ["case when 1 then 1 end", 1n],
    ["case when false then 1 end", null],
    ["case when 0 then 1 when 0.5 then 2 else 3 end", 2n],
    // Hashes and permutations.
    ["hash(10)", 6238128896627759358n],
    ["hash_fnv1a(10)", 412164360235391016n],
    ["hash_murmur2(-5, 99)", -8100669292101161969n],
    ["hash(1.5, 2)", 8628357597987678224n],
    ["permute(0, 4, 1)", 0n],
    ["permute(7, 1000000, 5432)", 202676n],
    ["permute(-7, 9223372036854775807, -1)", 2841629823908002419n],
    ["permute(3, 1, 2)", 0n],
    ["permute(5, 6)", 4n],
    ["permute(2.6, 64, 3)", 37n],
  ])("has pgbench's value: %s", (text, value) => {
    expect(valueIn(text)).toEqual(value);
  });
});

it.each<[string, Value]>([
  [":one + 1", 2n],
  [":one / 2", 0n],
  [":half * 2", 1],
  ["case when :one > 1 then 'more' when :one = 1 then 'one' end", "one"],
  ["case when :zero then 1 else 1 / :one end", 1n],
  [":zero <> 0 and 1 / :zero = 1", false],
  [":absent isnull", true],
  ["'it''s'", "it's"],
  ["''", ""],
  [":word = 'it'", true],
  ["'b' > 'a'", true],
  ["pick(:one)", 1n],
  ["concat('sku-', 1 + 1, null, 'x')", "sku-2x"],
  ["text(0)", ""],
])("an expression is computed: %s", (text, value) => {
  expect(valueIn(text)).toEqual(value);
});

it("permute gives each place of a range exactly once", () => {
  for (const size of [2, 3, 64, 100]) {
    const places = Array.from({ length: size }, (_, i) => Number(valueIn(`permute(${i}, ${size}, 42)`)));
    expect(places.sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
  }
});

it.each([
  ["", "1 the expression ends too early"],
  ["1 +", "4 the expression ends too early"],
  ["1 2", "3 expected the end, found 2"],
  ["(1", "3 expected ), found the end"],
  ["1 + * 2", "5 expected a value, found *"],
  ["random(1, 2", "12 expected , or ), found the end"],
  ["random 1", "8 expected (, found 1"],
  ["case 1 when 1 then 2 end", "6 expected WHEN, found 1"],
  ["case when 1 end", "13 expected THEN, found end"],
  ["1 is 2", "6 expected NULL, TRUE or FALSE"],
  ["1 is 'null'", "6 expected NULL, TRUE or FALSE"],
  ["1 + end", "5 expected a value, found END"],
  ["1 < 2 < 3", "7 < compares the result of a comparison; write AND between the two"],
  ["1 + $", "5 unexpected $"],
  [": + 1", "1 expected the name of a variable behind :"],
  ["pick('a', 'b)", "11 the text that begins here does not end; write ' behind it"],
  ["0x10", "1 0x10 is not a number"],
  ["1e400", "1 1e400 is larger than the largest double"],
  ["accounts + 1", "1 accounts is not a value; write :accounts for a variable, 'accounts' for text"],
  ["constructor", "1 constructor is not a value; write :constructor for a variable, 'constructor' for text"],
  ["1 + zipfain(1, 10, 1)", "5 no function zipfain; did you mean zipfian?"],
  ["nothing_like_it(1)", "1 no function nothing_like_it"],
  ["toString(1)", "1 no function tostring"],
  ["debug(1)", "1 debug is refused: it prints a line at each call; remove it"],
  ["1 + random(1)", "5 expected random(min, max), found 1 argument"],
  ["zipfian(1, 10)", "1 expected zipfian(min, max, s), found 2 arguments"],
  ["uuid(1)", "1 expected uuid(), found 1 argument"],
  ["greatest()", "1 expected greatest(a, b, ...), found 0 arguments"],
  ["hash()", "1 expected hash(value, seed), found 0 arguments"],
  ["hash(1, 2, 3)", "1 expected hash(value, seed), found 3 arguments"],
  ["9223372036854775808", "1 9223372036854775808: bigint out of range"],
  ["9223372036854775807 + 1", "21 9223372036854775807 + 1: bigint out of range"],
  ["-9223372036854775808 / -1", "22 -9223372036854775808 / -1: bigint out of range"],
  ["int(1e19)", "1 10000000000000000000: bigint out of range"],
  ["1 / 0", "3 1 / 0: division by zero"],
  ["mod(1, 0)", "1 1 / 0: division by zero"],
  ["1 + true", "3 true is a boolean, where a whole number is expected"],
  ["ln('a')", "1 'a' is text, where a number is expected"],
  ["not 'a'", "1 'a' is text, where a boolean is expected"],
  ["uniform(5, 1)", "1 the range 5 .. 1 is empty"],
  ["random(-9223372036854775808, 0)", "1 the range -9223372036854775808 .. 0: bigint out of range"],
  ["zipfian(1, :one, 0)", "1 expected an exponent above 0 and at most 1000, not 0"],
  ["random_zipfian(1, :one, 1001)", "1 expected an exponent above 0 and at most 1000, not 1001"],
  ["exponential(1, :one, -1)", "1 expected a parameter above 0, not -1"],
  ["gaussian(1, :one, 1.9)", "1 expected a parameter of at least 2, not 1.9"],
  ["text(-1)", "1 text takes a length of 0 .. 10000000, not -1"],
  ["permute(1, 0, 1)", "1 permute takes a size above 0, not 0"],
])("an expression is refused before evaluation: %s", (text, problem) => {
  expect(problemIn(text)).toBe(problem);
});

it.each([
  ["1 / :zero", "1 / 0: division by zero"],
  ["9223372036854775807 + :one", "9223372036854775807 + 1: bigint out of range"],
  ["uniform(1, :zero)", "the range 1 .. 0 is empty"],
  ["zipfian(1, 10, :zero)", "expected an exponent above 0 and at most 1000, not 0"],
  [":word + 1", "'it' is text, where a whole number is expected"],
  ["text(-:one)", "text takes a length of 0 .. 10000000, not -1"],
])("an expression is refused during evaluation: %s", (text, message) => {
  expect(() => valueIn(text)).toThrow(message);
});

it("an expression is accepted up to a limit of length and depth", () => {
  expect(valueIn(`:one${" + :one".repeat(1999)}`)).toBe(2000n);
  expect(problemIn(`:one${" + :one".repeat(2000)}`)).toBe(
    "14005 the expression is too long; it takes 4000 words and marks",
  );
  expect(valueIn(`${"(".repeat(99)}1${")".repeat(99)}`)).toBe(1n);
  expect(problemIn(`${"(".repeat(100)}1`)).toBe("101 more than 100 levels of parentheses and signs");
});

it("a parsed expression holds computed constants, and can be sent to another thread", () => {
  expect(parse("100000 * 10")).toEqual({ kind: "constant", value: 1000000n });
  const expression = structuredClone(parse("case when :one = 1 then random(1, 10 * 10) end"));
  expect(evaluate(expression, { prng: new Prng(3), valueOf })).toBeTypeOf("bigint");
});

it("the variables of an expression include an implicit default_seed", () => {
  expect(variablesOf(parse("case when :a then hash(:b) else :c + 1 end"))).toEqual([
    "a",
    "b",
    "default_seed",
    "c",
  ]);
});

/** Wilson and Hilferty's approximation of the 99.9 % point of chi-squared. */
function boundOf(freedom: number): number {
  return freedom * (1 - 2 / (9 * freedom) + 3.09 * Math.sqrt(2 / (9 * freedom))) ** 3;
}

function chiSquared(seen: ReadonlyMap<string, number>, chances: ReadonlyMap<string, number>): number {
  const draws = [...seen.values()].reduce((sum, count) => sum + count, 0);
  expect([...seen.keys()].filter((key) => !chances.has(key))).toEqual([]);
  let statistic = 0;
  for (const [key, chance] of chances)
    statistic += ((seen.get(key) ?? 0) - draws * chance) ** 2 / (draws * chance);
  return statistic;
}

function countDraws(text: string, draws: number): Map<string, number> {
  const expression = parse(text);
  const prng = new Prng(deriveSeed(text));
  const seen = new Map<string, number>();
  for (let i = 0; i < draws; i++) {
    const key = String(evaluate(expression, { prng, valueOf }));
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return seen;
}

/** Normal distribution function by Abramowitz and Stegun 7.1.26, whose error is below 1.5e-7. */
function normalBelow(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const sum =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (sum * Math.exp((-x * x) / 2)) / 2;
  return x < 0 ? tail : 1 - tail;
}

const uniform = (i: number, n: number): number => i / n;
const exponential =
  (p: number) =>
  (i: number, n: number): number =>
    Math.expm1((-p * i) / n) / Math.expm1(-p);
const gaussian =
  (p: number) =>
  (i: number, n: number): number =>
    (normalBelow(((2 * i) / n - 1) * p) - normalBelow(-p)) / (normalBelow(p) - normalBelow(-p));
const zipfian =
  (s: number) =>
  (i: number, n: number): number => {
    const sum = (to: number): number =>
      Array.from({ length: to }, (_, k) => (k + 1) ** -s).reduce((a, b) => a + b, 0);
    return sum(i) / sum(n);
  };

describe("frequencies of drawn values", () => {
  it.each<[string, number, number, (i: number, n: number) => number]>([
    ["uniform(1, 10)", 1, 10, uniform],
    ["random(-5, 5)", -5, 5, uniform],
    ["random(1, :one * 7)", 1, 7, uniform],
    ["random(0, 5000000000) / 500000001", 0, 9, uniform],
    ["random(0, 8999999999999999999) / 900000000000000000", 0, 9, uniform],
    ["exponential(1, 10, 3)", 1, 10, exponential(3)],
    ["random_exponential(1, 20, 0.1)", 1, 20, exponential(0.1)],
    ["gaussian(1, 10, 2)", 1, 10, gaussian(2)],
    ["random_gaussian(-9, 10, 2.5)", -9, 10, gaussian(2.5)],
    ["zipfian(1, 20, 1.1)", 1, 20, zipfian(1.1)],
    ["zipfian(1, 20, 0.5)", 1, 20, zipfian(0.5)],
    ["random_zipfian(11, 20, 1.5)", 11, 20, zipfian(1.5)],
  ])("follow the distribution of %s", (text, min, max, belowOf) => {
    const n = max - min + 1;
    const chances = new Map(
      Array.from({ length: n }, (_, i) => [String(min + i), belowOf(i + 1, n) - belowOf(i, n)]),
    );
    expect(chiSquared(countDraws(text, 100_000), chances)).toBeLessThan(boundOf(n - 1));
  });

  it("are equal for each value of pick(...)", () => {
    const chances = new Map(["a", "b", "3", "null"].map((key) => [key, 0.25]));
    expect(chiSquared(countDraws("pick('a', 'b', 3, null)", 40_000), chances)).toBeLessThan(boundOf(3));
  });

  it("are equal for each of 64 characters at each place of text(n)", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    const chances = new Map(letters.map((letter) => [letter, 1 / 64]));
    const texts = [...countDraws("text(7)", 20_000).keys()];
    expect(texts.length).toBe(20_000);
    for (let place = 0; place < 7; place++) {
      const seen = new Map<string, number>();
      for (const text of texts) seen.set(text[place] ?? "", (seen.get(text[place] ?? "") ?? 0) + 1);
      expect(chiSquared(seen, chances)).toBeLessThan(boundOf(63));
    }
  });

  it("are equal for each hexadecimal digit at each free place of uuid()", () => {
    const uuids = [...countDraws("uuid()", 10_000).keys()];
    expect(uuids.length).toBe(10_000);
    for (let place = 0; place < 36; place++) {
      const digits = { 8: "-", 13: "-", 14: "4", 18: "-", 19: "89ab", 23: "-" }[place] ?? "0123456789abcdef";
      const seen = new Map<string, number>();
      for (const uuid of uuids) seen.set(uuid[place] ?? "", (seen.get(uuid[place] ?? "") ?? 0) + 1);
      const chances = new Map(Array.from(digits).map((digit) => [digit, 1 / digits.length]));
      expect(chiSquared(seen, chances)).toBeLessThan(boundOf(Math.max(1, digits.length - 1)));
    }
  });
});

it("a draw respects limits that differ from call to call", () => {
  const expression = parse("uniform(:low, :low + 1)");
  const prng = new Prng(5);
  for (let low = 0n; low < 100n; low++) {
    const value = evaluate(expression, { prng, valueOf: () => low });
    expect([low, low + 1n]).toContain(value);
  }
});

it("draws are the same for the same seed", () => {
  const text = "pick(text(30), uuid(), gaussian(1, 1000000, 3))";
  expect(valueIn(text, new Prng(9))).toBe(valueIn(text, new Prng(9)));
  expect(valueIn("uuid()", new Prng(9))).not.toBe(valueIn("uuid()", new Prng(10)));
});
