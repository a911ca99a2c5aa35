// `command`: a command of the user's, for what train-sim cannot do to a system that it does not run: `patronictl failover`, the
// API of a cloud, `tc` on another machine. `undo` is run when the fault is over. What they did, only their user knows.
import { basename } from "node:path";
import { messageOf, TargetError } from "../foundation/errors.js";
import { runCommand, wordsOfCommand } from "../foundation/process/run-command.js";
import { commandWords } from "../syntax/scalars.js";
import { defineFault, lasting } from "./fault.js";
import { whenHealthy } from "./healthy.js";

const TIMEOUT_MS = 120_000;

const commandKey = (what: string) =>
  commandWords(`${what}: a list of words, or a text that /bin/sh runs. It has 2 min.`);

interface CommandFault {
  readonly run: readonly string[];
  readonly undo: readonly string[] | undefined;
}

/** The first line of what it printed. */
async function outcome(key: string, words: readonly string[], signal?: AbortSignal): Promise<string> {
  try {
    const options = { timeoutMs: TIMEOUT_MS, isSecret: false, ...(signal && { signal }) };
    const printed = await runCommand(words, options);
    const [line = ""] = printed.trim().split("\n");
    return line === "" ? "" : `, which said: ${line.trim()}`;
  } catch (error) {
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
    for: lasting.optional(),
  },
  examples: { run: "[sh, fail-over.sh]" },
  ground: "server",
  restartsServer: true,
  resolve: ({ run, undo }): CommandFault => ({
    run: wordsOfCommand(run),
    undo: undo === undefined ? undefined : wordsOfCommand(undo),
  }),
  async inject({ target, signal }, { run, undo }) {
    let words = `ran ${basename(run[0] ?? "")}${await outcome("run", run, signal)}`;
    return {
      get words() {
        return words;
      },
      async clear() {
        if (undo) words += `; undid it with ${basename(undo[0] ?? "")}${await outcome("undo", undo)}`;
        await whenHealthy(target);
      },
    };
  },
});
