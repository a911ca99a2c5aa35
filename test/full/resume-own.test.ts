// Interrupted user-defined workloads: they are continued if unchanged, refused if their files were changed, and verified
// afterwards.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
} from "../support/train-sim.js";

const SCENARIOS = fileURLToPath(new URL("../../scenarios/", import.meta.url));

it.each([
  [
    "a file of SQL",
    "./bank.sql",
    "bank.sql",
    ["weight: 9", "weight: 8"],
    "workload.sql is line 13: -- weight: 9 there",
  ],
  ["a module", "./orders.mjs", "orders.mjs", ["weight: 4", "weight: 3"], "workload.hash is "],
  [
    "scripts of pgbench",
    { pgbench: ["look.sql@2", "builtin:simple-update"] },
    "look.sql",
    ["SELECT abalance", "SELECT bid"],
    "workload.pgbench[0].sql is line 2: SELECT abalance FROM",
  ],
])(
  "--resume continues %s, and refuses a changed file with the difference",
  async (_, workload, file, [before, after], words) => {
    const directory = scratchDirectory();
    const path = join(directory, file);
    if (file === "look.sql")
      writeFileSync(
        path,
        "\\set aid random(1, 100000)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n",
      );
    else cpSync(join(SCENARIOS, file), path);
    const scenario = join(directory, "own.yaml");
    const document = {
      ...{ name: "own", workload },
      ...{ trials: 3, trial: { warmUp: 0, duration: "1s", drain: false }, retry: { attempts: 100 } },
      ...{ actors: { clients: { load: { clients: 2, thinkTime: "10ms" } } }, diagnosis: { ceiling: false } },
    };
    writeFileSync(scenario, JSON.stringify(document));
    const out = join(directory, "results");
    const { child, ended } = startTrainSim(["run", scenario, "--out", out, "--quiet"]);
    await untilLogged(out, '"trial":2,');
    child.kill("SIGKILL");
    await ended;
    const { directory: stored } = onlyResultIn(out);

    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(before ?? "", after ?? ""));
    const refused = await trainSim(["run", scenario, "--resume", stored]);
    expect(refused.exitCode).toBe(104);
    expect(refused.stderr).toContain(words);
    expect(refused.stderr.split("\n").length).toBeLessThan(5);
    writeFileSync(path, text);

    const resumed = await trainSim(["run", "--resume", stored]);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const trials = onlyResultIn(dirname(stored)).result.treatments[0]?.trials ?? [];
    expect(trials.map(({ status, integrity }) => [status, integrity?.verdict])).toEqual(
      Array(3).fill(["complete", "ok"]),
    );
    const verified = await trainSim(["report", stored, "--verify"]);
    expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
  },
);
