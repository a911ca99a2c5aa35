// The layers of the house, lowest first: an import runs downward only, and folders of one line do not import each other.
const LAYERS = [
  ["foundation"],
  ["syntax", "metrics"],
  ["database", "load"],
  ["pools"],
  ["targets"],
  ["actors"],
  ["faults"],
  ["workloads"],
  ["scenario"],
  ["results"],
  ["analysis"],
  ["engine"],
  ["report", "logs"],
  ["live", "verify"],
  ["cli"],
];
const TESTS = String.raw`\.test\.ts$|^test/`;
const inFolders = (folders) => `^src/(${folders.join("|")})/`;

const downward = LAYERS.flatMap((folders, level) =>
  folders.map((folder) => ({
    name: `${folder}-imports-downward`,
    severity: "error",
    from: { path: inFolders([folder]), pathNot: TESTS },
    to: {
      path: inFolders(
        LAYERS.slice(level)
          .flat()
          .filter((each) => each !== folder),
      ),
    },
  })),
);

/** Files that still import PostgreSQL from outside of its folder, its poolers, targets and stores. The list only shrinks. */
const STILL_OF_POSTGRES = [
  "src/workloads/accounts/audit.ts",
  "src/workloads/accounts/balances.ts",
  "src/workloads/accounts/client.ts",
  "src/workloads/accounts/sql.ts",
  "src/workloads/accounts/workload.ts",
  "src/workloads/calls/audit.ts",
  "src/workloads/calls/batch.ts",
  "src/workloads/calls/client.ts",
  "src/workloads/calls/preload.ts",
  "src/workloads/calls/statements.ts",
  "src/workloads/connections/audit.ts",
  "src/workloads/connections/settings.ts",
  "src/workloads/connections/workload.ts",
  "src/workloads/module/run-module.ts",
  "src/workloads/pgbench-tables.ts",
  "src/workloads/script/audit.ts",
  "src/workloads/script/client.ts",
  "src/workloads/script/machine.ts",
  "src/workloads/script/try-out.ts",
  "src/workloads/script/workload.ts",
  "src/workloads/train-events/audit/audit.ts",
  "src/workloads/train-events/audit/event-audit.ts",
  "src/workloads/train-events/audit/expected-document.ts",
  "src/workloads/train-events/audit/key-audit.ts",
  "src/workloads/train-events/workload.ts",
];

export default {
  forbidden: [
    ...downward,
    { name: "no-cycle", severity: "error", from: { pathNot: TESTS }, to: { circular: true } },
    {
      name: "workloads-by-their-registry",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/workloads/|${TESTS}` },
      to: { path: "^src/workloads/[^/]+/" },
    },
    {
      name: "findings-below-terminal-and-html",
      severity: "error",
      from: { path: "^src/report/(findings|html|terminal)/", pathNot: TESTS },
      to: { path: "^src/report/(html|terminal)/", pathNot: "^src/report/$1/" },
    },
    {
      name: "driver-in-its-database-and-pool",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/(database/postgres|pools/pg-pool)/|${TESTS}` },
      to: { path: "node_modules/(pg|pg-pool|pg-connection-string|pgpass)/" },
    },
    {
      name: "postgres-in-its-own-places",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: [
          TESTS,
          String.raw`^src/database/(postgres/|registry\.ts$)`,
          "^src/pools/pg(-pool|bouncer|pool)/",
          "^src/targets/(embedded|container)/",
          "^src/workloads/([^/]+/stores|train-events/sql)/",
          ...STILL_OF_POSTGRES.map((file) => `^${file.replaceAll(".", String.raw`\.`)}$`),
        ],
      },
      to: { path: "^src/database/postgres/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
