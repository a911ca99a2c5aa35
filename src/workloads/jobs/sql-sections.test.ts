import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { product } from "../../../test/support/combinations.js";
import { DESIGN_NAMES, DESIGNS, designProblem } from "./designs.js";
import { readSqlOfDesign } from "./sql-sections.js";

const FILE = `-- example: comment of the file
-- schema
CREATE TABLE {{schema}}.jobs (id int);

-- schema, retire: archive
CREATE TABLE {{schema}}.archive (id int);

-- schema, retire: keep, layout: hot
CREATE TABLE {{schema}}.kept (id int);

-- name: claim
-- A comment of the statement.
SELECT id::text FROM {{schema}}.jobs WHERE id = :id AND n < :limit AND (:id::int) > 0

-- name: complete, retire: archive
MOVE

-- name: complete
DELETE
`;

describe("readSqlOfDesign", () => {
  const read = (levels: Record<string, string>) => readSqlOfDesign(FILE, levels, { schema: '"s"' });

  it("joins all parts of the schema whose levels match", () => {
    expect(read({ retire: "archive", layout: "hot" }).schema).toBe(
      'CREATE TABLE "s".jobs (id int);\n\nCREATE TABLE "s".archive (id int);',
    );
    expect(read({ retire: "keep", layout: "two-tables" }).schema).toBe('CREATE TABLE "s".jobs (id int);');
  });

  it("takes the first statement whose levels match", () => {
    expect(read({ retire: "archive" }).statements.get("complete")?.text).toBe("MOVE");
    expect(read({ retire: "delete" }).statements.get("complete")?.text).toBe("DELETE");
  });

  it("numbers parameters by their first place, and leaves casts alone", () => {
    expect(read({}).statements.get("claim")).toEqual({
      name: "claim",
      text: '-- A comment of the statement.\nSELECT id::text FROM "s".jobs WHERE id = $1 AND n < $2 AND ($1::int) > 0',
      parameters: ["id", "limit"],
    });
  });

  it("refuses a placeholder that has no text", () => {
    expect(() => readSqlOfDesign("-- schema\n{{other}}", {}, {})).toThrow("{{other}} is no placeholder");
  });
});

const LEVELS = {
  retire: ["delete", "archive", "keep", "drop-partition"],
  layout: ["status-index", "hot", "two-tables"],
  ids: ["bigint", "uuidv4", "uuidv7"],
} as const;

describe.each(DESIGN_NAMES)("design %s", (design) => {
  const file = readFileSync(`schema/jobs/${design}.sql`, "utf8");

  it("has a statement of each kind for all levels that it allows", () => {
    for (const levels of product(LEVELS)) {
      if (designProblem(design, levels)) continue;
      const { statements } = readSqlOfDesign(file, levels, { schema: "s", fillfactor: "90", batch: "1" });
      expect([...statements.keys()], JSON.stringify(levels)).toEqual(
        expect.arrayContaining(["enqueue", "session", "claim", "complete", "fail", "jobs"]),
      );
    }
  });

  it("begins with five lines on its trade-offs", () => {
    const lines = file.split("\n");
    expect(lines[0]).toMatch(`-- ${design}: `);
    expect(lines.findIndex((line) => line === "")).toBe(5);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  it("names the key, the reason and the levels that it has when it refuses a level", () => {
    const { retires } = DESIGNS[design];
    for (const levels of product(LEVELS)) {
      const problem = designProblem(design, levels);
      if (problem) expect(problem.message).toMatch(/^queue \w+ has no (retire|layout|jobIds) .+: .+; use .+/);
      else expect(retires).toContain(levels.retire);
    }
    expect(designProblem(design, { layout: "status-index", ids: "bigint" })).toBeUndefined();
  });
});

it("has a file for each design and no other", () => {
  expect(readdirSync("schema/jobs").sort()).toEqual(DESIGN_NAMES.map((name) => `${name}.sql`).sort());
});
