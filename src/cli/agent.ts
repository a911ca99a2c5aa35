// `train-sim agent`: ends with 0 when the run is over, 104 if refused, 105 after a signal, 111 if the coordinator is gone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Command } from "commander";
import { ExitCode, messageOf, UsageError } from "../foundation/errors.js";
import { connectionLimits } from "../foundation/machine.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { serveAsAgent } from "../engine/agents/agent.js";
import { join, machineId } from "../engine/agents/join.js";
import { readToken } from "../engine/agents/token.js";
import { positiveNumber, waitOption } from "./option-values.js";
import { packageVersion } from "./package-info.js";

interface AgentCommandOptions {
  readonly join: string;
  readonly tokenFile: string;
  readonly workers?: number;
  readonly name: string;
  readonly ca?: string;
  readonly again?: true;
  readonly wait: number;
}

export function register(program: Command): void {
  program
    .command("agent")
    .description("Run worker threads for a run on another machine: train-sim run --agents")
    .requiredOption("--join <url>", "the coordinator, such as wss://host:5670; ws:// on loopback only")
    .requiredOption("--token-file <file>", "file with the coordinator's secret; - is standard input")
    .option("--workers <n>", "most worker threads it takes (default: as many as it is given)", positiveNumber)
    .option("--name <name>", "its name in results", `${hostname()}-${process.pid}`)
    .option("--ca <file>", "certificates (PEM) that the coordinator's is signed by")
    .option("--again", "start again if a fault of the scenario kills it")
    .addOption(waitOption("--wait <duration>", "how long to wait for the coordinator"))
    .action(agent);
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the same command without `--again` in child processes, one after the other: the next starts when the last was
 * killed.
 */
async function restartWhenKilled({ tokenFile }: AgentCommandOptions): Promise<void> {
  const childArgs = process.argv.slice(1).filter((word) => word !== "--again");
  const token = tokenFile === "-" ? await readToken(tokenFile) : undefined;
  for (;;) {
    const stdinMode = token === undefined ? "inherit" : "pipe";
    const child = spawn(process.execPath, childArgs, { stdio: [stdinMode, "inherit", "inherit"] });
    child.stdin?.on("error", () => undefined).end(`${token}\n`); // its exit says more
    const forwardSignal = (signal: NodeJS.Signals): unknown => child.kill(signal);
    for (const signal of STOP_SIGNALS) process.on(signal, forwardSignal);
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    for (const each of STOP_SIGNALS) process.off(each, forwardSignal);
    if (signal === "SIGKILL") continue;
    process.exitCode = code ?? ExitCode.unexpected;
    return;
  }
}

async function agent(options: AgentCommandOptions): Promise<void> {
  if (options.again) return restartWhenKilled(options);
  const note = (words: string): void => {
    process.stderr.write(`${escapeControlCharacters(words)}\n`);
  };
  const socket = await join({
    url: options.join,
    token: await readToken(options.tokenFile),
    introduction: {
      name: options.name,
      version: packageVersion(),
      workers: options.workers ?? null,
      pid: process.pid,
      machine: machineId(),
      limits: connectionLimits(),
    },
    ...(options.ca !== undefined && { ca: readPem("--ca", options.ca) }),
    waitMs: options.wait,
  });
  note(`agent ${options.name} has joined ${options.join}`);
  const stop = new AbortController();
  for (const name of STOP_SIGNALS) process.once(name, () => stop.abort(name));
  await serveAsAgent(socket, note, stop.signal);
  note("the run is over");
}

export function readPem(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${option} cannot be read: ${messageOf(error)}`, "Name a file in PEM format.");
  }
}
