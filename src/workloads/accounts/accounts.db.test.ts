import { join } from "node:path";
import { expect, it } from "vitest";
import { casesOf, isFull } from "../../../test/support/lanes.js";
import { onSuiteServer } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";

const VARIANTS = casesOf(["aggregates", "no-aggregates", "reads"], 2);

it("workload accounts counts every transfer of the budget as made or failed, and all balances add up", async () => {
  const out = join(scratchDirectory(), "results");
  const scenario = `
name: transfers
seed: 3
workload: accounts
${onSuiteServer("transfers")}
pool: { strategy: pg-pool, size: 6 }
factors: { isolation: [read committed, repeatable read], variant: [${VARIANTS.join(", ")}] }
${isFull ? "" : "exclude: [{ isolation: read committed, variant: no-aggregates }]"}
retry: { attempts: 1 }
diagnosis: { ceiling: false, maxFailureRatio: 1 }
actors: { clients: { load: { executor: per-client-iterations, clients: 6, iterations: 40 } } }
trial: { warmUp: 0, drain: false }
trials: 1
thresholds: { "transfer{variant:no-aggregates}": ["failedShare<0.05"] }
`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  for (const { levels, trials } of result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    const { transactions = 0, failures = {} } = operations.transfer ?? {};
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    expect(transactions + failed, JSON.stringify(levels)).toBe(240);
    expect(integrity).toMatchObject({ verdict: "ok", published: transactions, lost: 0, unbalanced: 0 });
    const isContended = levels.variant === "aggregates" && levels.isolation === "repeatable read";
    expect(failed > 0, JSON.stringify(levels)).toBe(isContended);
    if (isContended) expect(Object.keys(failures)).toEqual(["40001"]);
  }
}, 120_000);
