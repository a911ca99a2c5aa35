// Four lanes of `npm test`, side by side: `unit` is pure and quick; `alone` replaces modules or looks at memory, so each of
// its files has a process of its own; `db` talks to a real PostgreSQL; `e2e` runs the built program and its threads. `full` has what these leave out, and `mutants` plants changes and counts those that the audit
// finds. No limit here is about speed, and nothing is tried twice: a limit ends what hangs.
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** On two processors three: many a test waits for its window to end while others compute. */
const WORKERS = 3;

function lane(
  name: string,
  include: string[],
  more: Pick<
    NonNullable<TestProjectInlineConfiguration["test"]>,
    "exclude" | "env" | "isolate" | "testTimeout"
  > = {},
): TestProjectInlineConfiguration {
  return {
    test: {
      ...{ name, include, environment: "node", maxWorkers: WORKERS },
      ...{ testTimeout: 120_000, hookTimeout: 120_000, ...more },
      ...(!["unit", "alone"].includes(name) && { globalSetup: ["test/support/global-setup.ts"] }),
      ...(name !== "alone" && { setupFiles: ["test/support/clean-scratch.ts"] }),
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      lane("unit", ["src/**/*.test.ts", "test/support/*.test.ts"], {
        exclude: ["src/**/*.db.test.ts", "**/*.alone.test.ts"],
        isolate: false,
      }),
      lane("alone", ["src/**/*.alone.test.ts", "test/support/*.alone.test.ts"]),
      lane("db", ["src/**/*.db.test.ts"], { isolate: false }),
      lane("e2e", ["test/e2e/*.test.ts"], { isolate: false }),
      lane(
        "full",
        [
          ...["test/full/*.test.ts", "test/*/fuzz-*.test.ts", "src/analysis/comparison/findings.test.ts"],
          "test/e2e/{evidence,faults,fidelity,judgement,open-loop,report,report-page,resume,run,secrets,verify}.test.ts",
          "src/pools/{conformance,pooled-treatments,pgpool/pgpool}.db.test.ts",
          "src/workloads/{accounts,documents,module,pgbench,script,train-events/sql}/*.db.test.ts",
          "src/workloads/train-events/audit/audit.db.test.ts",
        ],
        { env: { TRAIN_SIM_TESTS: "full", TRAIN_SIM_FUZZ_CASES: "400" }, testTimeout: 900_000 },
      ),
      lane("mutants", ["test/mutants/*.mutant.test.ts"]),
    ],
  },
});
