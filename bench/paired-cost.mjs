// Measures the load's cost of a feature, for benches: one run of train-sim itself on a scenario whose only factor turns the
// feature on and off, interleaved, compared block by block by events processed per second. It uses the built program and
// throws if that fails; callers decide whether a cost is too high.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "#program/analysis/statistics/quantiles.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Treatments of a run of a scenario. The bench's own arguments go on to `train-sim run`. */
export function treatmentsOf(scenario) {
  const out = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const program = here("../dist/cli/main.js");
  const args = [program, "run", here(scenario), "--json", "--out", out, ...process.argv.slice(2)];
  const run = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  });
  rmSync(out, { recursive: true, force: true });
  if (run.status !== 0) throw new Error(`train-sim ended with ${run.status}`);

  return JSON.parse(run.stdout).treatments;
}

/** Costs as shares of the rate, block by block. `without` and `withIt` are ids of the two treatments. */
export function pairedCost(scenario, without, withIt) {
  const treatments = treatmentsOf(scenario);
  const rates = (id) =>
    treatments.find((each) => each.id === id).trials.map((trial) => trial.operations.process.eventsPerSecond);
  const eventsPerSecond = { [without]: rates(without), [withIt]: rates(withIt) };
  const costs = eventsPerSecond[without]
    .map((rate, block) => 1 - eventsPerSecond[withIt][block] / rate)
    .sort((a, b) => a - b);
  return { eventsPerSecond, costs, medianCost: median(costs) };
}

export const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** Prints the cost with its range, and sets exit code 1 if the median is above the bound. */
export function report(what, { eventsPerSecond, costs, medianCost }, bound) {
  console.log(JSON.stringify({ eventsPerSecond, medianCost }));
  console.log(
    `cost of ${what}: median ${percent(medianCost)} over ${costs.length} blocks (${percent(costs[0])} .. ${percent(costs.at(-1))}); bound ${percent(bound)}`,
  );
  if (medianCost > bound) process.exitCode = 1;
}
