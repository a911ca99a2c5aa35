// Three lanes of `npm test`: `unit` is pure and quick; `db` talks to a real PostgreSQL; `e2e` runs the built program and its
// threads. Two more are run when asked for: `full` has what they leave out, and `mutants` plants changes and counts those
// that the audit finds.
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Tests that need servers, which the global set-up starts. */
function lane(
  name: string,
  groupOrder: number,
  testTimeout: number,
  include: string[],
  env: Record<string, string> = {},
): TestProjectInlineConfiguration {
  return {
    test: {
      ...{ name, include, env, testTimeout, environment: "node" },
      globalSetup: ["test/support/global-setup.ts"],
      hookTimeout: 60_000,
      maxWorkers: 2,
      sequence: { groupOrder },
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/support/*.test.ts"],
          exclude: ["src/**/*.db.test.ts"],
          environment: "node",
          // For busy machines: simulations and the lint of every file take seconds there.
          testTimeout: 30_000,
          // One less than there are processors is the default: one worker on two of them.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      lane("db", 1, 60_000, ["src/**/*.db.test.ts"]),
      lane("e2e", 2, 120_000, ["test/e2e/*.test.ts"]),
      lane(
        "full",
        3,
        600_000,
        [
          "test/full/*.test.ts",
          "test/**/fuzz-*.test.ts",
          "src/workloads/train-events/sql/{workload,workload-concurrency,dialect-conformance}.db.test.ts",
        ],
        { TRAIN_SIM_TESTS: "full", TRAIN_SIM_FUZZ_CASES: "1000" },
      ),
      lane("mutants", 4, 120_000, ["test/mutants/*.mutant.test.ts"]),
    ],
  },
});
