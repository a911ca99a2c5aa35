// Words that read as translated: no text for a user and no comment holds them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const REFUSED =
  /\b(?:(?:is|are|cannot be|so) told|told apart|nobody|whoever|somebody|anew|so many|cannot mend|as it is had|given up for good)\b|\bMind\b/i;

/** Comments are sentences or noun phrases about their thing: none begins like this or holds such a word. */
const REFUSED_IN_COMMENTS =
  /^(?:Of|As|By|For|In|With|Where|Those|Told|Beside)\b|\b(?:those of|of (?:its|their|one's) own|beside|told|whoever|nobody|somebody|anew|so many|muster|lifeline|bell)\b/i;

const CODE = ["bench", "src", "test"];

/** Literals that hold such a word for another reason: the name of a user. */
const ALLOWED: readonly string[] = [
  "nobody",
  "Add an unprivileged user such as nobody, or run train-sim as one.",
];

function filesBelow(directory: string, ...endings: readonly string[]): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
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

/** Comments of a file; consecutive line comments are a single comment. */
function commentsOf(path: string): string[] {
  const found = readFileSync(path, "utf8").matchAll(/^[ \t]*(?:\/\*\*[^]*?\*\/|(?:\/\/.*\n[ \t]*)+)/gm);
  return [...found].map(([comment]) =>
    comment
      .replace(/^[ \t]*(?:\/\/|\/\*\*|\*(?!\/))|\*\//gm, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
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

  it("of a comment", () => {
    const files = CODE.flatMap((folder) => filesBelow(folder, ".ts", ".mjs"));
    const refused = files.flatMap((path) =>
      commentsOf(path)
        .filter((comment) => REFUSED_IN_COMMENTS.test(comment))
        .map((comment) => `${path}: ${comment.slice(0, 160)}`),
    );
    expect(refused).toEqual([]);
  });

  it("and would be found", () => {
    expect(misses("x.ts", ["Nobody is told."])).toEqual(["x.ts: Nobody is told."]);
    expect(misses("x.ts", ["mind the gap, it was told"])).toEqual(["x.ts: mind the gap, it was told"]);
  });
});
