#!/usr/bin/env node
// The command line: one file for each command, all of them in commands.ts. It turns errors of commands into one clear
// message on standard error and the exit code; nothing else ends the process.
import { Command, CommanderError } from "commander";
import { explain } from "../database/registry.js";
import { ExitCode, messageOf } from "../foundation/errors.js";
import { storageError } from "../foundation/storage-error.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { COMMANDS } from "./commands.js";
import { endWhenIdle, endNow } from "./end-of-process.js";
import { packageVersion } from "./package-info.js";

const HELP_EPILOGUE = `
Examples:
  npx train-sim run quickstart                      JSONB or TEXT? 90 s on a PostgreSQL that it starts and removes
  npx train-sim run quickstart --set target=postgresql://app@db.example:5432/app        the same on your server

Exit codes:
  0 done, 99 a threshold failed or a regression was found, 104 invalid scenario or usage, 105 stopped by a signal, 107 unexpected error,
  108 aborted by a threshold, 110 integrity violation, 111 target unreachable, 112 not judged`;

function createProgram(): Command {
  const program = new Command("train-sim")
    .description(
      "Runs your PostgreSQL transactions under several configurations, in repeated trials in random order, reports which " +
        "differences are real, and checks that no acknowledged work is missing. Not for production servers.",
    )
    .version(packageVersion())
    .addHelpText("after", HELP_EPILOGUE)
    .showSuggestionAfterError();
  for (const register of COMMANDS) register(program);
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((each) => each.commands),
  ]) {
    command.exitOverride();
  }
  return program;
}

function errorText(error: unknown): string {
  const explanation = explain(error);
  if (explanation)
    return `train-sim: ${explanation.message}\n${explanation.hint ? `  ${explanation.hint}\n` : ""}`;
  const stack = error instanceof Error && error.stack ? error.stack : messageOf(error);
  return `train-sim: unexpected error, please report it: ${stack}\n`;
}

function exitCodeOf(error: unknown): ExitCode {
  // commander throws for --help and --version, too, with exit code 0; it prints its own usage errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.invalid;
  return explain(error)?.exitCode ?? ExitCode.unexpected;
}

/** Handles errors that no command catches: prints the message and ends the process with an exit code. */
function exitWithError(error: unknown): never {
  process.stderr.write(errorText(error));
  return endNow(exitCodeOf(error));
}

/**
 * Ignores that the reader of the output is gone (`| head`; `| tee`, which Ctrl-C ends, too): the work goes on to its end.
 */
function ignoreClosedReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") exitWithError(storageError(error, "the output"));
}

async function main(): Promise<void> {
  process.on("uncaughtException", exitWithError);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedReader);
  // Without this, Node would end without a message and with another exit code.
  const exitWithoutEvents = (): never =>
    exitWithError(new Error("the command waits for an event that cannot occur"));
  process.once("beforeExit", exitWithoutEvents);
  try {
    await createProgram().parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) process.stderr.write(escapeControlCharacters(errorText(error)));
    process.exitCode = exitCodeOf(error);
  } finally {
    process.off("beforeExit", exitWithoutEvents);
    endWhenIdle();
  }
}

await main();
