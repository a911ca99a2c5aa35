// Which claims are called wrong: what a claim gave, against what was asked for, and what it passed over, against what locks of
// others can explain.
import { describe, expect, it } from "vitest";
import type { Verification } from "../sql/verification.js";
import type { EventPass } from "../model/lifecycle.js";
import { SampleChecker } from "./sample-checks.js";

const LOCKED_MOST = 3;

async function claimed(
  passes: readonly EventPass[],
  limit: number,
  passedOver: readonly string[],
  isThere = true,
) {
  const verification: Verification = {
    newerThan: async () => [],
    isLive: async () => true,
    passedOver: async () => [...passedOver],
  };
  const checker = new SampleChecker({
    verification,
    beside: async (_, look) => (isThere ? look({} as Parameters<typeof look>[0]) : undefined),
    lifecycle: { wasPublishedBefore: (id) => !id.startsWith("new") },
    seed: 1,
    lockedMost: LOCKED_MOST,
  });
  const outcome = { passes, events: passes.length, claimed: 0, completedIds: [], failedIds: [] };
  await checker.claim({ client: 0, startedMs: 0 }, limit, outcome);
  return checker.total();
}
const pass = (id: string, was: EventPass["was"] = "PENDING"): EventPass => ({
  id,
  was,
  status: "PROCESSING",
});

describe("a sampled claim", () => {
  it("is right in key order, within its limit, while locks can explain what it passed over", async () => {
    const total = await claimed([pass("a"), pass("b", "PROCESSING")], 2, ["x", "y", "z", "new1", "new2"]);
    expect(total).toMatchObject({ claims: { sampled: 1, verified: 1 }, misclaimed: 0 });
  });

  it("is wrong where it passed over more events than can be locked", async () => {
    const total = await claimed([pass("a")], 2, ["w", "x", "y", "z"]);
    expect(total).toMatchObject({ misclaimed: 1, named: [{ kind: "misclaimed", id: "w" }] });
  });

  it.each([
    { passes: [pass("a"), pass("b")], limit: 1, id: "b" },
    { passes: [pass("a", "COMPLETE")], limit: 2, id: "a" },
    { passes: [pass("a"), pass("a")], limit: 2, id: "a" },
    { passes: [pass("b"), pass("a")], limit: 2, id: "a" },
  ])("is wrong by itself: $id of $passes.length", async ({ passes, limit, id }) => {
    expect(await claimed(passes, limit, [])).toMatchObject({ misclaimed: 1, named: [{ id }] });
  });

  it("is sampled and not verified where the tables could not be asked, and not sampled without events", async () => {
    expect(await claimed([pass("a")], 1, [], false)).toMatchObject({ claims: { sampled: 1, verified: 0 } });
    expect(await claimed([], 1, [])).toMatchObject({ claims: { sampled: 0, verified: 0 } });
  });
});
