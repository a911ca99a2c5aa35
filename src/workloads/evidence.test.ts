import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  ALL_EVIDENCE,
  DATABASE_EVIDENCE,
  PER_EVENT_EVIDENCE,
  POOLER_EVIDENCE,
  SAMPLED_METRICS,
} from "./evidence.js";

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/reference/${name}.md`, import.meta.url), "utf8");

it("the evidence catalogue names each metric once, and each field once per place", () => {
  const names = SAMPLED_METRICS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const place of [DATABASE_EVIDENCE, POOLER_EVIDENCE, PER_EVENT_EVIDENCE]) {
    const fields = place.map(({ field }) => field);
    expect(new Set(fields).size).toBe(fields.length);
  }
});

it("the reference documents each stored figure and each figure that thresholds accept", () => {
  const missing = (text: string, of: typeof ALL_EVIDENCE): string[] =>
    of.map(({ field }) => field).filter((field) => !text.includes(`\`${field}\``));
  const stored = ALL_EVIDENCE.filter(({ isStored }) => isStored !== false);
  expect(missing(page("evidence"), stored)).toEqual([]);
  const asked = ALL_EVIDENCE.filter(({ isThreshold }) => isThreshold);
  expect(missing(page("thresholds"), asked)).toEqual([]);
});
