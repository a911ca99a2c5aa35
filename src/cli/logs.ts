// `train-sim logs`: reads directories and files, compressed or not, and standard input; changes nothing.
import { InvalidArgumentError, type Command } from "commander";
import { UsageError } from "../foundation/errors.js";
import { parseDurationMs } from "../foundation/units.js";
import type { Operation } from "../metrics/operations.js";
import type { LogFilter, TimeBound } from "../logs/log-filter.js";
import { readLogs } from "../logs/read-logs.js";
import { renderLogReport } from "../logs/render.js";
import { colourMarks, plainMarks } from "../foundation/text/text-table.js";
import { supportsColour } from "./colour.js";
import { logFilesIn } from "../results/log-reader.js";

const SLOWEST_COUNT_DEFAULT = 10;
const SLOWEST_COUNT_MAX = 10_000;

interface LogsOptions {
  readonly trial?: number[];
  readonly actor?: string[];
  readonly operation?: Operation[];
  readonly from?: TimeBound;
  readonly to?: TimeBound;
  readonly slowest: number;
  readonly json?: true;
}

function listParser<T>(parse: (text: string) => T): (text: string, all?: T[]) => T[] {
  return (text, all = []) => [...all, ...text.split(",").map((one) => parse(one.trim()))];
}

function wholeNumber(text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most)
    throw new InvalidArgumentError(`Give a whole number${most < 1e6 ? ` up to ${most}` : ""}.`);
  return value;
}

/** A second of the window such as `12`, `12s` or `1m30s`, or an instant such as `2026-01-31T12:00:05Z`. */
function timeBound(text: string): TimeBound {
  if (/^\d+$/.test(text)) return { second: Number(text) };
  const ms = parseDurationMs(text);
  if (ms !== undefined && ms % 1000 === 0) return { second: ms / 1000 };
  const atMs = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return { atMs };
  throw new InvalidArgumentError(
    "Give whole seconds of the window, such as 12 or 1m30s, or an instant with its zone, such as 2026-01-31T12:00:05Z.",
  );
}

export function register(program: Command): void {
  program
    .command("logs")
    .description("Analyse the logs of a run: operations, slow transactions, retries, failures, stalls")
    .argument("<path...>", "result directories, a trial's directory, log files (.ndjson, .ndjson.gz), or -")
    .option("--trial <n>", "only these trials, by their number", listParser(wholeNumber))
    .option(
      "--actor <name>",
      "only these groups or workers, such as consumers or consumers/1",
      listParser(String),
    )
    .option("--operation <name>", "only these operations, such as add", listParser(String))
    .option("--from <time>", "start: seconds of the window, such as 12s, or an instant", timeBound)
    .option("--to <time>", "end: seconds of the window, or an instant", timeBound)
    .option(
      "--slowest <n>",
      "how many of the slowest transactions to show",
      (text) => wholeNumber(text, SLOWEST_COUNT_MAX),
      SLOWEST_COUNT_DEFAULT,
    )
    .option("--json", "print the analysis as JSON on standard output")
    .action(logs);
}

/** Refuses a start after the end: the range would be empty, and the text would say "failures: none". */
function requireStartBeforeEnd(from: TimeBound | undefined, to: TimeBound | undefined): void {
  const areSecondsOutOfOrder = from && to && "second" in from && "second" in to && from.second >= to.second;
  const areInstantsOutOfOrder = from && to && "atMs" in from && "atMs" in to && from.atMs >= to.atMs;
  if (areSecondsOutOfOrder || areInstantsOutOfOrder)
    throw new UsageError("--from is not before --to: nothing lies between them", "Swap them.");
}

async function logs(paths: readonly string[], options: LogsOptions): Promise<void> {
  const { trial, actor, operation, from, to } = options;
  requireStartBeforeEnd(from, to);
  const filter: LogFilter = {
    ...(trial && { trials: trial }),
    ...(actor && { actors: actor }),
    ...(operation && { operations: operation }),
    ...(from && { from }),
    ...(to && { to }),
  };
  const report = await readLogs(await logFilesIn(paths), filter, options.slowest);
  const marks = supportsColour() ? colourMarks : plainMarks;
  process.stdout.write(
    options.json ? `${JSON.stringify(report, null, 2)}\n` : renderLogReport(report, marks),
  );
}
