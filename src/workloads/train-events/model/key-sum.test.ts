import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import { batchKeys, ID_KINDS, idsOf } from "../../event-id.js";
import { KEY_FACTORS, KeySum } from "./key-sum.js";

const sumOf = (ids: readonly string[]): KeySum => new KeySum().addAll(ids);
const batch = (kind: (typeof ID_KINDS)[number], seed: number, number = 0): string[] =>
  idsOf(batchKeys(kind, 40, 7, number, 1.7e12, new Prng(seed)));

/** The definition, word by word, in whole numbers of any size. */
function byDefinition(ids: readonly string[]): { count: number; u: number; v: number } {
  const modulus = 2n ** 32n;
  const mix = (x: bigint): bigint => {
    const y = ((x ^ (x >> 16n)) * BigInt(KEY_FACTORS.mix)) % modulus;
    return y ^ (y >> 15n);
  };
  const sum = (factors: readonly number[]): number =>
    Number(
      ids.reduce((total, id) => {
        const hex = id.replaceAll("-", "");
        const words = [0, 8, 16, 24].map((at) => BigInt(`0x${hex.slice(at, at + 8)}`));
        const x = words.reduce((all, word, i) => all + word * BigInt(factors[i] ?? 0), 0n) % modulus;
        return (total + mix(x)) % modulus;
      }, 0n),
    );
  return { count: ids.length, u: sum(KEY_FACTORS.u), v: sum(KEY_FACTORS.v) };
}

describe.each(ID_KINDS)("the sum of %s keys", (kind) => {
  test("equals its definition", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.nat(1e6), (seed, number) => {
        const ids = batch(kind, seed, number);
        const { count, u, v } = sumOf(ids);
        expect({ count, u, v }).toEqual(byDefinition(ids));
      }),
    );
  });

  test("does not depend on order, upper case or partition of the keys", () => {
    const ids = batch(kind, 5);
    expect(sumOf(new Prng(1).shuffle([...ids])).equals(sumOf(ids))).toBe(true);
    expect(sumOf(ids.map((id) => id.toUpperCase())).equals(sumOf(ids))).toBe(true);
    expect(
      sumOf(ids.slice(0, 13))
        .join(sumOf(ids.slice(13)))
        .equals(sumOf(ids)),
    ).toBe(true);
  });

  test("changes if a key is left out, duplicated or replaced", () => {
    const ids = batch(kind, 5);
    const others = batch(kind, 6, 1);
    for (let i = 0; i < ids.length; i++) {
      const without = ids.filter((_, at) => at !== i);
      expect(sumOf(without).equals(sumOf(ids))).toBe(false);
      expect(sumOf([...ids, ids[i] as string]).equals(sumOf(ids))).toBe(false);
      const swapped = sumOf([...without, others[i] as string]);
      expect(swapped.count).toBe(ids.length);
      expect(swapped.u === sumOf(ids).u || swapped.v === sumOf(ids).v).toBe(false);
    }
  });

  test("is different for every key of a large set", () => {
    const sums = new Set<string>();
    for (let number = 0; number < 2_000; number++)
      for (const id of batch(kind, 1, number)) {
        const { u, v } = sumOf([id]);
        sums.add(`${u} ${v}`);
      }
    expect(sums.size).toBe(2_000 * 40);
  });
});

test("the factors of a key sum keep products within a signed 64-bit integer of SQL", () => {
  for (const factor of [...KEY_FACTORS.u, ...KEY_FACTORS.v]) {
    expect(factor).toBeLessThan(2 ** 29);
    expect(factor % 2).toBe(1);
  }
  expect(KEY_FACTORS.mix).toBeLessThan(2 ** 31);
});
