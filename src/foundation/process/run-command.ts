// Runs a command of the scenario to its end. It gets no passwords and no input, and no message quotes it in full, because it may
// hold a secret.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { codeOf } from "../errors.js";

/** Maximum size in bytes of a command's output, far above the size of a token or a tool's message. */
const OUTPUT_MAX_BYTES = 1 << 20;

const execute = promisify(execFile);

/** Variables of the databases' own programs that hold a password. */
const PASSWORD_VARIABLES = ["PGPASSWORD", "MYSQL_PWD"];

/** The environment with each database's password changed. */
export function withPassword(
  environment: NodeJS.ProcessEnv,
  change: (password: string | undefined) => string | undefined,
): NodeJS.ProcessEnv {
  const changed = PASSWORD_VARIABLES.map((name) => [name, change(environment[name])]);
  return { ...environment, ...Object.fromEntries(changed) } as NodeJS.ProcessEnv;
}

/** This process's environment without passwords: no other program gets them. */
export function passwordlessEnvironment(): NodeJS.ProcessEnv {
  return { ...withPassword(process.env, () => undefined), TRAIN_SIM_ADMIN_PASSWORD: undefined };
}

export interface CommandOptions {
  readonly timeoutMs: number;
  /** True if the output is a secret that no message may repeat. */
  readonly isSecret: boolean;
  readonly signal?: AbortSignal;
}

/** Words of a command in a scenario. A list is taken as it is; a text is run by a shell. */
export function wordsOfCommand(command: string | readonly string[]): readonly string[] {
  return typeof command === "string" ? ["/bin/sh", "-c", command] : command;
}

/** Runs a command and resolves with its standard output. Rejects with an Error whose message continues "<program> ...". */
export async function runCommand(words: readonly string[], options: CommandOptions): Promise<string> {
  const { timeoutMs, signal } = options;
  const [program = "", ...more] = words;
  const running = execute(program, more, {
    timeout: timeoutMs,
    maxBuffer: OUTPUT_MAX_BYTES,
    env: passwordlessEnvironment(),
    ...(signal && { signal }),
  });
  // The end of the input keeps the command from waiting for an answer.
  running.child.stdin?.end();
  const { stdout } = await running.catch((error: unknown) => {
    throw new Error(describeError(error, options));
  });
  return stdout;
}

/** Message for an error of `execFile`, whose own message would hold the whole command. */
function describeError(error: unknown, { timeoutMs, isSecret, signal }: CommandOptions): string {
  const code = codeOf(error);
  if (signal?.aborted) return "was ended";
  if (code === "ENOENT") return "was not found";
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return isSecret ? "printed far more than a password" : "printed more than 1 MB";
  if (code !== undefined) return `could not be started (${code})`;
  const { code: exitCode, killed, signal: ending, stdout = "", stderr = "" } = error as ProcessFailure;
  if (killed) return `had not ended after ${timeoutMs / 1000} s`;
  const line = firstLine(stderr, isSecret ? stdout.trim() : "");
  const end = typeof exitCode === "number" ? `ended with exit code ${exitCode}` : `was ended by ${ending}`;
  return line === "" ? end : `${end}: ${line}`;
}

interface ProcessFailure {
  readonly code?: number | string | null;
  readonly killed?: boolean;
  readonly signal?: string | null;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** First line that is not empty, without a password that the command may have printed before it failed. */
function firstLine(stderr: string, secret: string): string {
  const line = stderr.split("\n").find((text) => text.trim() !== "") ?? "";
  return (secret === "" ? line : line.replaceAll(secret, "...")).trim();
}
