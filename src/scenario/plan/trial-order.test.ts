// The order of trials: blocks balanced by position and predecessor, random by a separate seed that does not change the
// events. Orders and seeds of earlier versions.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SCENARIO_EXAMPLES } from "../../cli/reference/reference-examples.js";
import { parseScenario } from "../loader.js";
import type { PlannedTrial } from "../settings.js";
import { planTrials, type OrderSettings } from "./trial-order.js";

const plan = fc.record({
  treatments: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 8 }),
  trials: fc.integer({ min: 1, max: 20 }),
  seed: fc.nat(),
});

function interleave(
  treatments: readonly string[],
  trials: number,
  seed: number,
  more: Partial<OrderSettings> = {},
): PlannedTrial[] {
  return planTrials(treatments, { trials, order: "interleaved", seed, ...more });
}

function blocksOf(order: readonly PlannedTrial[], size: number): string[][] {
  return Array.from({ length: order.length / size }, (_, block) =>
    order.slice(block * size, (block + 1) * size).map(({ treatmentId }) => treatmentId),
  );
}

/** How often the rarest and the most frequent of `keys` occur in `seen`. */
function extent(seen: readonly string[], keys: readonly string[]): [least: number, most: number] {
  const counts = keys.map((key) => seen.filter((each) => each === key).length);
  return [Math.min(...counts), Math.max(...counts)];
}

const text = (order: readonly PlannedTrial[]): string =>
  order.map(({ treatmentId }) => treatmentId).join(" ");

describe("interleaved trials", () => {
  test("form blocks that contain each treatment once and have a distinct seed", () => {
    fc.assert(
      fc.property(plan, ({ treatments, trials, seed }) => {
        const order = interleave(treatments, trials, seed);
        expect(order.map(({ number }) => number)).toEqual(order.map((_, i) => i + 1));
        const seeds = new Set<number>();
        for (let block = 0; block < trials; block++) {
          const part = order.slice(block * treatments.length, (block + 1) * treatments.length);
          expect(part.map(({ treatmentId }) => treatmentId).sort()).toEqual([...treatments].sort());
          expect(new Set(part.map((trial) => trial.block))).toEqual(new Set([block]));
          expect(new Set(part.map((trial) => trial.seed)).size).toBe(1);
          seeds.add(part[0]?.seed ?? -1);
        }
        expect(seeds.size).toBe(trials);
      }),
    );
  });

  test("have each treatment at each position equally often, within one", () => {
    fc.assert(
      fc.property(plan, ({ treatments, trials, seed }) => {
        const blocks = blocksOf(interleave(treatments, trials, seed), treatments.length);
        for (let position = 0; position < treatments.length; position++) {
          const [least, most] = extent(
            blocks.map((block) => block[position] ?? ""),
            treatments,
          );
          expect(most - least).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test.each([2, 3, 4, 5, 6, 7])("follow each other equally often for each pair of %d treatments", (count) => {
    const treatments = Array.from({ length: count }, (_, i) => `t${i}`);
    const blocks = blocksOf(interleave(treatments, count % 2 === 0 ? count : 2 * count, 5), count);
    const followed = blocks.flatMap((block) => block.slice(1).map((id, i) => `${block[i] ?? ""} ${id}`));
    const pairs = treatments.flatMap((one) =>
      treatments.filter((other) => other !== one).map((other) => `${one} ${other}`),
    );
    const times = count % 2 === 0 ? 1 : 2;
    expect(extent(followed, pairs)).toEqual([times, times]);
  });

  test("are random: over 3000 seeds, each order of three treatments is about equally frequent", () => {
    const orders = new Map<string, number>();
    for (let seed = 0; seed < 3000; seed++) {
      const first = text(interleave(["a", "b", "c"], 1, seed));
      orders.set(first, (orders.get(first) ?? 0) + 1);
    }
    expect(orders.size).toBe(6);
    for (const count of orders.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
  });

  test("depend on orderSeed, which does not change the seeds of documents", () => {
    const many = ["a", "b", "c", "d", "e", "f"];
    const order = interleave(many, 8, 7);
    expect(interleave(many, 8, 7)).toEqual(order);
    expect(text(interleave(many, 8, 8))).not.toBe(text(order));
    const other = interleave(many, 8, 7, { orderSeed: 8 });
    expect(text(other)).not.toBe(text(order));
    expect(other.map(({ seed }) => seed)).toEqual(order.map(({ seed }) => seed));
    const load = (line: string): readonly PlannedTrial[] =>
      parseScenario(`name: x\nseed: 7\ntrials: 8\nfactors: { payload: [jsonb, text] }\n${line}`, "x").trials;
    expect(load("")).toEqual(load("orderSeed: 7"));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => text(load(`orderSeed: ${seed}`)))).size).toBeGreaterThan(1);
  });

  test("keep the seeds that earlier versions gave to blocks", () => {
    expect(interleave(["a", "b"], 2, 42).map(({ seed }) => seed)).toEqual([
      4021230886, 4021230886, 1391247872, 1391247872,
    ]);
  });
});

test("sequential trials run treatment by treatment, with the same seeds of blocks", () => {
  const order = planTrials(["a", "b"], { trials: 3, order: "sequential", seed: 5 });
  expect(order.map(({ treatmentId, block }) => `${treatmentId}${block}`).join(" ")).toBe("a0 a1 a2 b0 b1 b2");
  expect(order[0]?.seed).toBe(order[3]?.seed);
  const seedOf = (block: number): number | undefined =>
    interleave(["a", "b"], 3, 5).find((trial) => trial.block === block)?.seed;
  expect(order.slice(0, 3).map(({ seed }) => seed)).toEqual([seedOf(0), seedOf(1), seedOf(2)]);
});

test("a duet's trials run in pairs, each treatment equally often on each server", () => {
  const duet = planTrials(["a", "b"], { trials: 5, order: "duet", seed: 5 });
  expect(text(duet)).toBe(text(interleave(["a", "b"], 5, 5)));
  for (const [i, trial] of duet.entries()) {
    const other = duet[i % 2 === 0 ? i + 1 : i - 1];
    expect(trial.duet).toEqual({ server: (i % 2) + 1, beside: other?.treatmentId });
  }
  const onFirst = duet.filter(({ treatmentId, duet: at }) => treatmentId === "a" && at?.server === 1).length;
  expect([2, 3]).toContain(onFirst);
  expect(interleave(["a", "b"], 1, 5)[0]?.duet).toBeUndefined();
});

test("a resumed run keeps its stored order if its trials are the same", () => {
  const stored = ["b", "a", "b", "a"];
  expect(text(interleave(["a", "b"], 2, 1, { stored }))).toBe("b a b a");
  const planned = interleave(["a", "b"], 2, 1);
  expect(interleave(["a", "b"], 2, 1, { stored: ["a", "a", "b", "c"] })).toEqual(planned);
  expect(interleave(["a", "b"], 2, 1, { stored: ["a", "b"] })).toEqual(planned);
});

test.each(SCENARIO_EXAMPLES.map(({ title, yaml }) => [title, yaml]))(
  "the baseline of the example %s is not last in every block",
  (_, yaml) => {
    const { trials, treatments } = parseScenario(yaml, "example.yaml", { defaultSeed: 1 });
    const last = blocksOf(trials, treatments.length).map((block) => block.at(-1));
    expect(treatments.length === 1 || last.some((id) => id !== treatments[0]?.id)).toBe(true);
  },
);
