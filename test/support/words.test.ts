// Words that read as translated: no text for a user, no comment, no identifier and no name of a test holds them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const REFUSED =
  /\b(?:(?:is|are|cannot be|so) told|told apart|nobody|whoever|somebody|anew|so many|cannot mend|as it is had|given up for good)\b|\bMind\b/i;

/** Comments are sentences or noun phrases about their thing: none begins like this or holds such a word. */
const REFUSED_IN_COMMENTS =
  /^(?:Of|As|By|For|In|With|Where|Those|Told|Beside)\b|\b(?:those of|of (?:its|their|one's) own|beside|told|whoever|nobody|somebody|anew|so many|muster|lifeline|bell)\b/i;

/** First words of a fragment, and words that only their author understands. */
const REFUSED_IN_NAMES =
  /^(?:of|as|by|for|in|with|where|those|told|beside|and|but|or|nor|than|unless|even|not|so|too|also)\b|\b(?:tells?|rehears\w*|doubled|outlast\w*|whatever|whichever)\b/i;

const NAME_LENGTH = 120;

/** Words of identifiers that do not name their thing. */
const REFUSED_IN_IDENTIFIERS =
  /(?:^|_)(?:actors?|told|untold|said|musters?|lifeline|bells?|beside|whoever|nobody|somebody|anew|rehears\w*)(?:_|$)|^(?:shown|updated)$/;

/** Refused words that an identifier may still be, because they are keys of scenarios, results and logs. */
const STORED_NAMES = ["actors", "actor", "beside"];

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

const parse = (path: string, code: string): ts.SourceFile =>
  ts.createSourceFile(path, code, ts.ScriptTarget.Latest);

function literalsOf(path: string): string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      literals.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(parse(path, readFileSync(path, "utf8")));
  return literals;
}

/** The function that an expression such as `it.each(rows)` begins with. */
function rootOf(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return rootOf(callee.expression);
  return "";
}

interface TestName {
  readonly isGroup: boolean;
  readonly text: string;
}

/** Names of groups and tests that are literals; an inserted expression is a single character. */
function testNamesOf(file: ts.SourceFile): TestName[] {
  const names: TestName[] = [];
  const visit = (node: ts.Node): void => {
    const root = ts.isCallExpression(node) ? rootOf(node.expression) : "";
    const name = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (["describe", "it", "test"].includes(root) && name !== undefined) {
      const isGroup = root === "describe";
      if (ts.isStringLiteralLike(name)) names.push({ isGroup, text: name.text });
      if (ts.isTemplateExpression(name))
        names.push({
          isGroup,
          text: [name.head.text, ...name.templateSpans.map((span) => span.literal.text)].join("…"),
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

const isFragment = ({ isGroup, text }: TestName): boolean =>
  REFUSED.test(text) ||
  REFUSED_IN_COMMENTS.test(text) ||
  REFUSED_IN_NAMES.test(text) ||
  text.length > NAME_LENGTH ||
  (isGroup ? text.trim() === "" : !text.trim().includes(" "));

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

const isNameOfDeclaration = (node: ts.Node): node is ts.Identifier =>
  ts.isIdentifier(node) && (node.parent as Partial<ts.NamedDeclaration>).name === node;

/** Names that a file declares; imported names and properties of literals are declared elsewhere. */
function declaredNamesOf(path: string, code: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const { parent } = node;
    if (isNameOfDeclaration(node) && !ts.isImportSpecifier(parent) && !ts.isPropertyAssignment(parent))
      names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true));
  return names;
}

function isRefusedIdentifier(name: string): boolean {
  const words = name.replace(/([a-z0-9])(?=[A-Z])/g, "$1_").toLowerCase();
  return REFUSED_IN_IDENTIFIERS.test(words) && !STORED_NAMES.includes(name);
}

const misses = (path: string, texts: readonly string[]): string[] =>
  texts
    .filter((text) => REFUSED.test(text) && !ALLOWED.includes(text))
    .map((text) => `${path}: ${text.trim().slice(0, 160)}`);

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n");

describe("words that read as translated", () => {
  it("are in no string literal of the program", () => {
    const files = filesBelow("src", ".ts").filter((path) => !path.endsWith(".test.ts"));
    expect(files.length).toBeGreaterThan(300);
    expect(files.flatMap((path) => misses(path, literalsOf(path)))).toEqual([]);
  });

  it("are in no scenario and not in the schema for editors", () => {
    const files = [...filesBelow("scenarios", ".yaml"), ...filesBelow("schema", ".json")];
    expect(files.flatMap((path) => misses(path, linesOf(path)))).toEqual([]);
  });

  it("are in no document", () => {
    const files = ["README.md", ...filesBelow("docs", ".md"), ...filesBelow("docker", "README.md")];
    expect(files.flatMap((path) => misses(path, linesOf(path)))).toEqual([]);
  });

  it("are in no comment of the code", () => {
    const files = CODE.flatMap((folder) => filesBelow(folder, ".ts", ".mjs"));
    const refused = files.flatMap((path) =>
      commentsOf(path)
        .filter((comment) => REFUSED_IN_COMMENTS.test(comment))
        .map((comment) => `${path}: ${comment.slice(0, 160)}`),
    );
    expect(refused).toEqual([]);
  });

  it("are found in upper and lower case, anywhere in a sentence", () => {
    expect(misses("x.ts", ["Nobody is told."])).toEqual(["x.ts: Nobody is told."]);
    expect(misses("x.ts", ["mind the gap, it was told"])).toEqual(["x.ts: mind the gap, it was told"]);
  });
});

describe("an identifier", () => {
  it("names its thing in every file of the code", () => {
    const files = CODE.flatMap((folder) => filesBelow(folder, ".ts", ".mjs"));
    const refused = files.flatMap((path) =>
      declaredNamesOf(path, readFileSync(path, "utf8"))
        .filter(isRefusedIdentifier)
        .map((name) => `${path}: ${name}`),
    );
    expect(refused).toEqual([]);
  });

  it.each(["Told", "UPDATED", "shown", "rulesBeside", "RoleActor", "BEGUN_ANEW", "isRehearsal"])(
    "is refused if it is %s",
    (name) => {
      expect(declaredNamesOf("x.ts", `const ${name} = 1;`).filter(isRefusedIdentifier)).toEqual([name]);
    },
  );

  it.each(["actors", "isShown", "factor", "updatedAt"])("may be %s", (name) => {
    expect(isRefusedIdentifier(name)).toBe(false);
  });
});

describe("the name of a test", () => {
  const namesOf = (code: string): TestName[] => testNamesOf(parse("x.test.ts", code));

  it("is neither a fragment nor a riddle", () => {
    const files = ["src", "test"].flatMap((folder) => filesBelow(folder, ".test.ts"));
    expect(files.length).toBeGreaterThan(400);
    const refused = files.flatMap((path) =>
      testNamesOf(parse(path, readFileSync(path, "utf8")))
        .filter(isFragment)
        .map(({ text }) => `${path}: ${text}`),
    );
    expect(refused).toEqual([]);
  });

  it("is read from each form of describe, it and test", () => {
    const code = `
      describe("a", () => { it("b", f); });
      it.each([1])("c", f);
      test.skipIf(x).for(rows)(\`d \${e} f\`, f);
      it(name, f);
      it2("g", f);`;
    expect(namesOf(code)).toEqual([
      { isGroup: true, text: "a" },
      { isGroup: false, text: "b" },
      { isGroup: false, text: "c" },
      { isGroup: false, text: "d … f" },
    ]);
  });

  it.each([
    "commits",
    "%s",
    "",
    "of a comment",
    "And would be found",
    "rolls back what it was told",
    "keeps order ".repeat(11),
  ])("is refused if it is %j", (text) => {
    expect(isFragment({ isGroup: false, text })).toBe(true);
  });

  it.each(["rolls back on an error", "$title is refused with its line"])("may be %j", (text) => {
    expect(isFragment({ isGroup: false, text })).toBe(false);
  });
});
