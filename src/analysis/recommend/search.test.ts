// The search of configurations on simulated response surfaces: it finds the better ones, keeps conditions, and ends.
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { Search, type Space } from "./search.js";

/** Two factors of `size` ordered levels each. */
function grid(size: number, present: number): Space {
  const neighbours = (one: number): number[] =>
    [one - size, one + size, one % size > 0 ? one - 1 : -1, one % size < size - 1 ? one + 1 : -1].filter(
      (other) => other >= 0 && other < size * size,
    );
  return { count: size * size, present, neighbours };
}

/** Runs rounds until the search ends or 40 rounds are over; returns the search and the configurations of each round. */
function searchSpace(
  space: Space,
  gainOf: (configuration: number) => number,
  excessOf: (configuration: number) => number = () => 0,
): { search: Search; rounds: number[][] } {
  const prng = new Prng(7);
  const search = new Search(space, prng);
  const rounds: number[][] = [];
  for (let round = search.next(); round.length > 0 && rounds.length < 40; round = search.next()) {
    rounds.push(round);
    for (const one of round)
      search.add(
        one,
        [0, 1].map(() => ({ gain: gainOf(one) + 0.02 * (prng.float() - 0.5), excesses: [excessOf(one)] })),
      );
  }
  return { search, rounds };
}

/** Response surface with its best value, 0, at (6, 5) of an 8 x 8 grid. */
const hill = (one: number): number => -0.05 * ((Math.floor(one / 8) - 6) ** 2 + ((one % 8) - 5) ** 2);

describe("a search for a configuration", () => {
  it("finds the best configuration before it has measured all", () => {
    const { rounds, search } = searchSpace(grid(8, 0), hill);
    const best = rounds.findIndex((round) => round.includes(6 * 8 + 5));
    expect(best).toBeLessThan(6);
    expect(search.ranking()[0]).toBe(6 * 8 + 5);
  });

  it("measures each configuration at most once in a round, without the present one", () => {
    const { rounds } = searchSpace(grid(8, 3), hill);
    for (const round of rounds) {
      expect(new Set(round).size).toBe(round.length);
      expect(round).not.toContain(3);
      expect(round.length).toBeLessThanOrEqual(8);
    }
  });

  it("ranks configurations that meet the conditions before faster ones that do not", () => {
    const { search } = searchSpace(grid(8, 0), hill, (one) => (one % 8 > 2 ? one % 8 : 0));
    expect((search.ranking()[0] ?? 0) % 8).toBeLessThanOrEqual(2);
  });

  it("repeats a configuration that missed a condition, until half of its trials miss the condition", () => {
    const search = new Search({ count: 20, present: 0, neighbours: () => [] }, new Prng(7));
    const addTrial = (one: number, excesses: readonly number[]): void =>
      search.add(
        one,
        excesses.map((excess) => ({ gain: one / 100, excesses: [-1, excess] })),
      );
    for (let one = 1; one < 19; one++) addTrial(one, [-0.3, -0.3]);
    addTrial(19, [0.2, -0.05]);
    expect(search.next()).toContain(19);
    expect(search.combinedScoreOf(19)).toMatchObject({ excess: 0.075 });
    addTrial(19, [-0.05, -0.05, -0.05, 0.2]);
    expect(search.ranking()[0]).toBe(19);
    expect(search.combinedScoreOf(19)).toMatchObject({ excess: 0 });
    addTrial(19, [0.2, 0.2, 0.2]);
    expect(search.ranking().at(-1)).toBe(19);
  });

  it("ends once all configurations are measured and the best ones have enough trials", () => {
    const { rounds, search } = searchSpace(grid(2, 0), (one) => one / 10);
    expect(rounds.length).toBeLessThan(6);
    expect(search.ranking()).toEqual([3, 2, 1]);
    expect(search.trialCountOf(3)).toBeGreaterThanOrEqual(6);
    expect(searchSpace({ count: 1, present: 0, neighbours: () => [] }, () => 0).rounds).toEqual([]);
  });
});
