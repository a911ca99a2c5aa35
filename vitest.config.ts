// Three projects: `unit` is pure and quick; `db` talks to a real PostgreSQL that its global set-up starts; `mutants`, which
// is no part of `npm test`, plants changes there and counts those that the audit finds.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: ["src/**/*.db.test.ts"],
          environment: "node",
          // For busy machines: simulations and the lint of every file take seconds there.
          testTimeout: 30_000,
          // One less than there are processors is the default: one worker on two of them.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "db",
          include: ["src/**/*.db.test.ts"],
          environment: "node",
          globalSetup: ["src/testing/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          // Real servers on a shared machine: CI gives a failed test a second chance, and the reporter names it.
          retry: process.env["CI"] ? 1 : 0,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "mutants",
          include: ["test/mutants/*.mutant.test.ts"],
          environment: "node",
          globalSetup: ["src/testing/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
