import { expect, test } from "vitest";
import { exampleTrial } from "../../../test/support/example-result.js";
import type { TreatmentResult } from "../../results/result-schema.js";
import { planTrials } from "../../scenario/plan/trial-order.js";
import { placeSentences } from "./caveats.js";

const NOISE = [0.004, -0.002, 0.001, -0.003, 0, 0.002, -0.001, 0.003];

interface Plan {
  readonly ids: readonly string[];
  readonly order: "interleaved" | "duet" | "sequential";
  readonly blocks?: number;
  /** Share by which each later place of a block takes longer, 0.1 is 10 %. */
  readonly place: number;
}

/** Planned trials of treatments, each of which takes 1.5 times as long as the treatment before it. */
function treatments({ ids, order, blocks = 7, place }: Plan): TreatmentResult[] {
  const planned = planTrials(ids, { trials: blocks, order, seed: 3 });
  return ids.map((id, t) => ({
    id,
    levels: { payload: id },
    merged: null,
    trials: planned
      .filter(({ treatmentId }) => treatmentId === id)
      .map(({ number, block, duet }) => {
        const later = (1 + place) ** ((number - 1) % ids.length);
        const meanMs = 10 * 1.5 ** t * later * Math.exp(NOISE[(number * 3 + t) % NOISE.length] ?? 0);
        return { ...exampleTrial(block, number, meanMs), ...(duet && { duet }) };
      }),
  }));
}

test("the second server of a duet is named with its slowdown, which ratios are said to exclude", () => {
  const [sentence, ...more] = placeSentences({
    treatments: treatments({ ids: ["a", "b"], order: "duet", place: 0.1 }),
  });
  expect(more).toEqual([]);
  expect(sentence).toMatch(
    /^The mean response time on the second server was (9\.\d|10\.\d) % longer for add \[9\.\d, 10\.\d\], .* for process \[.*\]\. This effect of the place is taken out of all ratios\.$/,
  );
});

test("positions in a block are named with the difference of their response times", () => {
  const two = { ids: ["a", "b"], order: "interleaved", place: -0.1 } as const;
  expect(placeSentences({ treatments: treatments(two) })[0]).toMatch(
    /^The mean response time of the second trial in a block was (9|10)\.\d % shorter for add \[9\.\d, 10\.\d\]/,
  );
  const three = treatments({ ...two, ids: ["a", "b", "c"], place: 0.05 });
  expect(placeSentences({ treatments: three })[0]).toMatch(
    /of each later trial in a block was (4\.9|5\.\d) % longer for add/,
  );
});

test("positions are not named for noise, few blocks, one treatment or a fixed order", () => {
  const plan = { ids: ["a", "b"], order: "interleaved", place: 0.1 } as const;
  expect(placeSentences({ treatments: treatments({ ...plan, place: 0 }) })).toEqual([]);
  expect(placeSentences({ treatments: treatments({ ...plan, blocks: 4 }) })).toEqual([]);
  expect(placeSentences({ treatments: treatments({ ...plan, ids: ["a"] }) })).toEqual([]);
  expect(placeSentences({ treatments: treatments({ ...plan, order: "sequential" }) })).toEqual([]);
});
