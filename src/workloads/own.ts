// A loaded scenario holds the text of SQL files and the hash of a module: a run can be repeated without the files.
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { isMainThread } from "node:worker_threads";
import type * as z from "zod";
import { databaseOfUrl } from "../database/registry.js";
import { UsageError } from "../foundation/errors.js";
import { moduleDrawFactory, readModule } from "./module/run-module.js";
import { loadProblem } from "./module/try-load.js";
import { isMapping, type Mapping } from "../syntax/paths.js";
import { examples as examplesOfPgbench } from "./pgbench/examples.js";
import { tableProblems } from "./pgbench/builtin.js";
import {
  BUILTIN_PREFIX,
  partsOf,
  readPgbench,
  type PgbenchScripts,
  type ScriptSource,
} from "./pgbench/read-pgbench.js";
import { toSqlFile } from "./pgbench/to-sql-file.js";
import { examples } from "./sql-file/examples.js";
import { readSqlFile } from "./sql-file/read-sql-file.js";
import type { FileProblem, Program, ReadProgram } from "./script/program.js";
import { scriptDrawFactory } from "./script/client.js";
import { migrationOf, withAbsolutePaths } from "./script/migrate-settings.js";
import { workloadOfProgram } from "./script/workload.js";
import {
  FILE_BYTES_MAX,
  LabelledFile,
  ModuleFile,
  OwnForm,
  WORKLOAD_FILE_PATTERN,
  type ModuleDeclaration,
} from "./own-forms.js";
import { workloadPlaces, writtenAt } from "./places.js";
import type { Workload } from "./workload.js";

export const OWN_EXAMPLES = [examples, examplesOfPgbench];

/** Reads the file of a workload. Throws a UsageError if it cannot be read. */
export type ReadText = (file: string, directory: string) => string;

function textOf(file: string, directory: string): string {
  const resolvedPath = path.resolve(directory, file);
  try {
    const { size } = statSync(resolvedPath);
    if (size > FILE_BYTES_MAX)
      throw new UsageError(
        `${file} has ${size} bytes; a workload has at most ${FILE_BYTES_MAX}. Is it the right file?`,
      );
    return readFileSync(resolvedPath, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new UsageError(
      `cannot read ${resolvedPath}: ${code === "ENOENT" ? "it does not exist" : code}`,
      "A path is relative to its scenario, or to the current directory on the command line.",
      { cause: error },
    );
  }
}

/** Puts the contents of files in place of paths in a written `workload`. Throws a UsageError if a file cannot be read. */
export function embedFiles(written: unknown, directory: string, read: ReadText = textOf): unknown {
  if (!isMapping(written) || written["migrate"] === undefined) return embedTexts(written, directory, read);
  const migrate = withAbsolutePaths(written["migrate"], directory);
  return embedTexts({ ...written, migrate }, directory, read);
}

function embedTexts(written: unknown, directory: string, read: ReadText): unknown {
  if (isMapping(written) && Array.isArray(written["pgbench"])) {
    const scripts = written["pgbench"].map((script: unknown) => embedScript(script, directory, read));
    const { tables } = written;
    const isPath = typeof tables === "string";
    return {
      ...written,
      pgbench: scripts,
      ...(isPath && { tables: { file: path.basename(tables), sql: read(tables, directory) } }),
    };
  }
  if (isMapping(written) && LabelledFile.safeParse(written).success) {
    const { file, ...others } = written;
    return { ...others, ...(embedTexts(file, directory, read) as Mapping) };
  }
  if (typeof written !== "string" || !WORKLOAD_FILE_PATTERN.test(written)) return written;
  const text = read(written, directory);
  if (written.endsWith(".sql")) return { file: path.basename(written), sql: text };
  return { module: path.resolve(directory, written), hash: hashOf(text) };
}

/** The first URL of a target, as a scenario writes it; undefined if it has none. */
function urlTextIn(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (Array.isArray(target)) return urlTextIn(target[0]);
  return isMapping(target) ? urlTextIn(target["urls"] ?? target["url"]) : undefined;
}

/** The embedded workload; a SQL file for a target of MySQL gets MySQL's syntax. */
export function withSyntax(workload: unknown, target: unknown): unknown {
  const database = databaseOfUrl(urlTextIn(target) ?? "");
  const isForMySql = isMapping(workload) && typeof workload["sql"] === "string" && database?.name === "MySQL";
  return isForMySql ? { ...workload, syntax: "mysql" } : workload;
}

function embedScript(written: unknown, directory: string, read: ReadText): unknown {
  return typeof written === "string" ? readSource(written, directory, read) : written;
}

/**
 * The source of a pgbench script: its written form if it is built in, otherwise the contents of its file. Throws a
 * UsageError if the file cannot be read.
 */
function readSource(written: string, directory: string, read: ReadText = textOf): ScriptSource {
  if (written.startsWith(BUILTIN_PREFIX)) return written;
  return { script: path.basename(written), sql: read(partsOf(written).name, directory) };
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Problem of a module in a result. A result may come from anywhere, so only commands that run or check a scenario load a
 * module's code.
 */
const UNLOADED_MODULE_MESSAGE = "is a module; only commands that are given a scenario load its code";

function readModuleFile({ module: file, hash }: z.output<typeof ModuleFile>): ReadProgram {
  const refuse = (message: string): ReadProgram => ({
    problems: [{ file, place: { line: 1, column: 1 }, message }],
  });
  if (hashOf(textOf(file, "")) !== hash)
    return refuse("has changed since the run was begun; restore it, or run the scenario again");
  const problem = isMainThread ? loadProblem(file) : undefined;
  return problem === undefined ? readModule(file) : refuse(problem);
}

export function nameOf(own: OwnForm): string {
  if ("pgbench" in own) return "workload.pgbench";
  return "sql" in own ? own.file : own.module;
}

function programOf(own: OwnForm): ReadProgram {
  if ("sql" in own) return readSqlFile(own.sql, own.file, own.syntax);
  if ("module" in own) return readModuleFile(own);
  const { pgbench: scripts, scale, define, tables } = own;
  return readPgbench({ scripts, scale, define, tables }, nameOf(own));
}

function workloadFrom(own: OwnForm, program: Program): Workload {
  const drawFactory =
    "module" in own ? moduleDrawFactory(own.module) : scriptDrawFactory(program, nameOf(own));
  const migration = own.migrate === undefined ? undefined : migrationOf(own.migrate);
  const workload = workloadOfProgram(program, nameOf(own), drawFactory, migration);
  if (!("pgbench" in own) || own.tables !== undefined) return workload;
  const dialectProblems: typeof workload.settings.dialectProblems = (name, treatment) => [
    ...(workload.settings.dialectProblems?.(name, treatment) ?? []),
    ...tableProblems(name),
  ];
  return { ...workload, settings: { ...workload.settings, dialectProblems } };
}

interface OwnWorkload {
  readonly workload?: Workload;
  readonly program?: Program;
  readonly problems: readonly FileProblem[];
}

/** Workloads that were read, by their source, so that all treatments of an experiment share them. */
const knownWorkloads = new Map<string, OwnWorkload>();
/** Workloads of modules that other threads or results declare, without the modules' code. */
const declaredWorkloads = new Map<string, OwnWorkload>();

/** Program without code for a declared module: it suffices to read the module's results. */
function declaredProgram({ name, settings, transactions }: ModuleDeclaration): Program {
  const place = { line: 1, column: 1 };
  return {
    name,
    settings: Object.entries(settings).map(([key, value]) => ({ name: key, value, place })),
    schema: [],
    preload: [],
    invariants: [],
    transactions: transactions.map((each) => ({
      name: each,
      weight: 1,
      isReadOnly: false,
      isWhole: true,
      parameters: [],
      steps: [],
    })),
  };
}

export function addDeclaration(input: unknown): unknown {
  const moduleFile = ModuleFile.safeParse(input);
  const program = moduleFile.success ? readOwnWorkload(moduleFile.data).program : undefined;
  if (!moduleFile.success || !program) return input;
  const declares: ModuleDeclaration = {
    name: program.name,
    settings: Object.fromEntries(program.settings.map(({ name, value }) => [name, value])),
    transactions: program.transactions.map(({ name }) => name),
  };
  return { ...moduleFile.data, declares };
}

/**
 * The workload of a scenario, or all of its problems.
 * @param loadsCode whether a module may be loaded for the first time; worker threads of a run may do that
 */
export function readOwnWorkload(own: OwnForm, loadsCode = !isMainThread): OwnWorkload {
  const key = JSON.stringify(
    "module" in own ? [own.module, own.hash, own.migrate] : { ...own, label: undefined },
  );
  const before = knownWorkloads.get(key);
  if (before) return before;
  const isUnread = "module" in own && !loadsCode;
  const workloadCache = isUnread ? declaredWorkloads : knownWorkloads;
  const loadedWorkload =
    workloadCache.get(key) ?? makeOwnWorkload(own, isUnread ? readDeclaration(own) : programOf(own));
  workloadCache.set(key, loadedWorkload);
  return loadedWorkload;
}

function readDeclaration({ module: file, declares }: z.output<typeof ModuleFile>): ReadProgram {
  if (declares) return { program: declaredProgram(declares) };
  return { problems: [{ file, place: { line: 1, column: 1 }, message: UNLOADED_MODULE_MESSAGE }] };
}

function makeOwnWorkload(own: OwnForm, read: ReadProgram): OwnWorkload {
  if ("problems" in read) return { problems: read.problems };
  return { program: read.program, workload: workloadFrom(own, read.program), problems: [] };
}

/** The user's own workload in a raw scenario; undefined if there is none or if it is invalid. */
export function findOwnWorkload({ workload }: Readonly<Record<string, unknown>>): Workload | undefined {
  const ownForm = OwnForm.safeParse(workload);
  return ownForm.success ? readOwnWorkload(ownForm.data).workload : undefined;
}

/** The user's own workloads that a raw scenario names, each once, without invalid ones. */
export function findOwnWorkloads(raw: Mapping): readonly Workload[] {
  const found = workloadPlaces(raw).flatMap((place) => findOwnWorkload({ workload: writtenAt(place) }) ?? []);
  return [...new Set(found)];
}

/** The user's own workload of a checked scenario. Throws if it has problems. */
export function ownWorkload(own: OwnForm): Workload {
  const { workload, problems } = readOwnWorkload(own);
  if (!workload) throw new Error(`a workload that was not checked: ${problems[0]?.message ?? ""}`);
  return workload;
}

export { migratedAt, migratedFiles } from "./script/migrate-settings.js";
export { definedValue } from "./pgbench/defined.js";
export { VARIANT_KEY } from "./script/program.js";

/**
 * Translates pgbench scripts to the text of a SQL file; otherwise returns the problems. `canRun` is true if the scripts run
 * unchanged, without translation.
 */
export function translatePgbenchScripts(
  written: readonly string[],
  settings: Pick<PgbenchScripts, "scale" | "define">,
  directory: string,
): { readonly text: string } | { readonly problems: readonly FileProblem[]; readonly canRun: boolean } {
  const scripts = written.map((script) => readSource(script, directory));
  const read = readPgbench({ scripts, ...settings }, "pgbench");
  return "problems" in read ? { ...read, canRun: false } : { ...toSqlFile(read.program), canRun: true };
}

export { readSqlFile } from "./sql-file/read-sql-file.js";
export { tokensOf } from "./script/sql-text.js";
