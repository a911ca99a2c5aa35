// What logging costs the load: the same closed-loop treatment with the trial's log at its default level and silent,
// interleaved in one run of train-sim itself, compared by events processed a second. Prints the paired ratio
// with its range and exits with 1 when the median cost is above 3 %.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BOUND = 0.03;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
const args = [
  here("../dist/cli/main.js"),
  "run",
  here("logging.yaml"),
  "--json",
  "--out",
  out,
  ...process.argv.slice(2),
];
const run = spawnSync(process.execPath, args, {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
  maxBuffer: 1 << 28,
});
rmSync(out, { recursive: true, force: true });
if (run.status !== 0) throw new Error(`train-sim ended with ${run.status}`);

const { treatments } = JSON.parse(run.stdout);
const rates = (id) =>
  treatments.find((each) => each.id === id).trials.map((trial) => trial.operations.process.eventsPerSecond);
const [silent, info] = [rates("silent"), rates("info")];
const costs = silent.map((rate, block) => 1 - info[block] / rate).sort((a, b) => a - b);
const median = costs[Math.floor(costs.length / 2)];
const percent = (share) => `${(share * 100).toFixed(1)} %`;
console.log(JSON.stringify({ silentEventsPerSecond: silent, infoEventsPerSecond: info, medianCost: median }));
console.log(
  `cost of logging: median ${percent(median)} over ${costs.length} blocks (${percent(costs[0])} .. ${percent(costs.at(-1))}); bound ${percent(BOUND)}`,
);
process.exitCode = median > BOUND ? 1 : 0;
