// A short soak with a fixed seed: the whole program under random faults on servers of its own, each case audited. The
// long one is `npm run soak`; this one holds that it works, that it tells the truth of its cases, and that the first
// few of them break no law.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";
import { TrialResult } from "../../src/results/result-schema.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { scratchDirectory } from "../support/train-sim.js";

const SOAK = fileURLToPath(new URL("../../bench/soak.mjs", import.meta.url));
const CASES = 2;

const Outcome = z.object({
  cases: z.number(),
  failed: z.number(),
  audited: z.number(),
  events: z.object({ published: z.number(), lost: z.number(), duplicated: z.number() }),
  faults: z.array(z.object({ kind: z.string(), injected: z.number() })),
  trials: z.array(
    z.object({
      scenario: z.object({ faults: z.array(z.unknown()) }),
      violations: z.array(z.string()),
      trial: TrialResult,
    }),
  ),
});

async function soak(...args: string[]): Promise<{ exitCode: number | null; printed: string }> {
  const child = spawn(process.execPath, [SOAK, ...args], {
    env: pgBouncerEnv("1.24"),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { exitCode, printed };
}

test("under the faults of a few fixed cases no event is lost, and the table says what was injected", async () => {
  const out = join(scratchDirectory(), "soak.json");
  const { exitCode, printed } = await soak("--seed", "7", "--cases", String(CASES), "--out", out);
  expect(exitCode, printed).toBe(0);
  const outcome = Outcome.parse(JSON.parse(readFileSync(out, "utf8")));
  expect(outcome).toMatchObject({ cases: CASES, failed: 0, audited: CASES });
  expect(outcome.events).toMatchObject({ lost: 0, duplicated: 0 });
  expect(outcome.events.published).toBeGreaterThan(0);
  const asked = outcome.trials.flatMap(({ scenario }) => scenario.faults).length;
  expect(asked).toBeGreaterThanOrEqual(CASES);
  expect(outcome.faults.reduce((sum, { injected }) => sum + injected, 0)).toBe(asked);
  for (const { trial } of outcome.trials) expect(trial.integrity?.verdict).toBe("ok");
  for (const { kind } of outcome.faults) expect(printed).toContain(kind);
}, 300_000);

test("a soak that is asked for something else says what it takes", async () => {
  const { exitCode, printed } = await soak("--kinds", "earthquake");
  expect(exitCode).toBe(104);
  expect(printed).toMatch(/no fault earthquake; there are backend-terminate/);
});
