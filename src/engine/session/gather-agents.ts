// Gathers the agents of an experiment before its first trial, so that a missing one costs no measurement.
import { UsageError } from "../../foundation/errors.js";
import { arePoolersAtAgents, hasPooler, isManaged, poolerKindOf } from "../../pools/registry.js";
import { counted } from "../../foundation/units.js";
import { loadOfAgents, type LoadProcess } from "../../scenario/connections.js";
import type { Treatment, TreatmentSettings } from "../../scenario/settings.js";
import { AgentHub, type AgentOptions } from "../agents/agent-hub.js";
import { SshAgents } from "../agents/ssh-agents.js";
import type { PoolerVersion } from "../trial/pooler.js";
import type { WorkerPlace } from "../workers/worker-place.js";
import { LOCAL_WORKER_PLACE } from "../workers/worker-thread.js";
import { refuseShortage, shortageOf } from "./demand.js";
import type { Interruption } from "./interruption.js";
import type { ExperimentObserver } from "./observer.js";

export interface WorkerPlaces {
  placeOf(treatment: Treatment): WorkerPlace;
  /** Versions of the poolers that agents would start on their machines. */
  readonly poolers: readonly PoolerVersion[];
  /** Lets the agents end. */
  close(): Promise<void>;
}

interface GatherOptions {
  readonly agents?: AgentOptions;
  readonly programVersion: string;
  readonly observer: ExperimentObserver;
  readonly interruption: Interruption;
}

/** The longest delay that a Node timer supports. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The server or pooler that clients connect to, if it listens only on this machine's loopback address; else undefined. */
function loopbackServerText({ target, pool }: TreatmentSettings): string | undefined {
  if (hasPooler(pool) && !arePoolersAtAgents(pool))
    return isManaged(pool) ? `the ${poolerKindOf(pool).product} that train-sim starts` : undefined;
  return target.kind === "url" ? undefined : "the server that train-sim starts";
}

/** Throws a UsageError if clients on another machine could not reach the server or pooler. */
function requireReachableServer(hub: AgentHub, settings: TreatmentSettings): void {
  const what = loopbackServerText(settings);
  const name = what === undefined ? undefined : hub.remoteAgentName(settings.agents);
  if (what === undefined || name === undefined) return;
  throw new UsageError(
    `agent ${name} is on another machine, and ${what} listens on this one only`,
    "Name a server that agents can reach (target.url), with pool.placement: agent or pool.urls for poolers, or start all agents here.",
  );
}

/** Throws a UsageError if an agent has too few workers or too low limits for its part of the treatment. */
function requireAgentLimits(hub: AgentHub, treatment: Treatment): void {
  const { settings } = treatment;
  const parts = loadOfAgents(settings);
  hub.introductions(settings.agents).forEach(({ name, workers: room, limits }, i) => {
    const part = parts[i] as LoadProcess;
    if (room !== null && part.workers > room)
      throw new UsageError(
        `agent ${name} has room for ${counted(room, "worker thread")} and would get ${part.workers}`,
        "Start it with a higher --workers, or start more agents.",
      );
    refuseShortage(treatment, shortageOf(settings, limits, part, name));
  });
}

/** Waits for all agents. Rejects if any does not join in time, has no room for its workers or cannot reach the server. */
export async function gatherAgents(
  treatments: readonly Treatment[],
  { agents, programVersion: version, observer, interruption }: GatherOptions,
): Promise<WorkerPlaces> {
  const count = Math.max(...treatments.map(({ settings }) => settings.agents));
  const ssh = agents?.ssh;
  if (ssh && ssh.hosts.length !== count)
    throw new UsageError(
      `the scenario asks for ${counted(count, "agent")}, and --agents names ${counted(ssh.hosts.length, "host")}`,
      "Name a host for each agent of the treatment that has most of them.",
    );
  if (count === 0) return { placeOf: () => LOCAL_WORKER_PLACE, poolers: [], close: () => Promise.resolve() };
  if (!agents)
    throw new UsageError(
      `the scenario asks for ${count} agents, and there is no token for them`,
      "Make one with: openssl rand -hex 32 > token, then give --token-file token here and to each: train-sim agent\n" +
        "  Or let ssh start them: --agents ssh:host1,host2",
    );
  const note = (words: string): void => observer.note(words);
  const hub = await AgentHub.open({ ...agents, count, version, note });
  const started = ssh && new SshAgents({ ...ssh, port: hub.port, token: agents.token, note });
  const over = new AbortController();
  const close = async (): Promise<void> => {
    over.abort();
    await hub.close();
    await started?.close();
  };
  const waitForStop = (): Promise<unknown> => interruption.sleep(TIMER_MAX_MS, over.signal);
  const poolers: PoolerVersion[] = [];
  try {
    await hub.waitUntilJoined(
      started ? Promise.race([waitForStop(), started.rejectAtFirstEnd()]) : waitForStop(),
    );
    for (const treatment of treatments) {
      const { settings } = treatment;
      if (settings.agents > 0 && !interruption.isRequested()) {
        requireAgentLimits(hub, treatment);
        requireReachableServer(hub, settings);
        poolers.push(...(await hub.findPoolerVersions(settings)));
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const placeOf = ({ settings }: Treatment): WorkerPlace =>
    settings.agents === 0 ? LOCAL_WORKER_PLACE : hub.place(settings, waitForStop);
  return { placeOf, poolers, close };
}
