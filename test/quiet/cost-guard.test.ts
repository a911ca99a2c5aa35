// `bench:cost` as the guard of the client's cost: it passes the same program and fails on a more expensive program.
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { changedProgram, replaceIn } from "../support/changed-program.js";
import { MAIN } from "../support/train-sim.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/**
 * Increase of the cost that the test plants, as a share. 24 pairs, whose interval reaches 2.5 % to each side, find it with
 * a limit of 3 %.
 */
const PLANTED_SHARE = 0.1;
const ROUNDS = "24";
const HUNG_MS = 30 * 60_000;
const START = "const startMs = this.options.nowMs();";

interface Cost {
  readonly status: number | null;
  /** CPU time of the client in microseconds per transaction, in pairs: the last commit's program and this one. */
  readonly pairs: readonly [number, number][];
}

function compare(program: string): Cost {
  const base = execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  const args = ["--base", base, "--program", program, "--only", "set-based", "--rounds", ROUNDS, "--json"];
  const { status, stdout } = spawnSync(process.execPath, ["bench/cost.mjs", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { results } = JSON.parse(stdout) as { results: { what: string; pairs: [number, number][] }[] };
  return { status, pairs: results.find(({ what }) => what === "transaction")?.pairs ?? [] };
}

let same: Cost;
beforeAll(() => {
  same = compare(MAIN);
}, HUNG_MS);

it("bench:cost passes if both programs are the same", () => {
  expect(same.pairs).toHaveLength(Number(ROUNDS));
  expect(same.status).toBe(0);
});

it(
  "bench:cost fails on a program whose client takes 10 % more processor time",
  () => {
    const meanUs = same.pairs.reduce((sum, [us]) => sum + us, 0) / same.pairs.length;
    const loop = `for (const end = process.hrtime.bigint() + ${Math.round(meanUs * PLANTED_SHARE * 1000)}n; process.hrtime.bigint() < end; );`;
    const program = changedProgram((directory) => {
      replaceIn(path.join(directory, "src/clients/measuring.ts"), START, `${START} ${loop}`);
    });
    expect(compare(program).status).toBe(1);
  },
  HUNG_MS,
);
