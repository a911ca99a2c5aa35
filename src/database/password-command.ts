// Passwords that a command prints, as the tokens of Aurora DSQL and of IAM logins, which are good for minutes only. The
// command runs when a server asks for a password, at most once in a while, and what it printed is shared by all connections of
// this worker thread. What it printed is told to nobody but the server: not even in the message about a failure.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { monotonicMs } from "../foundation/clock.js";
import { codeOf, TargetError } from "../foundation/errors.js";
import type { PasswordCommand } from "./endpoint/endpoint.js";

/** Milliseconds that the command may take; less than a connection may (`CONNECT_TIMEOUT_MS`), so that the message is about it. */
const COMMAND_TIMEOUT_MS = 10_000;
/** Far above any token. */
const OUTPUT_MAX_BYTES = 1 << 20;

const execute = promisify(execFile);

interface Printed {
  readonly password: Promise<string>;
  /** Monotonic milliseconds at which the command began, for a token ages from then. */
  readonly atMs: number;
}

/** By the command's words. */
const printed = new Map<string, Printed>();

const keyOf = ({ words }: PasswordCommand): string => JSON.stringify(words);

/** The password; rejects with a TargetError that says how the command failed. A failure is not remembered. */
export function passwordFrom(command: PasswordCommand): Promise<string> {
  const known = printed.get(keyOf(command));
  const nowMs = monotonicMs();
  if (known && nowMs - known.atMs < command.everyMs) return known.password;
  const fresh = { password: run(command.words), atMs: nowMs };
  printed.set(keyOf(command), fresh);
  fresh.password.catch(() => {
    if (printed.get(keyOf(command)) === fresh) printed.delete(keyOf(command));
  });
  return fresh.password;
}

/** Has the command run again for the next connection: the server called what it printed expired. */
export function forgetPassword(command: PasswordCommand): void {
  printed.delete(keyOf(command));
}

async function run([program = "", ...words]: readonly string[]): Promise<string> {
  const running = execute(program, words, {
    timeout: COMMAND_TIMEOUT_MS,
    maxBuffer: OUTPUT_MAX_BYTES,
    // Passwords of the environment go to no other process.
    env: { ...process.env, PGPASSWORD: undefined, TRAIN_SIM_ADMIN_PASSWORD: undefined },
  });
  // Nobody is there to answer a question.
  running.child.stdin?.end();
  const { stdout } = await running.catch((error: unknown) => {
    throw failed(program, seenIn(error));
  });
  const password = stdout.trim();
  if (password === "") throw failed(program, "printed nothing");
  if (/[\r\n]/.test(password)) throw failed(program, "printed more than one line");
  return password;
}

function failed(program: string, seen: string): TargetError {
  return new TargetError(
    `target.passwordCommand (${program}) ${seen}`,
    "Run the command yourself, as the user and in the environment of train-sim: it has to print the password, and nothing else.",
  );
}

/** What came of the command, from what `execFile` throws, whose own message holds the whole command. */
function seenIn(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "was not found";
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "printed far more than a password";
  if (code !== undefined) return `could not be started (${code})`;
  const { code: exitCode, killed, signal, stdout = "", stderr = "" } = error as ProcessFailure;
  if (killed) return `had not ended after ${COMMAND_TIMEOUT_MS / 1000} s`;
  const line = firstLine(stderr, stdout.trim());
  const end = typeof exitCode === "number" ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
  return line === "" ? end : `${end}: ${line}`;
}

interface ProcessFailure {
  readonly code?: number | string | null;
  readonly killed?: boolean;
  readonly signal?: string | null;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** The first line that says something, without what the command may have printed as a password before it failed. */
function firstLine(stderr: string, secret: string): string {
  const line = stderr.split("\n").find((text) => text.trim() !== "") ?? "";
  return (secret === "" ? line : line.replaceAll(secret, "...")).trim();
}
