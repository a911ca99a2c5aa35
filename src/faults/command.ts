// `command`: a command of the user, for systems that train-sim does not run. `undo` is run when the fault ends.
import { basename } from "node:path";
import * as z from "zod";
import { messageOf, TargetError } from "../foundation/errors.js";
import { systemClock } from "../foundation/clock.js";
import { runCommand, wordsOfCommand } from "../foundation/process/run-command.js";
import { commandWords, duration, HOUR_MS } from "../syntax/scalars.js";
import { defineFault, faultDuration, type LossSpan } from "./fault.js";
import { awaitHealthyServer } from "./healthy.js";

const COMMAND_TIMEOUT_MS = 120_000;

const commandSchema = (what: string) =>
  commandWords(`${what}: a list of words, or a text that /bin/sh runs. It has 2 min.`);

interface CommandFault {
  readonly run: readonly string[];
  readonly undo: readonly string[] | undefined;
  /** Milliseconds before the command from which on acknowledged commits may be lost; undefined if none may be lost. */
  readonly mayLoseMs: number | undefined;
  readonly name: string | undefined;
}

async function outcome(key: string, words: readonly string[], stopped?: AbortSignal): Promise<string> {
  try {
    const options = { timeoutMs: COMMAND_TIMEOUT_MS, isSecret: false, ...(stopped && { signal: stopped }) };
    const commandOutput = await runCommand(words, options);
    const [line = ""] = commandOutput.trim().split("\n");
    return line === "" ? "" : `, which said: ${line.trim()}`;
  } catch (error) {
    if (stopped?.aborted) return ", which was ended with the run";
    throw new TargetError(
      `the command of the fault (${key}: ${basename(words[0] ?? "")}) ${messageOf(error)}`,
      "Run it yourself, as the user and in the environment of train-sim.",
      { cause: error },
    );
  }
}

export const command = defineFault({
  name: "command",
  description: "one of your commands runs",
  keys: {
    run: commandSchema("Command that causes the fault"),
    undo: commandSchema("Command that ends the fault").optional(),
    for: faultDuration.optional(),
    mayLose: duration(
      "Accepted loss: commits acknowledged up to this long before the fault, and during it, may be lost. Set it to the replication lag that you accept. Without it every loss is unexplained.",
      0,
      HOUR_MS,
    ).optional(),
    name: z.string().min(1).optional().meta({
      description: "Its name in results, and in names of treatments instead of its values.",
    }),
  },
  examples: { run: "[sh, fail-over.sh]" },
  affectedPart: "server",
  restartsServer: true,
  resolve: ({ run, undo, mayLose, name }): CommandFault => ({
    run: wordsOfCommand(run),
    undo: undo === undefined ? undefined : wordsOfCommand(undo),
    mayLoseMs: mayLose,
    name,
  }),
  async inject({ target, stopped }, { run, undo, mayLoseMs, name }) {
    const injectedMs = systemClock.nowMs();
    let mayLose: LossSpan | undefined;
    let words = `${name === undefined ? "" : `${name}: `}ran ${basename(run[0] ?? "")}${await outcome("run", run, stopped)}`;
    return {
      get words() {
        return words;
      },
      get mayLose() {
        return mayLose;
      },
      async clear() {
        if (undo) words += `; undid it with ${basename(undo[0] ?? "")}${await outcome("undo", undo)}`;
        await awaitHealthyServer(target);
        if (mayLoseMs !== undefined)
          mayLose = { sinceMs: injectedMs - mayLoseMs, untilMs: systemClock.nowMs() };
      },
    };
  },
});
