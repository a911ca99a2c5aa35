// Reads logs in bounded memory. A file that is no log is refused; a file that is cut short is read up to its end.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { RESULT_FILE } from "./directory.js";
import { readResult } from "./reader.js";

export const LOG_FILE = "log.ndjson";
/** Path that stands for standard input. */
export const STANDARD_INPUT = "-";

const CHUNK_BYTES = 256 * 1024;
/**
 * Maximum number of characters that are kept of a line: a summary with a full histogram takes about 170 kB, so a longer
 * line is no line of a log.
 */
const LINE_CHARACTERS_MAX = 512 * 1024;
const TRUNCATED_LINE_CHARACTERS = 200;

export interface LogFile {
  readonly path: string;
  readonly trial?: number;
  /** Operations of the result's workload, in their order. */
  readonly operations?: readonly string[];
}

/** The logs that the paths stand for: files, `-`, and all trials of result directories, unfinished ones included. */
export async function logFilesIn(paths: readonly string[]): Promise<LogFile[]> {
  const files: LogFile[] = [];
  for (const path of new Set(paths)) {
    if (path !== STANDARD_INPUT && (await isDirectory(path))) files.push(...(await logsBelow(path)));
    else files.push({ path });
  }
  return files;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) !== "ENOENT")
      throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, "", { cause: error });
    throw new UsageError(`${path} does not exist`, "Name a result directory, or the log.ndjson of a trial.");
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    throw new UsageError(
      `Cannot read ${directory}: ${messageOf(error)}`,
      "Name a result directory that you may read.",
      { cause: error },
    );
  });
}

/** Logs of a result directory, or of the directory of one trial. */
async function logsBelow(directory: string): Promise<LogFile[]> {
  const names = await namesIn(directory);
  if (!names.includes("trials")) {
    const logName = logFileNameIn(names);
    if (logName !== undefined) return [{ path: join(directory, logName) }];
    throw new UsageError(
      `${directory} holds no log`,
      "Name a result directory, such as results/<name>-<time>, one of its trials, or a log file.",
    );
  }
  const files: LogFile[] = [];
  const operations = names.includes(RESULT_FILE) ? await readWorkloadOperations(directory) : undefined;
  for (const trial of (await namesIn(join(directory, "trials"))).sort()) {
    const at = join(directory, "trials", trial);
    const log = (await isDirectory(at)) ? logFileNameIn(await namesIn(at)) : undefined;
    const number = Number.parseInt(basename(at), 10);
    if (log !== undefined)
      files.push({
        path: join(at, log),
        ...(number > 0 && { trial: number }),
        ...(operations && { operations }),
      });
  }
  if (files.length > 0) return files;
  throw new UsageError(
    `${directory} holds no trial with a log`,
    "Its run ended before the first trial began.",
  );
}

/** Operations of a result's workload; undefined if the result does not state them or is unreadable. */
async function readWorkloadOperations(directory: string): Promise<string[] | undefined> {
  const { workload } = await readResult(directory).catch(() => ({ workload: undefined }));
  return workload && Object.keys(workload.operations);
}

function logFileNameIn(names: readonly string[]): string | undefined {
  return [LOG_FILE, `${LOG_FILE}.gz`].find((name) => names.includes(name));
}

/** A batch of lines of a log; `rest` is the text after the last line end, at the end of the file. */
export interface LineBatch {
  readonly lines: readonly string[];
  readonly rest?: string;
}

/** Reads the lines of a log in batches. Throws a UsageError if the file is unreadable or not compressed as its name says. */
export async function* readLines(path: string): AsyncGenerator<LineBatch> {
  let partialLine = "";
  try {
    for await (const chunk of textOf(path)) {
      const lines = chunk.split("\n");
      const last = lines.pop() ?? "";
      if (lines.length > 0) {
        lines[0] = partialLine + (lines[0] ?? "");
        yield { lines };
        partialLine = last;
      } else partialLine += last;
      // The line is cut to its beginning and marked, so that it is no JSON with any continuation.
      if (partialLine.length > LINE_CHARACTERS_MAX)
        partialLine = `(too long) ${partialLine.slice(0, TRUNCATED_LINE_CHARACTERS)}`;
    }
  } catch (error) {
    // Tolerated, because a killed run leaves a compressed file without its end.
    if (codeOf(error) !== "Z_BUF_ERROR")
      throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, "", { cause: error });
  }
  if (partialLine !== "") yield { lines: [], rest: partialLine };
}

function textOf(path: string): AsyncIterable<string> {
  const source: Readable =
    path === STANDARD_INPUT ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!path.endsWith(".gz")) return source.setEncoding("utf8");
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on("error", (error) => plain.destroy(error));
  return source.pipe(plain).setEncoding("utf8");
}
