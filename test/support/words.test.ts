// Words that no text for a user holds: DESIGN's list of what reads as translated. Of the program's source these are the
// literals, as TypeScript's own parser finds them; of documents all that is written.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const REFUSED =
  /\b(?:(?:is|are|cannot be|so) told|told apart|nobody|whoever|somebody|anew|so many|cannot mend|as it is had|given up for good)\b|\bMind\b/i;

/** Literals that hold such a word for another reason: the name of a user. */
const ALLOWED: readonly string[] = [
  "nobody",
  "Add an unprivileged user such as nobody, or run train-sim as one.",
];

function filesBelow(directory: string, ending: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
    .sort();
}

function literalsOf(path: string): string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      literals.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest));
  return literals;
}

const misses = (path: string, texts: readonly string[]): string[] =>
  texts
    .filter((text) => REFUSED.test(text) && !ALLOWED.includes(text))
    .map((text) => `${path}: ${text.trim().slice(0, 160)}`);

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n");

describe("words that read as translated are in no text for a user", () => {
  it("of the program", () => {
    const files = filesBelow("src", ".ts").filter((path) => !path.endsWith(".test.ts"));
    expect(files.length).toBeGreaterThan(300);
    expect(files.flatMap((path) => misses(path, literalsOf(path)))).toEqual([]);
  });

  it("of a scenario, or of the schema for editors", () => {
    const files = [...filesBelow("scenarios", ".yaml"), ...filesBelow("schema", ".json")];
    expect(files.flatMap((path) => misses(path, linesOf(path)))).toEqual([]);
  });

  it("of the documents", () => {
    const files = ["README.md", ...filesBelow("docs", ".md"), ...filesBelow("docker", "README.md")];
    expect(files.flatMap((path) => misses(path, linesOf(path)))).toEqual([]);
  });

  it("and would be found", () => {
    expect(misses("x.ts", ["Nobody is told."])).toEqual(["x.ts: Nobody is told."]);
    expect(misses("x.ts", ["mind the gap, it was told"])).toEqual(["x.ts: mind the gap, it was told"]);
  });
});
