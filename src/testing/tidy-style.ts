// The rules about single source files: clocks, randomness, lengths, the opening comment, escapes from the type
// checker, and names that say nothing. They look at the syntax tree, so that a word in a string or a comment does
// not count. Each returns what it found and leaves the verdict to the tidy test.
import ts from "typescript";
import { isOutsideProgram, isTest, lineOf, parse, type SourceFile, type Violation } from "./tidy-imports.js";

export const MAX_FILE_LINES = 250;
export const MAX_FUNCTION_LINES = 70;
export const OPENING_SENTENCES = { min: 2, max: 6 };

const CLOCK_READS = new Set([
  "Date.now",
  "performance.now",
  "performance.timeOrigin",
  "process.hrtime",
  "process.uptime",
]);
const RANDOM_NAMES = new Set([
  "randomBytes",
  "randomUUID",
  "randomInt",
  "randomFill",
  "randomFillSync",
  "getRandomValues",
]);
/** Names that could stand for anything, whatever their case. */
const BARE_NAMES = new Set(["latency", "time", "job", "data", "manager", "utils"]);
const ESCAPES = /eslint-disable|@ts-(ignore|nocheck|expect-error)/;
/** Dots that end no sentence. */
const ABBREVIATIONS = /\b(e\.g|i\.e|etc|vs|cf|approx)\.(?=\s+[a-z0-9(`])/g;

type Check = (file: SourceFile, source: ts.SourceFile) => Violation[];

function visitAll(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => visitAll(child, visit));
}

function collect(
  file: SourceFile,
  source: ts.SourceFile,
  rule: string,
  judge: (node: ts.Node) => string | undefined,
): Violation[] {
  const found: Violation[] = [];
  visitAll(source, (node) => {
    const message = judge(node);
    if (message !== undefined) found.push({ path: file.path, line: lineOf(source, node), rule, message });
  });
  return found;
}

/** The object and name of `a.b`, `globalThis.a.b` and `a["b"]`, as `a.b`. */
function memberName(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return `${lastName(node.expression)}.${node.name.text}`;
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
    return `${lastName(node.expression)}.${node.argumentExpression.text}`;
  return undefined;
}

function lastName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : "";
}

const clocks: Check = (file, source) =>
  collect(file, source, "clock", (node) => {
    const name = memberName(node);
    if (name !== undefined && CLOCK_READS.has(name)) return `reads a clock: ${name}`;
    const isDate =
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === "Date";
    if (isDate && (ts.isCallExpression(node) || !node.arguments?.length)) return "reads a clock: Date()";
    if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === "hrtime")
      return "reads a clock: hrtime";
    return undefined;
  });

const randomness: Check = (file, source) =>
  collect(file, source, "randomness", (node) => {
    if (memberName(node) === "Math.random") return "makes randomness: Math.random";
    const isUse = ts.isIdentifier(node) && RANDOM_NAMES.has(node.text);
    return isUse ? `makes randomness: ${node.text}` : undefined;
  });

const fileLength: Check = (file, source) => {
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  if (lines <= MAX_FILE_LINES) return [];
  const message = `${lines} lines, at most ${MAX_FILE_LINES}`;
  return [{ path: file.path, line: lineOf(source, source.endOfFileToken), rule: "file length", message }];
};

const functionLength: Check = (file, source) =>
  collect(file, source, "function length", (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return undefined;
    const first = lineOf(source, node);
    const last = source.getLineAndCharacterOfPosition(node.end).line + 1;
    const lines = last - first + 1;
    return lines > MAX_FUNCTION_LINES ? `${lines} lines, at most ${MAX_FUNCTION_LINES}` : undefined;
  });

/** The comment that the file opens with, without its markers; empty when it opens with anything else. */
function openingComment(text: string): string {
  const body = text.replace(/^#!.*\n/, "").trimStart();
  const block = /^\/\*[\s\S]*?\*\//.exec(body)?.[0] ?? /^(\/\/.*(\n|$))+/.exec(body)?.[0] ?? "";
  return block.replace(/^\s*(\/\/|\/\*+|\*+\/|\*)/gm, "").replace(/\*\/\s*$/, "");
}

/** Sentences of a text; the end of a paragraph ends one too, if it has its dot. */
export function countSentences(text: string): number {
  const ends = text
    .replace(ABBREVIATIONS, "")
    .split(/\n[ \t]*\n/)
    .map((paragraph) =>
      paragraph
        .replace(/\s+/g, " ")
        .trim()
        .match(/[.!?][)"'`]*(?= ["'`(]?[A-Z`]|$)/g),
    );
  return ends.reduce((sum, found) => sum + (found?.length ?? 0), 0);
}

const opening: Check = (file) => {
  const sentences = countSentences(openingComment(file.text));
  if (sentences >= OPENING_SENTENCES.min && sentences <= OPENING_SENTENCES.max) return [];
  const message = `opens with ${sentences} sentences of comment, not ${OPENING_SENTENCES.min} to ${OPENING_SENTENCES.max}`;
  return [{ path: file.path, line: 1, rule: "opening comment", message }];
};

const escapes: Check = (file, source) => {
  const found = collect(file, source, "escape", (node) =>
    node.kind === ts.SyntaxKind.AnyKeyword ? "uses `any`" : undefined,
  );
  const seen = new Set<number>();
  const inspect = (position: number): void => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(file.text, position) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, position) ?? []),
    ]) {
      const match = ESCAPES.exec(file.text.slice(range.pos, range.end));
      if (!match || seen.has(range.pos)) continue;
      seen.add(range.pos);
      const line = source.getLineAndCharacterOfPosition(range.pos).line + 1;
      found.push({ path: file.path, line, rule: "escape", message: `comment says ${match[0]}` });
    }
  };
  const tokens = (node: ts.Node): void => {
    const isText = ts.isTemplateLiteralToken(node) || ts.isStringLiteralLike(node);
    inspect(node.getFullStart());
    if (!isText) inspect(node.end);
    node.getChildren(source).forEach(tokens);
  };
  tokens(source);
  return found;
};

const bareNames: Check = (file, source) => {
  const exported = new Set<ts.Node>();
  for (const statement of source.statements) {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
    if (ts.isExportDeclaration(statement) && statement.exportClause) {
      if (ts.isNamedExports(statement.exportClause))
        statement.exportClause.elements.forEach((element) => exported.add(element.name));
      else exported.add(statement.exportClause.name);
    } else if (isExported && ts.isVariableStatement(statement))
      statement.declarationList.declarations.forEach((declaration) => exported.add(declaration.name));
    else if (isExported && "name" in statement) exported.add(statement.name);
  }
  return collect(file, source, "bare name", (node) =>
    exported.has(node) && BARE_NAMES.has(node.getText(source).toLowerCase())
      ? `exports the bare name ${node.getText(source)}: say what of`
      : undefined,
  );
};

/** Every rule about single files, applied where it holds; `clockFile` and `randomFile` are the two exceptions. */
export function styleViolations(file: SourceFile, clockFile: string, randomFile: string): Violation[] {
  const source = parse(file);
  const checks: Check[] = [escapes, bareNames];
  if (!isTest(file.path)) checks.push(fileLength, functionLength, opening);
  if (!isOutsideProgram(file.path)) {
    if (file.path !== clockFile) checks.push(clocks);
    if (file.path !== randomFile) checks.push(randomness);
  }
  return checks.flatMap((check) => check(file, source));
}
