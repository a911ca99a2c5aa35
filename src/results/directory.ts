import { access, lstat, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isoTime } from "../foundation/clock.js";
import { codeOf, UsageError } from "../foundation/errors.js";
import { storageError } from "../foundation/storage-error.js";
import { ResultDocument } from "./result-schema.js";
import { writeFileAtomic } from "../foundation/storage.js";

export const RESULT_FILE = "result.json";
export const SUMMARY_FILE = "summary.txt";
export const REPORT_FILE = "report.html";
export const SCENARIO_FILE = "scenario.yaml";

export function safeFileName(name: string): string {
  const safeText = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9._+=-]+/g, "-")
    .replace(/^[.-]+/, "")
    .replace(/-+$/, "");
  return safeText.slice(0, 80) || "experiment";
}

/** The command-line option that chooses where result directories are made. */
const OUT_OPTION = "--out";

export function compactUtc(atMs: number): string {
  return isoTime(atMs)
    .replace(/\.\d+Z$/, "Z")
    .replace(/[-:]/g, "");
}

/** Makes a directory; error messages name `option`, which chose the place. */
async function makeDirectory(path: string, option?: string): Promise<"made" | "taken"> {
  try {
    await mkdir(path);
    return "made";
  } catch (error) {
    if (codeOf(error) === "EEXIST") return "taken";
    throw storageError(error, path, option);
  }
}

/** Makes `<parent>/<name>-<UTC time>`, or the first of `...-2`, `...-3` that is free, and returns its path. */
export async function createFreshDirectory(parent: string, name: string, atMs: number): Promise<string> {
  await makeDirectory(parent, OUT_OPTION);
  const base = join(parent, `${safeFileName(name)}-${compactUtc(atMs)}`);
  for (let attempt = 1; ; attempt++) {
    const path = attempt === 1 ? base : `${base}-${attempt}`;
    if ((await makeDirectory(path, OUT_OPTION)) === "made") return path;
  }
}

export interface ResultDirectory {
  readonly path: string;
  /** Removes the directory, and its parent if the parent was created with it and is empty. */
  readonly discard: () => Promise<void>;
}

export async function createResultDirectory(
  parent: string,
  name: string,
  atMs: number,
): Promise<ResultDirectory> {
  const isParentPresent = await pathExists(parent);
  const path = await createFreshDirectory(parent, name, atMs);
  await makeDirectory(join(path, "trials"));
  const discard = async (): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    if (!isParentPresent) await rmdir(parent).catch(() => undefined); // another run may have results in it by now
  };
  return { path, discard };
}

/** Rejects if `trials` is a link: a result directory may come from anywhere, and a resumed run would write elsewhere. */
async function refuseLinkedTrials(directory: string): Promise<void> {
  const path = join(directory, "trials");
  const stats = await lstat(path).catch((error: unknown) => {
    throw storageError(error, path);
  });
  if (stats.isDirectory()) return;
  throw new UsageError(`${path} is not a directory of its own`, "Run the scenario again, without --resume.");
}

/** Path such as `trials/007-jsonb-direct` below the result directory. `number` is the trial's position in the experiment. */
export function trialPath(directory: string, number: number, treatmentId: string): string {
  return join(directory, "trials", `${String(number).padStart(3, "0")}-${safeFileName(treatmentId)}`);
}

export async function createTrialDirectory(
  directory: string,
  number: number,
  treatmentId: string,
): Promise<string> {
  await refuseLinkedTrials(directory);
  const path = trialPath(directory, number, treatmentId);
  if ((await makeDirectory(path)) === "taken") throw storageError({ code: "EEXIST" }, path);
  return path;
}

function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const partialTrialPath = (path: string, n: number): string => `${path}.partial-${n}`;

/** Directories of a trial's partial results that were set aside after interruptions, in order. */
export async function partialTrialPaths(
  directory: string,
  number: number,
  treatmentId: string,
): Promise<string[]> {
  const path = trialPath(directory, number, treatmentId);
  const paths: string[] = [];
  while (await pathExists(partialTrialPath(path, paths.length + 1)))
    paths.push(partialTrialPath(path, paths.length + 1));
  return paths;
}

/**
 * Sets the directory of an interrupted trial aside: renames it to the first of `...partial-1`, `...partial-2` that is free.
 */
export async function setTrialAside(directory: string, number: number, treatmentId: string): Promise<void> {
  await refuseLinkedTrials(directory);
  const path = trialPath(directory, number, treatmentId);
  if (!(await pathExists(path))) return;
  const { length } = await partialTrialPaths(directory, number, treatmentId);
  await rename(path, partialTrialPath(path, length + 1)).catch((error: unknown) => {
    throw storageError(error, path);
  });
}

export async function writeScenario(directory: string, yaml: string): Promise<void> {
  await writeFileAtomic(join(directory, SCENARIO_FILE), yaml);
}

export async function writeSummary(directory: string, summary: string): Promise<void> {
  await writeFileAtomic(join(directory, SUMMARY_FILE), summary);
}

/**
 * Writes `result.json`. Throws if the document breaks its schema, but only after writing it, so that hours of results are
 * not lost.
 */
export async function writeResult(directory: string, result: ResultDocument): Promise<void> {
  await writeFileAtomic(join(directory, RESULT_FILE), `${JSON.stringify(result, null, 2)}\n`);
  ResultDocument.parse(result);
}
