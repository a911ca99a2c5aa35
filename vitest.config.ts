// Four lanes of `npm test`, side by side: `unit` is pure and quick; `alone` replaces modules or looks at memory, so each of
// its files has a process of its own; `db` talks to real servers; `e2e` runs the built program and its threads. Five more
// have a command: `full` has what these leave out, `quiet` needs the machine to itself, `mutants` plants changes and counts
// those that the audit finds, `mongodb` builds a server, which takes minutes, and `queues` needs Go, Python and packages.
// No limit here is about speed, and nothing is tried twice: a limit ends what hangs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** On two processors three: many a test waits for its window to end while others compute. */
const WORKERS = 3;
/** Beside a load of 20 on two processors, a test that takes 10 s alone takes two minutes. */
const HUNG_MS = 400_000;

/** In runs of a few seconds V8's optimising compiler and its helper threads take more time than they save. */
const SHORT_RUNS = { TRAIN_SIM_NODE_OPTIONS: "--no-opt --single-threaded-gc" };

const testsIn = (...roots: string[]): string[] =>
  roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => join(root, file)),
  );

/** Whether a file has cases that `full` alone runs, by test/support/lanes.ts. */
const isSplit = (file: string): boolean =>
  /support\/(lanes|combinations|pool-strategies|queue-program)\.js"/.test(readFileSync(file, "utf8"));

function lane(
  name: string,
  include: string[],
  more: Pick<
    NonNullable<TestProjectInlineConfiguration["test"]>,
    "exclude" | "env" | "globalSetup" | "isolate" | "testTimeout" | "maxWorkers" | "sequence"
  > = {},
): TestProjectInlineConfiguration {
  return {
    test: {
      ...{ name, include, environment: "node", maxWorkers: WORKERS },
      ...{ testTimeout: HUNG_MS, hookTimeout: HUNG_MS },
      ...(!["unit", "alone"].includes(name) && { globalSetup: ["test/support/global-setup.ts"] }),
      ...more,
      ...(name !== "alone" && { setupFiles: ["test/support/clean-scratch.ts"] }),
    },
  };
}

export default defineConfig({
  test: {
    // Lanes share transformed files, and so do runs.
    experimental: { fsModuleCache: true },
    projects: [
      lane("unit", ["src/**/*.test.ts", "test/support/*.test.ts"], {
        exclude: ["src/**/*.db.test.ts", "**/*.alone.test.ts", "**/*.ferretdb.test.ts"],
        isolate: false,
      }),
      lane("alone", ["src/**/*.alone.test.ts", "test/support/*.alone.test.ts"]),
      lane("db", ["src/**/*.db.test.ts"], { isolate: false, env: SHORT_RUNS }),
      lane("e2e", ["test/e2e/*.test.ts"], { isolate: false, env: SHORT_RUNS }),
      lane(
        "full",
        ["test/full/*.test.ts", "test/*/fuzz-*.test.ts", ...testsIn("src", "test").filter(isSplit)],
        { env: { TRAIN_SIM_TESTS: "full", TRAIN_SIM_FUZZ_CASES: "400" }, testTimeout: 900_000 },
      ),
      // Each file alone, after the other lanes: its cases need a difference that the load of other tests would hide.
      lane("quiet", ["test/quiet/*.test.ts"], {
        ...{ maxWorkers: 1, sequence: { groupOrder: 1 }, testTimeout: 900_000 },
      }),
      lane("mongodb", ["src/**/*.ferretdb.test.ts", "test/ferretdb/*.test.ts"], {
        globalSetup: ["test/support/ferretdb/setup.ts"],
        testTimeout: 120_000,
      }),
      lane("queues", ["test/queues/*.test.ts"], { env: { TRAIN_SIM_TESTS: "full" } }),
      lane("mutants", ["test/mutants/*.mutant.test.ts"]),
    ],
  },
});
