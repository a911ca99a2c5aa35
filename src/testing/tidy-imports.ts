// The rules about who may import whom, as functions over the text of source files, so that the tidy test can run
// them on the tree and on small synthetic trees alike. It reads imports with the TypeScript parser (static,
// dynamic, re-exports and types), never by pattern. It decides nothing about which rooms exist: that table is
// data, handed in.
import path from "node:path";
import ts from "typescript";

/** A source file; `path` is relative to `src`, with `/` between its parts. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** Rooms level by level, lowest first. A room may import the levels below its own and itself. */
export type RoomTable = readonly (readonly string[])[];

/** What a room may not see although it is below it. */
export type Blindness = Readonly<Record<string, readonly string[]>>;

interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** Fixtures for tests: they may import any room, and only tests may import them. */
export const FIXTURES = "testing";

export function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

/** Tests and their fixtures, which are not part of the program. */
export function isOutsideProgram(file: string): boolean {
  return isTest(file) || roomOf(file) === FIXTURES;
}

export function parse(file: SourceFile): ts.SourceFile {
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
}

export function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

/** The folder directly under `src`; undefined for a file in `src` itself. */
function roomOf(file: string): string | undefined {
  const slash = file.indexOf("/");
  return slash < 0 ? undefined : file.slice(0, slash);
}

function importsOf(file: SourceFile): Import[] {
  const source = parse(file);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    let specifier: ts.Node | undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier;
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      specifier = node.arguments[0];
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      specifier = node.argument.literal;
    if (specifier && ts.isStringLiteralLike(specifier))
      found.push({ specifier: specifier.text, line: lineOf(source, node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The file that a relative import means, relative to `src`; undefined for packages. */
function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, ".ts");
}

/** Imports that run upward, sideways between rooms, or into a room that the importer must not see. */
export function roomViolations(
  files: readonly SourceFile[],
  rooms: RoomTable,
  blind: Blindness,
): Violation[] {
  const levelOf = new Map(rooms.flatMap((level, index) => level.map((room) => [room, index] as const)));
  const complain = (file: SourceFile, line: number, message: string): Violation => {
    return { path: file.path, line, rule: "rooms", message };
  };
  const judge = (file: SourceFile, line: number, to: string): Violation[] => {
    const [room, other] = [roomOf(file.path), roomOf(to)];
    if (other === FIXTURES) return [complain(file, line, `the program imports test fixtures: ${to}`)];
    const [level, otherLevel] = [levelOf.get(room ?? ""), levelOf.get(other ?? "")];
    if (room === other || level === undefined) return [];
    if (otherLevel === undefined) return [complain(file, line, `${to} is in no room of the table`)];
    if (otherLevel > level) return [complain(file, line, `upward: ${room} imports ${other} (${to})`)];
    if (otherLevel === level) return [complain(file, line, `sideways: ${room} imports ${other} (${to})`)];
    if (blind[room ?? ""]?.includes(other ?? ""))
      return [complain(file, line, `${room} must not see ${other} (${to})`)];
    return [];
  };
  return files
    .filter((file) => !isOutsideProgram(file.path))
    .flatMap((file) => [
      ...(levelOf.has(roomOf(file.path) ?? "") ? [] : [complain(file, 1, "lies in no room of the table")]),
      ...importsOf(file).flatMap(({ specifier, line }) => {
        const to = resolveImport(file.path, specifier);
        return to === undefined ? [] : judge(file, line, to);
      }),
    ]);
}

/** Files that import each other in a circle, types included; each circle is reported once, at its first file. */
export function cycleViolations(files: readonly SourceFile[]): Violation[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const found: Violation[] = [];
  const visit = (file: SourceFile): void => {
    state.set(file.path, "open");
    trail.push(file.path);
    for (const { specifier, line } of importsOf(file)) {
      const to = known.get(resolveImport(file.path, specifier) ?? "");
      if (to === undefined) continue;
      if (state.get(to.path) === "open") {
        const circle = [...trail.slice(trail.indexOf(to.path)), to.path].join(" -> ");
        found.push({ path: file.path, line, rule: "cycle", message: circle });
      } else if (!state.has(to.path)) visit(to);
    }
    trail.pop();
    state.set(file.path, "done");
  };
  for (const file of files) if (!state.has(file.path)) visit(file);
  return found;
}

/** The database driver (`pg`, `pg-pool` and what lies under them) anywhere but in its room and in fixtures. */
export function driverViolations(files: readonly SourceFile[], room: string): Violation[] {
  return files
    .filter((file) => ![room, FIXTURES].includes(roomOf(file.path) ?? ""))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => /^(pg|pg-pool|pg-protocol|pg-cursor|pg-native)(\/|$)/.test(specifier))
        .map(({ specifier, line }) => ({
          path: file.path,
          line,
          rule: "driver",
          message: `${specifier} is imported outside ${room}/`,
        })),
    );
}
