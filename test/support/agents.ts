// Agents for tests: processes of the built program that join a coordinator.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import {
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  startTrainSim,
  type Started,
  type StartOptions,
} from "./train-sim.js";

const SHIFTED = fileURLToPath(new URL("./shifted-clock.mjs", import.meta.url));

/** A scenario in which every role has clients. `phases` are keys of `trial` such as `warmUp: 1s, duration: 2s`. */
export const agentScenario = (phases: string): string => `
name: agents
seed: 11
trials: 1
preload: 2000
actors:
  producers: { load: { executor: constant-arrival-rate, rate: 40, maxClients: 8 } }
  consumers: { load: { clients: 4, thinkTime: 10ms } }
  archivers: { load: { clients: 2, thinkTime: 10ms } }
batch: { min: 5, max: 10 }
appDelay: 0
trial: { ${phases}, drain: 20s }
diagnosis: { ceiling: false }
`;

export function tokenFile(token = "a token of more than sixteen characters"): string {
  const file = join(scratchDirectory(), "token");
  writeFileSync(file, `${token}\n`);
  return file;
}

/** Starts a run that waits on a free port for its agents. */
export function startCoordinator(
  args: readonly string[],
  token: string,
  options: StartOptions = {},
): Started {
  const joining = ["--token-file", token, "--listen", "127.0.0.1:0", "--agents-wait", "40s"];
  return startTrainSim(["run", ...joining, ...args], options);
}

/** Resolves to the address to join at, as soon as the run waits for agents. */
export async function whereToJoin(run: Started): Promise<string> {
  const [, url = ""] = await outputMatch(run, /--join (\S+) /);
  return url;
}

interface AgentSettings {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly more?: readonly string[];
  readonly shellPrefix?: string;
  /** Difference of the agent's monotonic clock from the real one: milliseconds ahead, and parts per million faster. */
  readonly clock?: { readonly aheadMs: number; readonly ppm: number; readonly stepFile?: string };
}

export function startAgent({ name, url, token, more = [], shellPrefix, clock }: AgentSettings): Started {
  const env = clock && {
    ...process.env,
    NODE_OPTIONS: `--import ${SHIFTED}`,
    SHIFTED_CLOCK_MS: String(clock.aheadMs),
    SHIFTED_CLOCK_PPM: String(clock.ppm),
    ...(clock.stepFile !== undefined && { SHIFTED_CLOCK_STEP_FILE: clock.stepFile }),
  };
  const args = ["agent", "--join", url, "--token-file", token, "--name", name, "--wait", "5s", ...more];
  return startTrainSim(args, { ...(env && { env }), ...(shellPrefix !== undefined && { shellPrefix }) });
}

/** Runs the scenario over agents and expects success. */
export async function runOverAgents(
  scenario: string,
  names: readonly string[],
  ...args: readonly string[]
): Promise<ReturnType<typeof onlyResultIn>> {
  const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
  const run = startCoordinator([scenario, "--out", out, "--agents", String(names.length), ...args], token);
  const url = await whereToJoin(run);
  const agents = names.map((name) => startAgent({ name, url, token }));
  const ended = await Promise.all([run, ...agents].map((each) => each.ended));
  for (const { exitCode, stderr } of ended) expect(exitCode, stderr).toBe(0);
  return onlyResultIn(out);
}
