// `command`: a command of the user, for systems that train-sim does not run. `undo` is run when the fault ends.
import { basename } from "node:path";
import * as z from "zod";
import { messageOf, TargetError } from "../foundation/errors.js";
import { systemClock } from "../foundation/clock.js";
import { runCommand, wordsOfCommand } from "../foundation/process/run-command.js";
import { commandWords, duration, HOUR_MS } from "../syntax/scalars.js";
import { defineFault, faultDuration, type LossSpan } from "./fault.js";
import { whenHealthy } from "./healthy.js";

const TIMEOUT_MS = 120_000;

const commandKey = (what: string) =>
  commandWords(`${what}: a list of words, or a text that /bin/sh runs. It has 2 min.`);

interface CommandFault {
  readonly run: readonly string[];
  readonly undo: readonly string[] | undefined;
  /** Milliseconds before the command in which acknowledged commits may be lost; undefined if none may be. */
  readonly mayLoseMs: number | undefined;
  readonly name: string | undefined;
}

async function outcome(key: string, words: readonly string[], stopped?: AbortSignal): Promise<string> {
  try {
    const options = { timeoutMs: TIMEOUT_MS, isSecret: false, ...(stopped && { signal: stopped }) };
    const printed = await runCommand(words, options);
    const [line = ""] = printed.trim().split("\n");
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
  description: "a command of yours is run",
  keys: {
    run: commandKey("What breaks something"),
    undo: commandKey("What mends it, when the fault is over").optional(),
    for: faultDuration.optional(),
    mayLose: duration(
      "What the fault may lose: what was acknowledged from so long before it until it is over, as the lag that you " +
        "accept of a standby. Without it every loss is unexplained.",
      0,
      HOUR_MS,
    ).optional(),
    name: z.string().min(1).optional().meta({
      description: "What it is called in the results, and in the names of treatments instead of its values.",
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
        await whenHealthy(target);
        if (mayLoseMs !== undefined)
          mayLose = { sinceMs: injectedMs - mayLoseMs, untilMs: systemClock.nowMs() };
      },
    };
  },
});
