// The generator against golden values of an independent implementation and against statistics. All streams are seeded.
import { describe, expect, test } from "vitest";
import { deriveSeed, freshSeed, generateSecret, Prng } from "./prng.js";

function take(seed: number, high: number, count: number): number[] {
  const prng = new Prng(0);
  prng.reseed(seed, high);
  return Array.from({ length: count }, () => prng.uint32());
}

/** Pearson's statistic of `counts` against equal shares. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe("Prng", () => {
  // Worked out in Python with unbounded integers from the published sfc32, not with this code.
  test.each([
    [0, 0, [1427488602, 1980682239, 456575201, 3300212312, 1743954244]],
    [42, 0, [1849552023, 4223452576, 118919111, 3893884377, 145076852]],
    [0xffffffff, 0, [506297756, 1926839009, 3864918345, 2392433906, 1573103425]],
    [42, 7, [2229867019, 1291708863, 22530524, 2469857607, 2215954665]],
  ])("seed %d with high bits %d gives the reference stream", (seed, high, expected) => {
    expect(take(seed, high, 5)).toEqual(expected);
  });

  test("reseeding restarts the stream after any number of draws", () => {
    const prng = new Prng(7);
    const first = [prng.uint32(), prng.uint32(), prng.uint32()];
    for (let i = 0; i < 1000; i++) prng.float();
    prng.reseed(7);
    expect([prng.uint32(), prng.uint32(), prng.uint32()]).toEqual(first);
  });

  test("floats are uniform over [0, 1)", () => {
    const prng = new Prng(deriveSeed("uniformity"));
    const counts = new Array<number>(64).fill(0);
    let [lowest, highest] = [1, 0];
    for (let i = 0; i < 640_000; i++) {
      const value = prng.float();
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
      const bucket = Math.floor(value * 64);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    expect(lowest).toBeGreaterThanOrEqual(0);
    expect(highest).toBeLessThan(1);
    // 63 degrees of freedom: 0.1 % of fair generators exceed 103.4.
    expect(chiSquare(counts)).toBeLessThan(103.4);
  });

  test("every one of the 32 bits is set half of the time", () => {
    const prng = new Prng(deriveSeed("bits"));
    const set = new Array<number>(32).fill(0);
    const draws = 100_000;
    for (let i = 0; i < draws; i++) {
      const value = prng.uint32();
      for (let bit = 0; bit < 32; bit++) set[bit] = (set[bit] ?? 0) + ((value >>> bit) & 1);
    }
    // Five standard deviations of a fair coin.
    for (const count of set) expect(Math.abs(count - draws / 2)).toBeLessThan(5 * Math.sqrt(draws / 4));
  });

  test("whole numbers are uniform over their range, both ends included", () => {
    const prng = new Prng(3);
    const counts = new Map<number, number>();
    for (let i = 0; i < 91_000; i++) {
      const value = prng.intBetween(10, 100);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    expect(Math.min(...counts.keys())).toBe(10);
    expect(Math.max(...counts.keys())).toBe(100);
    // 90 degrees of freedom: 0.1 % of fair generators exceed 137.2.
    expect(counts.size).toBe(91);
    expect(chiSquare([...counts.values()])).toBeLessThan(137.2);
    expect(prng.intBetween(5, 5)).toBe(5);
  });

  test("a shuffle keeps every item and gives each order its share", () => {
    const prng = new Prng(11);
    const orders = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = prng.shuffle(["a", "b", "c", "d"]).join("");
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(24);
    for (const order of orders.keys()) expect(order.split("").sort().join("")).toBe("abcd");
    // 23 degrees of freedom: 0.1 % of fair shuffles exceed 49.7.
    expect(chiSquare([...orders.values()])).toBeLessThan(49.7);
  });
});

describe("deriveSeed", () => {
  test("gives the reference hashes", () => {
    expect(deriveSeed(42, "document", "producer/3")).toBe(2891567454);
    expect(deriveSeed(42, "document", "producer/4")).toBe(1049456757);
    expect(deriveSeed(2 ** 40 + 5, "x")).toBe(1888124021);
    expect(deriveSeed("a", "b")).toBe(3607242462);
  });

  test("depends on boundaries between labels, their order, their type and the high half of a number", () => {
    expect(deriveSeed("a", "b")).not.toBe(deriveSeed("ab"));
    expect(deriveSeed("a", "b")).not.toBe(deriveSeed("b", "a"));
    expect(deriveSeed(1)).not.toBe(deriveSeed("1"));
    expect(deriveSeed(5)).not.toBe(deriveSeed(2 ** 32 + 5));
  });

  test("neighbouring labels give streams that are not correlated", () => {
    for (let actor = 0; actor < 20; actor++) {
      const one = new Prng(deriveSeed(42, "actor", actor));
      const other = new Prng(deriveSeed(42, "actor", actor + 1));
      const draws = 20_000;
      let product = 0;
      for (let i = 0; i < draws; i++) product += (one.float() - 0.5) * (other.float() - 0.5);
      // The product of two independent uniforms has a standard deviation of 1/12.
      expect(Math.abs(product / draws)).toBeLessThan(5 / 12 / Math.sqrt(draws));
    }
  });

  test("neighbouring high bits of a seed give different streams from the first draw on", () => {
    const first = new Set(Array.from({ length: 20_000 }, (_, index) => take(42, index, 1)[0]));
    // 20 000 draws of 32 bits are expected to collide 0.05 times.
    expect(first.size).toBeGreaterThanOrEqual(19_998);
  });
});

describe("a generated secret or seed", () => {
  test("secrets are hexadecimal, have the requested length and never repeat", () => {
    const secrets = new Set(Array.from({ length: 200 }, () => generateSecret(16)));
    expect(secrets.size).toBe(200);
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{32}$/);
    expect(generateSecret()).toMatch(/^[0-9a-f]{36}$/);
  });

  test("a fresh seed is an unsigned 32-bit number and differs from one call to the next", () => {
    const seeds = Array.from({ length: 50 }, freshSeed);
    for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32).toBe(true);
    expect(new Set(seeds).size).toBeGreaterThan(48);
  });
});
