import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { evaluate, parseExpression, variablesOf } from "./expression.js";
import type { Value } from "./program.js";

function valueOf(text: string, variables: Readonly<Record<string, Value>> = {}, prng = new Prng(1)): Value {
  const parsed = parseExpression(text);
  if (!("expression" in parsed)) throw new Error(`${parsed.column} ${parsed.message}`);
  const scope = {
    prng,
    valueOf: (name: string) => variables[name] ?? (name === "random_seed" ? 5432n : null),
  };
  return evaluate(parsed.expression, scope);
}

describe("arithmetic as pgbench has it", () => {
  it.each<[string, Value]>([
    ["1 + 2 * 3 - 4", 3n],
    ["(1 + 2) * 3", 9n],
    ["7 / 2", 3n],
    ["-7 / 2", -3n],
    ["-7 % 3", -1n],
    ["7 / 2.0", 3.5],
    ["2 + 3 = 5", true],
    ["1 < 2 and not 3 < 2", true],
    ["not false or false", true],
    ["1 | 6 & 4", 4n],
    ["5 # 1", 4n],
    ["1 << 3 + 1", 16n],
    ["~0", -1n],
    ["- -3", 3n],
    ["-9223372036854775808", -9223372036854775808n],
    ["null is null", true],
    ["1 is not null", true],
    ["null isnull", true],
    ["1 notnull", true],
    ["1 is true", true],
    ["false is false", true],
    ["null + 1", null],
    ["null and false", false],
    ["null or true", true],
    ["null or false", null],
    ["case when 1 > 2 then 'a' when true then 'b' else 'c' end", "b"],
    ["case when false then 1 end", null],
    ["abs(-17)", 17n],
    ["double(5432)", 5432],
    ["int(5.4 + 3.8)", 9n],
    ["greatest(5, 4, 3, 2)", 5n],
    ["least(5, 4, 3, 2.1)", 2.1],
    ["mod(54, 32)", 22n],
    ["pi()", Math.PI],
    ["power(2.0, 10)", 1024],
    ["sqrt(2.0)", Math.SQRT2],
    ["exp(1.0)", Math.E],
    ["ln(2.718281828459045)", 1],
    ["'it''s'", "it's"],
    ["1e3 + .5", 1000.5],
  ])("%s is %s", (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  // pgbench's documentation has these.
  it("hashes as documented", () => {
    expect(valueOf("hash(10, 5432)")).toBe(-5817877081768721676n);
    expect(valueOf("hash_fnv1a(10, 5432)")).toBe(-7793829335365542153n);
    expect(valueOf("hash_murmur2(10, 5432)")).toBe(-5817877081768721676n);
    expect(valueOf("hash(10)")).toBe(-5817877081768721676n);
  });

  it.each([
    ["1 / 0", "division by zero"],
    ["9223372036854775807 + 1", "bigint out of range"],
    ["int(1e30)", "bigint out of range"],
    ["'a' + 1", "a is no number"],
    ["random(:b, :a)", "empty range"],
  ])("%s has no result", (text, words) => {
    expect(() => valueOf(text, { a: 1n, b: 2n })).toThrow(words);
  });
});

it.each([
  ["", 1, "expected a value before the end"],
  ["1 +", 4, "expected a value before the end"],
  ["(1", 3, "expected ) before the end"],
  ["1 2", 3, "unexpected 2"],
  ["1 ; 2", 3, "unexpected ; 2"],
  ["randm(1, 2)", 1, "no function randm; did you mean random?"],
  ["  random(1)", 3, "random takes 2 arguments, not 1"],
  ["random(2, 1)", 1, "random: the range is empty"],
  ["random_gaussian(1, 2, 1.5)", 1, "random_gaussian: the parameter must be at least 2"],
  ["zipfian(1, 2, 0)", 1, "zipfian: the parameter must be above 0"],
  ["debug(1)", 1, "debug: prints"],
  ["permute(1, 2)", 1, "permute: is not here"],
  ["9223372036854775808", 1, "9223372036854775808 is beyond 64 bits"],
  ["case 1 end", 6, "expected when before 1"],
  ["1 is 2", 6, "expected NULL, TRUE or FALSE before 2"],
])("refuses %j at column %i", (text, column, message) => {
  expect(parseExpression(text)).toMatchObject({
    column,
    message: expect.stringContaining(message) as string,
  });
});

it("names the variables of an expression", () => {
  const parsed = parseExpression("random(1, :a * :b) + case when :c then 1 end");
  expect("expression" in parsed && variablesOf(parsed.expression)).toEqual(["a", "b", "c"]);
});

describe("what is drawn", () => {
  const DRAWS = 50_000;

  /** The statistic of Pearson's test, over the numbers 1 .. chances.length. */
  function chiSquared(text: string, chances: readonly number[]): number {
    const prng = new Prng(7);
    const counts = chances.map(() => 0);
    for (let i = 0; i < DRAWS; i++) {
      const at = Number(valueOf(text, {}, prng)) - 1;
      counts[at] = (counts[at] ?? Number.NaN) + 1;
    }
    return counts.reduce((sum, count, i) => {
      const expected = (chances[i] ?? 0) * DRAWS;
      return sum + (count - expected) ** 2 / expected;
    }, 0);
  }

  const N = 10;
  const shares = (weights: readonly number[]): number[] => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  };
  const ranks = Array.from({ length: N }, (_, i) => i + 1);
  const normal = (x: number): number => {
    // Simpson's rule from 0 on.
    const steps = 2_000;
    const h = x / steps;
    const f = (t: number): number => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
    let sum = f(0) + f(x);
    for (let i = 1; i < steps; i++) sum += f(i * h) * (i % 2 === 1 ? 4 : 2);
    return 0.5 + (sum * h) / 3;
  };
  const exponentialShare = (i: number): number => Math.exp((-2.5 * (i - 1)) / N) - Math.exp((-2.5 * i) / N);
  const gaussianShare = (i: number): number => normal(-3 + (6 * i) / N) - normal(-3 + (6 * (i - 1)) / N);

  // The value that 9 degrees of freedom exceed in 1 of 1000 cases; the seed is fixed.
  it.each([
    ["random(1, 10)", shares(ranks.map(() => 1))],
    ["uniform(1, 10)", shares(ranks.map(() => 1))],
    ["random_zipfian(1, 10, 1.5)", shares(ranks.map((rank) => rank ** -1.5))],
    ["zipfian(1, 10, 0.99)", shares(ranks.map((rank) => rank ** -0.99))],
    ["random_exponential(1, 10, 2.5)", shares(ranks.map(exponentialShare))],
    ["random_gaussian(1, 10, 3)", shares(ranks.map(gaussianShare))],
    ["pick(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)", shares(ranks.map(() => 1))],
  ])("%s is distributed as it says", (text, chances) => {
    expect(chiSquared(text, chances)).toBeLessThan(27.88);
  });

  it("is the same with the same seed, and is what it is called", () => {
    expect(valueOf("uuid()")).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(valueOf("uuid()")).toBe(valueOf("uuid()"));
    expect(valueOf("text(200)")).toMatch(/^[^'"\\]{200}$/);
    const large = valueOf("random(1, 9000000000000000000)", {}, new Prng(3));
    expect(large).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });
});
