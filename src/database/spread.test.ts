// Assignment of clients to endpoints: the counts are the largest remainder's, and every thread's part of the clients is
// fair.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countsByWeight, assignEndpointsByWeight } from "./spread.js";
import { shareOf } from "../foundation/share.js";

describe("countsByWeight", () => {
  it.each([
    [[1], 5, [5]],
    [[1, 1, 1], 8, [3, 3, 2]],
    [[2, 1], 9, [6, 3]],
    [[2, 1], 10, [7, 3]],
    [[2, 1], 11, [7, 4]],
    [[0.5, 0.25, 0.25], 3, [1, 1, 1]],
    [[100, 1], 10, [10, 0]],
    [[3, 2, 1], 0, [0, 0, 0]],
  ])("divides by weights %j %i clients into %j", (weights, total, counts) => {
    expect(countsByWeight(weights, total)).toEqual(counts);
  });
});

const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });

describe("homesByWeight", () => {
  it("takes turns if weights are equal", () => {
    expect(assignEndpointsByWeight([1, 1, 1], 8)).toEqual([0, 1, 2, 0, 1, 2, 0, 1]);
  });

  it("gives every endpoint exactly its count", () => {
    fc.assert(
      fc.property(weights, fc.integer({ min: 0, max: 300 }), (of, total) => {
        const homes = assignEndpointsByWeight(of, total);
        expect(of.map((_, endpoint) => homes.filter((home) => home === endpoint).length)).toEqual(
          countsByWeight(of, total),
        );
      }),
    );
  });

  it("gives every thread a fair share of each endpoint, for any weights", () => {
    fc.assert(
      fc.property(
        weights,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 8 }),
        (of, total, threads) => {
          const homes = assignEndpointsByWeight(of, total);
          const counts = countsByWeight(of, total);
          let first = 0;
          for (let thread = 0; thread < threads; thread++) {
            const clients = shareOf(total, threads, thread);
            const own = homes.slice(first, first + clients);
            first += clients;
            counts.forEach((count, endpoint) => {
              const fair = (count * clients) / total;
              const has = own.filter((home) => home === endpoint).length;
              expect(Math.abs(has - fair)).toBeLessThan(of.length + 1);
            });
          }
        },
      ),
    );
  });

  it("gives every thread its share of an endpoint with a large weight", () => {
    const homes = assignEndpointsByWeight([6, 3, 3], 48);
    const threads = [0, 1, 2, 3].map((thread) => homes.slice(thread * 12, (thread + 1) * 12));
    for (const own of threads)
      expect([0, 1, 2].map((endpoint) => own.filter((home) => home === endpoint).length)).toEqual([6, 3, 3]);
  });
});
