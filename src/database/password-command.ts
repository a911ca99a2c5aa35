// Passwords that a command prints, shared by all connections of a thread; no message repeats the output.
import { monotonicMs } from "../foundation/clock.js";
import { messageOf, TargetError } from "../foundation/errors.js";
import { runCommand } from "../foundation/process/run-command.js";
import type { PasswordCommand } from "./endpoint.js";

/**
 * Milliseconds that the command may take: fewer than a connection may take, so that an error message is about the command.
 */
const COMMAND_TIMEOUT_MS = 10_000;
interface PrintedPassword {
  readonly password: Promise<string>;
  readonly atMs: number;
}

/** Latest output of each command, by the words of the command. */
const passwordByCommand = new Map<string, PrintedPassword>();

const keyOf = ({ words }: PasswordCommand): string => JSON.stringify(words);

/**
 * Runs the command, or uses its last output, for a password. Rejects with a TargetError that says how the command failed; a
 * failure is not kept.
 */
export function passwordFrom(command: PasswordCommand): Promise<string> {
  const cachedPassword = passwordByCommand.get(keyOf(command));
  const nowMs = monotonicMs();
  if (cachedPassword && nowMs - cachedPassword.atMs < command.reuseMs) return cachedPassword.password;
  const fresh = { password: run(command.words), atMs: nowMs };
  passwordByCommand.set(keyOf(command), fresh);
  fresh.password.catch(() => {
    if (passwordByCommand.get(keyOf(command)) === fresh) passwordByCommand.delete(keyOf(command));
  });
  return fresh.password;
}

/** Forgets the command's last output, so that the next connection runs the command again: the server called it expired. */
export function forgetPassword(command: PasswordCommand): void {
  passwordByCommand.delete(keyOf(command));
}

async function run(words: readonly string[]): Promise<string> {
  const failure = (seen: string): TargetError =>
    new TargetError(
      `target.passwordCommand (${words[0]}) ${seen}`,
      "Run the command yourself, as the user and in the environment of train-sim: it has to print the password, and nothing else.",
    );
  const stdout = await runCommand(words, { timeoutMs: COMMAND_TIMEOUT_MS, isSecret: true }).catch(
    (error: unknown) => {
      throw failure(messageOf(error));
    },
  );
  const password = stdout.trim();
  if (password === "") throw failure("printed nothing");
  if (/[\r\n]/.test(password)) throw failure("printed more than one line");
  return password;
}
