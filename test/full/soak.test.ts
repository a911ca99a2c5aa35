// A short soak with a fixed seed: the whole program under random faults on separate servers, each case audited. It checks
// that the soak works and reports its cases truthfully, and that its first few cases break no law; the long one is `npm run
// soak`.
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
const REPORT = new URL("../../bench/soak-report.mjs", import.meta.url).href;
const CASES = 2;
const ALLOWED = { allow: ["lost"] };

const Outcome = z.object({
  cases: z.number(),
  failed: z.number(),
  audited: z.number(),
  events: z.object({ published: z.number(), lost: z.number(), duplicated: z.number() }),
  targets: z.array(
    z.object({ target: z.string(), events: z.object({ unexplained: z.number(), duplicated: z.number() }) }),
  ),
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
    env: pgBouncerEnv(),
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

test("a soak of a few fixed cases loses no event, and its table names the injected faults", async () => {
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

test("a soak with standbys fails over, and loses nothing that the failover does not explain", async () => {
  const out = join(scratchDirectory(), "soak.json");
  const options = ["--seed", "7", "--case", "3", "--standbys", "2", "--kinds", "failover"];
  const { exitCode, printed } = await soak(...options, "--out", out);
  expect(exitCode, printed).toBe(0);
  const { targets, faults } = Outcome.parse(JSON.parse(readFileSync(out, "utf8")));
  expect(faults).toMatchObject([{ kind: "failover", injected: 1 }]);
  expect(targets).toMatchObject([
    { target: "2 standbys, quorum", events: { unexplained: 0, duplicated: 0 } },
  ]);
  expect(printed).toContain("2 standbys, quorum");
}, 300_000);

interface LossCase {
  readonly case: string;
  readonly found: object;
  readonly allowed?: object;
  readonly violations: readonly string[];
}

const LOSS_CASES: readonly LossCase[] = [
  {
    case: "lost events without a reason",
    found: { lost: 3, losses: [{ operation: "add", lost: 3, unexplained: 0 }] },
    violations: ["lost 3 events and 0 passes and archivings, where nothing may be"],
  },
  {
    case: "lost passes",
    found: { losses: [{ operation: "process", lost: 2, unexplained: 0 }] },
    violations: ["lost 0 events and 2 passes and archivings, where nothing may be"],
  },
  {
    case: "allowed losses that no fault explains",
    found: { lost: 5, losses: [{ operation: "add", lost: 5, unexplained: 2 }] },
    allowed: ALLOWED,
    violations: ["lost 2 that no fault explains"],
  },
  {
    case: "duplicated events where losses are allowed",
    found: { duplicated: 1 },
    allowed: ALLOWED,
    violations: ["duplicated 1"],
  },
  {
    case: "nothing if losses are allowed and a fault explains them",
    found: { lost: 5, losses: [{ operation: "add", lost: 5, unexplained: 0 }] },
    allowed: ALLOWED,
    violations: [],
  },
  { case: "nothing if nothing was lost", found: {}, violations: [] },
];

test.each(LOSS_CASES)(
  "a soak reports of a trial whose verdict is ok: $case",
  async ({ found, allowed, violations }) => {
    const { violationsOf } = (await import(REPORT)) as { violationsOf: (ended: object) => string[] };
    const integrity = { verdict: "ok", violations: [], lost: 0, duplicated: 0, ...found };
    const result = { treatments: [{ trials: [{ status: "complete", integrity }] }] };
    const scenario = { faults: [], ...(allowed && { integrity: allowed }) };
    const ended = { exitCode: 0, signal: null, result, scenario };
    expect(violationsOf(ended)).toEqual(violations);
  },
);

test("a soak with an unknown fault is refused with the known faults", async () => {
  const { exitCode, printed } = await soak("--kinds", "earthquake");
  expect(exitCode).toBe(104);
  expect(printed).toMatch(/no fault earthquake; there are backend-terminate/);
});
