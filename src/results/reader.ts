// Every refusal names the file, the problem and the remedy. No path that a file contains is trusted.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type * as z from "zod";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import type { HistogramSet } from "../metrics/histograms.js";
import { RESULT_FILE, SCENARIO_FILE, trialPath, partialTrialPaths } from "./directory.js";
import { mergedHistogramLog } from "./histogram-log.js";
import { issueWords } from "../syntax/issue-words.js";
import { RESULT_VERSION, ResultDocument, TrialResult } from "./result-schema.js";
import { HISTOGRAM_LOG_FILE, TRIAL_FILE } from "./trial-files.js";

const PROBLEMS_SHOWN_MAX = 5;
/**
 * Deepest nesting of an accepted document: train-sim's are less than a tenth as deep, and checking a deeper one would
 * overflow the stack.
 */
const NESTING_DEPTH_MAX = 100;
/** Key of train-sim among the stored versions. */
const PROGRAM_KEY = "train-sim";
const DAMAGE_HINT = "Was it cut short or edited?";

export async function readText(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, "", { cause: error });
  });
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${path} is not text in UTF-8`, DAMAGE_HINT, { cause: error });
  }
}

async function readResultText(directory: string, path: string): Promise<string> {
  const text = await readText(path);
  if (text !== undefined) return text;
  const isDirectory = await stat(directory).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  throw isDirectory
    ? new UsageError(
        `${directory} holds no ${RESULT_FILE}`,
        "It is not a result directory, or its run was killed before it could write one.",
      )
    : new UsageError(
        `${directory} is not a directory`,
        "Name a result directory, such as results/<name>-<time>.",
      );
}

/** True if the value is nested too deeply. Walks without recursion, so that depth cannot overflow the stack. */
function isNestedTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > NESTING_DEPTH_MAX) return true;
    level = level.flatMap((value): unknown[] =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

export function parseJson(path: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${messageOf(error)}`, DAMAGE_HINT, { cause: error });
  }
  if (isNestedTooDeep(value))
    throw new UsageError(`${path} is nested more than ${NESTING_DEPTH_MAX} deep`, DAMAGE_HINT);
  return value;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function versionError(path: string, version: unknown, value: unknown): UsageError {
  const program = memberOf(memberOf(memberOf(value, "environment"), "versions"), PROGRAM_KEY);
  const writerNote =
    typeof program === "string" ? ` (written by ${PROGRAM_KEY} ${elidedText(program, 60)})` : "";
  return new UsageError(
    `${path} has version ${elidedText(JSON.stringify(version), 60)}${writerNote}, this ${PROGRAM_KEY} reads version ${RESULT_VERSION}`,
    `Read it with the ${PROGRAM_KEY} that wrote it, or run the ${SCENARIO_FILE} beside it again.`,
  );
}

/** Checks a document from any source; `path` names the source in error messages. */
export function parseResult(path: string, value: unknown): ResultDocument {
  const version = memberOf(value, "version");
  if (version === undefined) throw new UsageError(`${path} has no version: it is not a train-sim result`);
  if (version !== RESULT_VERSION) throw versionError(path, version, value);
  const parsed = ResultDocument.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is not a valid result: ${problemsText(parsed.error)}`, "Was it edited?");
}

function problemsText(error: z.ZodError): string {
  const issues = error.issues.map(issueWords);
  const firstIssues = issues.slice(0, PROBLEMS_SHOWN_MAX);
  if (issues.length > firstIssues.length) firstIssues.push(`and ${issues.length - firstIssues.length} more`);
  return firstIssues.join("; ");
}

/** Reads the result document of a directory. Rejects with a UsageError if it is missing or invalid. */
export async function readResult(directory: string): Promise<ResultDocument> {
  const path = join(directory, RESULT_FILE);
  return parseResult(path, parseJson(path, await readResultText(directory, path)));
}

/** The result of one trial; undefined if the trial never finished. Throws a UsageError if its file is unreadable. */
export function readTrial(
  directory: string,
  trialNumber: number,
  treatmentId: string,
): Promise<TrialResult | undefined> {
  return readTrialIn(trialPath(directory, trialNumber, treatmentId));
}

/** Partial results of that trial that interrupted runs left, in the order in which they were set aside. */
export async function readPartialTrials(
  directory: string,
  trialNumber: number,
  treatmentId: string,
): Promise<TrialResult[]> {
  const paths = await partialTrialPaths(directory, trialNumber, treatmentId);
  const trials = await Promise.all(paths.map(readTrialIn));
  return trials.filter((trial) => trial !== undefined);
}

async function readTrialIn(trialDirectory: string): Promise<TrialResult | undefined> {
  const path = join(trialDirectory, TRIAL_FILE);
  const text = await readText(path);
  if (text === undefined) return undefined;
  const parsed = TrialResult.safeParse(parseJson(path, text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is not a valid trial: ${problemsText(parsed.error)}`, "Was it edited?");
}

/** The histograms of one trial, merged over all seconds. Rejects with a UsageError if the log is missing or damaged. */
export async function readTrialHistograms(
  directory: string,
  trialNumber: number,
  treatmentId: string,
): Promise<HistogramSet> {
  return mergedHistogramLog(join(trialPath(directory, trialNumber, treatmentId), HISTOGRAM_LOG_FILE));
}
