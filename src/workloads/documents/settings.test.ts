import { expect, test } from "vitest";
import { parseScenario } from "../../scenario/loader.js";

const ON_MONGODB = "dialect: mongodb; target: 'mongodb://h'; ";
const scenario = (lines: string): string => `name: x\nworkload: documents\n${lines.replaceAll("; ", "\n")}`;

const MYSQL = "dialect: mysql; target: 'mysql://a@b/c'";
const MARIADB = "dialect: mariadb; target: 'mariadb://a@b/c'";

test.each([
  ["column: json; index: gin", "gin needs column: jsonb, and this one is json; use btree-id or none"],
  ["column: text; index: gin-path-ops", "gin-path-ops needs column: jsonb"],
  ["column: text; index: expression", "expression needs column: jsonb or json"],
  ["column: relational; index: expression", "expression needs column: jsonb or json"],
  ["column: text; update: jsonb_set", "jsonb_set needs column: jsonb, and this one is text; use whole"],
  ["column: jsonb; update: column", "column needs column: relational, and this one is jsonb"],
  ["column: relational; toast: external", "external is about the column of a document"],
  ["column: relational; shape: complex", "complex has values within values"],
  ["column: relational; shape: large; mix: slice", "a slice is cut out of a document"],
  ["mix: slice", "a slice is 10 of 100 values, and shape small has 10"],
  ["mix: slice; shape: complex; slice: record", "a record has the values of the first level only"],
  [
    "column: text; parse: build-object",
    "build-object needs column: jsonb, and this column is text; leave parse out",
  ],
  ["column: relational; shape: array", "array has values within values"],
  ["column: relational; mix: unwrap", "relational has no document to unwrap"],
  [
    "mix: E; index: gin",
    "a scan follows the order of ids, which gin lacks; use index: btree-id or expression",
  ],
  ["mix: slice; shape: array; slice: record", "where array has none; use paths"],
  ["index: multicolumn; bytes: 16kB", "of at most 1300 characters each, and here a value has 1"],
  ["index: multicolumn; column: text", "multicolumn needs column: jsonb or json"],
  ["mix: D; documents: 0", "0 leaves nothing to read, update, scan, slice or unwrap"],
  ["mix: load; documents: 0; keys: latest", "latest has no effect without documents"],
  ["shape: large; bytes: 1kB", "a document of shape large takes at least"],
  ["bytes: 255B", "must be at least 256 B"],
  ["mix: {}", "all weights are 0"],
  ["documents: 0", "0 leaves nothing to read, update, scan, slice or unwrap"],
  ["storage: pax", "storage: pax"],
  ["dialect: cockroachdb; target: { kind: url, url: 'postgresql://a@b/c' }", "runs on PostgreSQL itself"],
  ["index: generated-virtual", "PostgreSQL does not have index: generated-virtual"],
  ["column: json; update: json_set", "PostgreSQL does not have update: json_set"],
  [
    `column: jsonb; ${MYSQL}`,
    "MySQL does not have column: jsonb: it has one type for JSON; use column: json",
  ],
  [`index: gin; ${MYSQL}`, "MySQL does not have index: gin: it has no index on whole documents"],
  [`toast: external; ${MYSQL}`, "MySQL does not have toast: external"],
  [`update: jsonb_set; column: jsonb; ${MARIADB}`, "MariaDB does not have update: jsonb_set"],
  [
    `index: expression; ${MARIADB}`,
    "MariaDB does not have index: expression: it has indexes on columns only",
  ],
  [`index: multicolumn; ${MARIADB}`, "use index: generated-stored or generated-virtual"],
  [`${ON_MONGODB}column: text`, "MongoDB does not have column: text: MongoDB stores documents as BSON"],
  [`${ON_MONGODB}column: relational`, "use column: jsonb"],
  [`${ON_MONGODB}index: gin`, "MongoDB does not have index: gin: MongoDB indexes paths, by B-trees"],
  [`${ON_MONGODB}toast: main`, "MongoDB has no TOAST; use toast: extended"],
  [`${ON_MONGODB}parse: build-object`, "the driver sends documents as BSON; use parse: literal"],
  [`${ON_MONGODB}mix: slice; shape: large; slice: record`, "by a projection of paths; use slice: paths"],
  [
    `${ON_MONGODB}mix: slice; shape: array`,
    "a projection cannot name elements of an array; use shape: large",
  ],
  [`${ON_MONGODB}mix: unwrap`, "by $unwind, which takes an array; use shape: array"],
  [`${ON_MONGODB}storage: unlogged`, "MongoDB does not have storage: unlogged"],
  [
    "dialect: postgres; target: 'mongodb://h'",
    "postgres is no SQL of MongoDB, which the URL names; use mongodb",
  ],
  ["dialect: mongodb", "target.kind embedded is a PostgreSQL server; give the URL of yours"],
  ["prepared: simple", "statements of documents have parameters"],
  ["payload: jsonb", "belongs to workload train-events"],
])("workload documents refuses the settings %s", (lines, message) => {
  expect(() => parseScenario(scenario(lines), "scenario.yaml")).toThrow(message);
});

test.each([
  ["mix: load; documents: 0", { mix: { read: 0, insert: 1, update: 0, slice: 0 } }],
  ["mix: { read: 3, slice: 1 }; shape: large", { mix: { read: 3, insert: 0, update: 0, slice: 1 } }],
  ["column: text; mix: slice; shape: large; slice: record", { slice: "record" }],
  [`${ON_MONGODB}mix: unwrap; shape: array`, { dialect: "mongodb" }],
  ["target: 'mongodb://h'", { dialect: "mongodb", asksDialect: false }],
  ["dialect: auto; target: 'mongodb://h'; index: multicolumn", { dialect: "mongodb", asksDialect: true }],
  ["mix: B", { mix: { read: 95, update: 5, insert: 0 } }],
  ["mix: D; keys: latest", { mix: { read: 95, insert: 5 }, keys: "latest" }],
  ["mix: E; index: expression", { mix: { scan: 95, insert: 5 } }],
  ["mix: F", { mix: { read: 50, modify: 50, update: 0 } }],
  ["mix: unwrap; content: words", { mix: { unwrap: 1 }, content: "words" }],
  ["index: multicolumn; shape: large", { index: "multicolumn" }],
  ["bytes: 256B", { bytes: 256 }],
  ["index: generated-stored", { column: "jsonb", index: "generated-stored" }],
  [`index: expression; ${MYSQL}`, { column: "json", update: "json_set" }],
  [`column: text; ${MARIADB}`, { column: "text", update: undefined }],
  ["column: relational; shape: large; update: whole", { update: "whole" }],
])("workload documents accepts the settings %s", (lines, settings) => {
  const [treatment] = parseScenario(scenario(lines), "scenario.yaml").treatments;
  expect(treatment?.settings).toMatchObject(settings);
});
