// The package, packed and installed in an empty directory: it writes a scenario, runs it on the included PostgreSQL, and
// finds the quickstart by its name.
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { onlyResultIn, scratchDirectory } from "../support/train-sim.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

it("the packed package, installed elsewhere, runs a new scenario and plans the quickstart", () => {
  const directory = scratchDirectory();
  const run = (cwd: string, ...command: [string, ...string[]]): string =>
    execFileSync(command[0], command.slice(1), { cwd, encoding: "utf8" });
  // `npm run test:full` has built the package before.
  run(ROOT, "npm", "pack", "--ignore-scripts", "--pack-destination", directory);
  const [file = ""] = readdirSync(directory);
  writeFileSync(join(directory, "package.json"), "{}");
  run(directory, "npm", "install", "--no-audit", "--no-fund", join(directory, file));

  run(directory, "npx", "train-sim", "init");
  const short = [
    "--trials",
    "1",
    "--duration",
    "1s",
    "--set",
    "trial.warmUp=0",
    "--quiet",
    "--out",
    "results",
  ];
  expect(run(directory, "npx", "train-sim", "run", "scenario.yaml", ...short)).toContain(
    join("results", "scenario-"),
  );
  const { result } = onlyResultIn(join(directory, "results"));
  expect(result.verdict.status).not.toBe("aborted");
  expect(result.treatments.map(({ trials }) => trials[0]?.integrity?.verdict)).toEqual(["ok", "ok"]);
  expect(run(directory, "npx", "train-sim", "run", "quickstart", "--plan")).toContain("15 trials");
});
