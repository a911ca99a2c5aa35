// `train-sim learn`: prints a file of SQL, learnt from a running database or its log; changes nothing there.
import { InvalidArgumentError, Option, type Command } from "commander";
import { UsageError } from "../foundation/errors.js";
import { systemClock, wallClockMs } from "../foundation/clock.js";
import { databaseOfUrl, readUrl } from "../database/registry.js";
import { learn } from "../learn/learn.js";

interface LearnCommandOptions {
  readonly url: string;
  readonly minutes: number;
  readonly log: readonly string[];
  readonly rows: number;
  readonly values: readonly string[];
  readonly coverage: number;
}

function numberFrom(text: string, isWhole: boolean): number {
  const value = Number(text);
  const isRight = /^\d+(\.\d+)?$/.test(text) && (!isWhole || (Number.isSafeInteger(value) && value > 0));
  if (!isRight)
    throw new InvalidArgumentError(isWhole ? "Give a whole number above 0." : "Give a number of minutes.");
  return value;
}

function shareFrom(text: string): number {
  const percent = /^(\d+(?:\.\d+)?)\s?%$/.exec(text)?.[1];
  const share = Number(percent ?? Number.NaN) / 100;
  if (!(share > 0 && share <= 1))
    throw new InvalidArgumentError("Give a percentage up to 100%, such as 99%.");
  return share;
}

export function register(program: Command): void {
  program
    .command("learn")
    .description(
      "Print a file of SQL learnt from a running database: statements, weights, schema and made rows",
    )
    .requiredOption("--url <url>", "database, as postgresql://user@host:port/name; it is read only")
    .option(
      "--minutes <n>",
      "interval in which calls are counted; 0 counts all since the statistics were reset",
      (text) => numberFrom(text, false),
      10,
    )
    .option(
      "--log <file>",
      "learn from a log of the server instead (csvlog or stderr); may be repeated",
      (file, all: string[]) => [...all, file],
      [],
    )
    .option(
      "--rows <n>",
      "rows of the largest table; others in proportion",
      (text) => numberFrom(text, true),
      10_000,
    )
    .option(
      "--values <columns>",
      "columns whose values may be copied: orders.status,customer.country",
      (text, all: string[]) => [...all, ...text.split(",")],
      [],
    )
    .addOption(
      new Option(
        "--coverage <percent>",
        "share of calls, and of time, that the file's transactions make; others are named",
      )
        .argParser(shareFrom)
        .default(0.95, "95%"),
    )
    .action(printLearnt);
}

async function printLearnt({
  url,
  minutes,
  log,
  rows,
  values,
  coverage,
}: LearnCommandOptions): Promise<void> {
  const database = databaseOfUrl(url);
  if (database && database.name !== "PostgreSQL")
    throw new UsageError(
      `learn reads PostgreSQL, and the URL is of ${database.name}`,
      "Write the file by hand: docs/reference/workloads.md.",
    );
  const address = database?.urls.complete(url, process.env, new Set()) ?? url;
  if (log.length === 0 && minutes > 0) process.stderr.write(`train-sim: counting calls for ${minutes} min\n`);
  const { text, missing } = await learn({
    endpoint: readUrl({ url: address }),
    minutes,
    logs: log,
    rows,
    permitted: values,
    coverage,
    nowMs: wallClockMs(),
    wait: (ms) => systemClock.sleep(ms),
  });
  process.stdout.write(text);
  for (const words of missing) process.stderr.write(`train-sim: not learnt: ${words}\n`);
}
