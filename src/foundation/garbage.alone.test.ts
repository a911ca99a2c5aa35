// bench/scale.mjs and docs/lab/scale.md state the gain in a run.
import v8 from "node:v8";
import { afterEach, describe, expect, it, vi } from "vitest";
import { collectAllGarbage } from "./garbage.js";

function youngBytes(): number {
  return v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
}

/** Allocates like a preload: many objects, and some live for a while. */
function growYoungGeneration(): void {
  let kept: object[] = [];
  for (let i = 0; i < 3_000_000; i++) {
    if (kept.length >= 200_000) kept = [];
    kept.push({ i, words: [i, i + 1] });
  }
}

afterEach(() => void vi.unstubAllGlobals());

describe("garbage collection before a trial", () => {
  it("shrinks a grown young generation to at most 4 MB", async () => {
    growYoungGeneration();
    const grown = youngBytes();
    await collectAllGarbage();
    expect(grown).toBeGreaterThan(8e6);
    expect(youngBytes()).toBeLessThanOrEqual(4e6);
  });

  it("is skipped if Node has no inspector", async () => {
    vi.stubGlobal("process", { ...process, features: { ...process.features, inspector: false } });
    growYoungGeneration();
    await collectAllGarbage();
    expect(youngBytes()).toBeGreaterThan(8e6);
  });
});
