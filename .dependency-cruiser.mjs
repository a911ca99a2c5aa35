// The layers of the house, lowest first: an import runs downward only, and folders of one line do not import each other.
const LAYERS = [
  ["foundation"],
  ["syntax", "metrics"],
  ["database", "load"],
  ["pools"],
  ["targets"],
  ["clients"],
  ["faults"],
  ["workloads"],
  ["scenario"],
  ["results"],
  ["analysis"],
  ["engine"],
  ["report", "logs", "learn"],
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
      from: {
        path: "^src/",
        pathNot: `^src/(database/postgres|pools/pg-pool|workloads/jobs/adapters)/|${TESTS}`,
      },
      to: { path: "node_modules/(pg|pg-pool|pg-connection-string|pgpass)/" },
    },
    {
      name: "mongodb-in-its-own-places",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: [TESTS, String.raw`^src/database/(mongodb/|registry\.ts$)`, "^src/workloads/[^/]+/stores/"],
      },
      to: { path: "^src/database/mongodb/|node_modules/mongodb/" },
    },
    {
      name: "driver-of-mysql-in-its-database",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/database/mysql/|${TESTS}` },
      to: { path: "node_modules/mysql2/" },
    },
    {
      name: "mysql-in-its-own-places",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: [TESTS, String.raw`^src/database/(mysql/|registry\.ts$)`, "^src/workloads/[^/]+/stores/"],
      },
      to: { path: "^src/database/mysql/" },
    },
    {
      name: "postgres-in-its-own-places",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: [
          TESTS,
          String.raw`^src/(learn/|database/(postgres/|registry\.ts$))`,
          String.raw`^src/pools/([^/]+/|(console|prepared-through)\.ts$)`,
          "^src/targets/(embedded|container)/",
          "^src/workloads/([^/]+/stores|jobs/adapters)/",
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
