// The output of `report --verify`: a row per differing figure with all files that contradict it, and a conclusion at the
// end.
import { expect, it } from "vitest";
import { renderVerification } from "./verification-text.js";
import type { Verification } from "./verification.js";

const AGREES: Verification = {
  directory: "dir",
  programVersion: "1.0.0",
  resultVersion: "1.0.0",
  figures: [
    { kind: "latencies", recomputed: 6, differing: 0 },
    { kind: "copies", recomputed: 90, differing: 0 },
  ],
  differences: [],
  notRecomputed: [],
};
const p99 = { path: "treatments[a].trials[1].operations.add.responseTimeMs.p99", stored: 1, recomputed: 2 };

it("the verification counts agreeing figures without copies", () => {
  expect(renderVerification(AGREES)).toContain("6 of 6 recomputed figures agree with the stored ones.\n");
});

it("the verification lists a differing figure once, with both values and all files that contradict it", () => {
  const text = renderVerification({
    ...AGREES,
    differences: [
      { kind: "latencies", ...p99 },
      { kind: "copies", ...p99 },
    ],
  });
  expect(text).toMatch(/responseTimeMs\.p99 +1 +2 +histograms\.hlog, trial\.json\n/);
  expect(text).toContain("1 figure differs: the result contradicts its files.\n");
  expect(text).not.toContain("agree with");
});

it("the verification names a missing file, and hints at another version of train-sim that wrote the result", () => {
  const missing = { what: "trial 1", reason: "x.hlog is not there", isMissing: true };
  expect(renderVerification({ ...AGREES, notRecomputed: [missing] })).toContain(
    "1 file could not be read: figures from it are not verified.",
  );
  const differing = { ...AGREES, differences: [{ kind: "statistics" as const, ...p99 }] };
  const hint = "Another version of train-sim made the result: verify with that version.";
  expect(renderVerification({ ...differing, resultVersion: "0.9.0" })).toContain(hint);
  expect(renderVerification(differing)).not.toContain(hint);
});

it("the verification lists at most 40 figures and counts the rest", () => {
  const differences = Array.from({ length: 45 }, (_, i) => ({
    kind: "merged" as const,
    path: `p${i}`,
    stored: i,
  }));
  expect(renderVerification({ ...AGREES, differences })).toMatch(/\np39 +39 +absent /);
  expect(renderVerification({ ...AGREES, differences })).toContain("and 5 more: --json lists all");
});
