// Runs the built program like a user or a CI job: as a separate process, with arguments, an environment and signals. It
// returns the output and the exit. Tests that start worker threads use it.
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import { ResultDocument } from "../../src/results/result-schema.js";
import { scratchDirectory } from "./scratch.js";

export { scratchDirectory };

export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Options of Node for the program, set by lanes that measure nothing. */
const NODE_OPTIONS = (process.env["TRAIN_SIM_NODE_OPTIONS"] ?? "").split(" ").filter(Boolean);

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the last run into each directory ended. A test that finds no result there prints it. */
const lastInto = new Map<string, Ended>();

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Path of the command line of another build. */
  readonly main?: string;
  /** Shell command that runs before the program, such as `ulimit -n 64`. */
  readonly shellPrefix?: string;
}

export function startTrainSim(args: readonly string[], options: StartOptions = {}): Started {
  const program = [...NODE_OPTIONS, options.main ?? MAIN, ...args];
  const command = options.shellPrefix
    ? (["sh", ["-c", `${options.shellPrefix}; exec "$0" "$@"`, process.execPath, ...program]] as const)
    : ([process.execPath, program] as const);
  const child = spawn(command[0], command[1], {
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      const ended: Ended = { exitCode, signal, stdout, stderr };
      lastInto.set(args[args.indexOf("--out") + 1] ?? "", ended);
      resolve(ended);
    });
  });
  return { child, ended };
}

export async function trainSim(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return startTrainSim(args, options).ended;
}

/** Waits for a match in the program's standard error. */
export function outputMatch({ child }: Started, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stderr?.on("data", (text: string) => {
      seen += text;
      const match = pattern.exec(seen);
      if (match) resolve(match);
    });
    child.once("close", () => reject(new Error(`nothing like ${pattern.source} before the end: ${seen}`)));
  });
}

/** Resolves to the address after `words` on standard error. */
export async function waitUntilAnnounced(started: Started, words: string): Promise<string> {
  const [, address = ""] = await outputMatch(started, new RegExp(`${words}: (\\S+)\\n`));
  return address;
}

export function writeScenarioFile(yaml: string): string {
  const file = join(scratchDirectory(), "scenario.yaml");
  writeFileSync(file, yaml);
  return file;
}

/** The only result directory below `out`. */
export function onlyResultIn(out: string): { directory: string; result: ResultDocument } {
  const names = readdirSync(out);
  if (names.length !== 1) throw new Error(`expected one result directory in ${out}, found ${names.length}`);
  const directory = join(out, names[0] ?? "");
  const file = join(directory, "result.json");
  if (!existsSync(file)) {
    const { exitCode, signal, stderr } = lastInto.get(out) ?? {};
    throw new Error(
      `no results in ${directory}; the run ended with ${exitCode ?? signal ?? "?"}: ${stderr ?? ""}`,
    );
  }
  const json: unknown = JSON.parse(readFileSync(file, "utf8"));
  return { directory, result: ResultDocument.parse(json) };
}

/** Waits until a trial's log below `out` has a line with the text, such as a phase. Fails after `mostMs` milliseconds. */
export async function untilLogged(out: string, text: string, mostMs = 200_000): Promise<void> {
  const deadlineMs = systemClock.nowMs() + mostMs;
  while (systemClock.nowMs() < deadlineMs) {
    if (existsSync(out) && logsBelow(out).some((file) => readFileSync(file, "utf8").includes(text))) return;
    await systemClock.sleep(20);
  }
  const { exitCode, signal, stderr } = lastInto.get(out) ?? {};
  const run =
    stderr === undefined ? "the run goes on" : `the run ended with ${exitCode ?? signal ?? "?"}: ${stderr}`;
  const lines = logsBelow(out).map((file) => `${file}:\n${readFileSync(file, "utf8").slice(-2_000)}`);
  throw new Error(`no log below ${out} says ${text} within ${mostMs} ms; ${run}\n${lines.join("\n")}`);
}

function logsBelow(out: string): string[] {
  return readdirSync(out, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("log.ndjson"))
    .map((name) => join(out, name));
}

/** Runs a scenario and interrupts it with Ctrl-C once its log has the text. Resolves to what the run left. */
export async function interruptedRun(
  scenario: string,
  text: string,
): Promise<ReturnType<typeof onlyResultIn>> {
  const out = join(scratchDirectory(), "results");
  const { child, ended } = startTrainSim(["run", writeScenarioFile(scenario), "--out", out]);
  await untilLogged(out, text);
  child.kill("SIGINT");
  expect((await ended).exitCode).toBe(105);
  return onlyResultIn(out);
}
