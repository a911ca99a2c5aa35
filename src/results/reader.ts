// Reads a result directory back: the document, checked against its schema, and the histograms of its trials. What
// it meets may be an interrupted run, another program's directory or a file edited by hand, so every refusal says
// which file, what is wrong in it and what to do. It trusts no path that a file contains.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import type { HistogramSet } from "../metrics/histograms.js";
import { RESULT_FILE, trialPath } from "./directory.js";
import { mergedHistogramLog } from "./histogram-log.js";
import { RESULT_VERSION, ResultDocument, TrialResult } from "./result-schema.js";
import { HISTOGRAM_LOG_FILE, TRIAL_FILE } from "./trial-files.js";

const PROBLEMS_SHOWN_MAX = 5;

async function readText(directory: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR")
      throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, "", { cause: error });
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
          "Name a result directory, as results/<name>-<time>.",
        );
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${messageOf(error)}`, "Was it cut short or edited?", {
      cause: error,
    });
  }
}

/** Checks a document that came from anywhere; `path` is where, for messages. */
export function parseResult(path: string, value: unknown): ResultDocument {
  const version =
    typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  if (version !== RESULT_VERSION)
    throw new UsageError(
      version === undefined
        ? `${path} has no version: it is not a train-sim result`
        : `${path} has version ${JSON.stringify(version)}, this train-sim reads version ${RESULT_VERSION}`,
      version === undefined ? "" : "Read it with the train-sim that wrote it.",
    );
  const parsed = ResultDocument.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is not a valid result: ${problemsOf(parsed.error)}`, "Was it edited?");
}

function problemsOf(error: z.ZodError): string {
  const issues = error.issues.map((issue) => `${issue.path.join(".") || "document"}: ${issue.message}`);
  const shown = issues.slice(0, PROBLEMS_SHOWN_MAX);
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`);
  return shown.join("; ");
}

/** The result document of a directory; a UsageError otherwise. */
export async function readResult(directory: string): Promise<ResultDocument> {
  const path = join(directory, RESULT_FILE);
  return parseResult(path, parseJson(path, await readText(directory, path)));
}

/** What one trial came to; undefined where it was never finished, a UsageError where its file cannot be read. */
export async function readTrial(
  directory: string,
  trialNumber: number,
  treatmentId: string,
): Promise<TrialResult | undefined> {
  const path = join(trialPath(directory, trialNumber, treatmentId), TRIAL_FILE);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, "", { cause: error });
  });
  if (text === undefined) return undefined;
  const parsed = TrialResult.safeParse(parseJson(path, text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is not a valid trial: ${problemsOf(parsed.error)}`, "Was it edited?");
}

/** The histograms of one trial, all its seconds merged; a UsageError where the log is missing or damaged. */
export async function readTrialHistograms(
  directory: string,
  trialNumber: number,
  treatmentId: string,
): Promise<HistogramSet> {
  return mergedHistogramLog(join(trialPath(directory, trialNumber, treatmentId), HISTOGRAM_LOG_FILE));
}
