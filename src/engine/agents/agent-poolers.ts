// The poolers on agents' machines as one pooler. An agent that a fault kills takes its poolers with it.
import * as z from "zod";
import type { Endpoint, Auth } from "../../database/endpoint.js";
import { allOrNone, awaitUnlessAborted } from "../../foundation/deadline.js";
import type { ProcessPause } from "../../foundation/process/stand-still.js";
import { poolerKindOf, type ManagedSettings } from "../../pools/registry.js";
import type {
  PoolerInstance,
  PoolerReading,
  PoolerStatistics,
  RunningPooler,
} from "../../pools/running-pooler.js";
import { sumOfReadings } from "../../pools/sum-of-readings.js";
import type { JoinedAgent } from "./joined-agent.js";
import { OpenedPoolers, Pids, Reading, type PoolerRequest } from "./path-protocol.js";

/** An agent on which poolers are to run. */
export interface PoolerAgent {
  readonly agent: JoinedAgent;
  readonly clients: number;
  readonly isHere: boolean;
}

const COUNT_FIELDS: ReadonlySet<string> = new Set([
  "transactions",
  "waitMs",
  "queryMs",
] satisfies (keyof PoolerReading)[]);

/** The last reading of poolers that are gone: counts keep their values, everything else is 0. */
export function readingAfterLoss(reading: PoolerReading): PoolerReading {
  const countEntries = Object.entries(reading).map(([name, value]) => [
    name,
    COUNT_FIELDS.has(name) ? Number(value) : 0,
  ]);
  return Object.fromEntries(countEntries) as PoolerReading;
}

/** Opens poolers on all agents; resolves once all listen. On rejection no pooler is left running. */
export async function openAgentPoolers(
  places: readonly PoolerAgent[],
  pool: ManagedSettings,
  auth: Auth | undefined,
  upstreams: readonly Endpoint[],
): Promise<RunningPooler> {
  const asked = { kind: "open-poolers" as const, pool, auth, upstreams: [...upstreams] };
  const open = async (place: PoolerAgent): Promise<PoolersOfAgent> => {
    const answer = await place.agent.ask({ ...asked, maxClientConnections: place.clients });
    return new PoolersOfAgent(place, OpenedPoolers.parse(answer));
  };
  const combinePoolers = (opened: readonly PoolersOfAgent[]): AgentPoolers => new AgentPoolers(pool, opened);
  return combinePoolers(await allOrNone(places.map(open), (opened) => combinePoolers(opened).stop()));
}

/** The poolers of one agent. */
class PoolersOfAgent {
  readonly agent: JoinedAgent;
  readonly instances: readonly PoolerInstance[];
  readonly lost: Promise<string>;
  private running: readonly number[];
  private lastReading: PoolerReading = { clientsActive: 0, serversActive: 0, serversIdle: 0 };

  constructor(
    private readonly place: PoolerAgent,
    readonly openedPoolers: OpenedPoolers,
  ) {
    const { agent } = place;
    this.agent = agent;
    this.running = openedPoolers.pids;
    this.instances = openedPoolers.endpoints.map((_, instance) => ({
      shutDown: (how) => this.change({ kind: "shut-down", instance, how }),
      start: () => this.change({ kind: "bring-up", instance }),
    }));
    this.lost = new Promise((resolve) => {
      agent.ask({ kind: "ask-poolers", request: { kind: "await-loss" } }).then(
        (words) => typeof words === "string" && resolve(`agent ${agent.name}: ${words}`),
        () => undefined, // the loss of the agent says more
      );
    });
  }

  /** Process ids of the poolers that run on this machine. */
  get pids(): readonly number[] {
    return this.place.isHere && !this.agent.lost ? this.running : [];
  }

  async sample(): Promise<PoolerReading> {
    const answer = await this.ask({ kind: "sample" });
    this.lastReading = answer ? Reading.parse(answer.value) : readingAfterLoss(this.lastReading);
    return this.lastReading;
  }

  /** Resolves to the agent's answer as `value`, or to undefined if a fault has killed the agent. */
  ask(request: PoolerRequest): Promise<{ readonly value: unknown } | undefined> {
    return this.agent.askUnlessKilled({ kind: "ask-poolers", request });
  }

  private async change(request: PoolerRequest): Promise<void> {
    const answer = await this.ask(request);
    if (answer) this.running = Pids.parse(answer.value);
  }
}

class AgentPoolers implements RunningPooler {
  readonly product: string;
  readonly endpoints: readonly Endpoint[];
  readonly consoles: readonly Endpoint[];
  readonly instances: readonly PoolerInstance[];
  readonly version: string;
  readonly supportsPreparedStatements: boolean;
  readonly pause: RunningPooler["pause"];
  readonly lost: Promise<string>;

  constructor(
    pool: ManagedSettings,
    private readonly all: readonly PoolersOfAgent[],
  ) {
    const { product, pause } = poolerKindOf(pool);
    const openings = all.map((each) => each.openedPoolers);
    this.product = product;
    // An endpoint of an agent is no address of this machine: `agents:2` is the second pooler of each agent.
    this.endpoints = (openings[0]?.endpoints ?? []).map((each, index) => ({
      ...each,
      host: "agents",
      port: index + 1,
    }));
    this.consoles = openings.flatMap(({ consoles }) => consoles);
    this.instances = all.flatMap(({ instances }) => instances);
    this.version = [...new Set(openings.map(({ version }) => version))].join(", ");
    this.supportsPreparedStatements = openings.every((each) => each.supportsPreparedStatements);
    this.pause = pause && ((consoles, signal) => this.hold(consoles, signal));
    this.lost = Promise.race(all.map(({ lost }) => lost));
  }

  get pids(): readonly number[] {
    return this.all.flatMap(({ pids }) => pids);
  }

  askVersion(): Promise<string> {
    return Promise.resolve(this.version);
  }

  async statistics(connectTimeoutMs: number): Promise<PoolerStatistics> {
    await this.ask({ kind: "connect-statistics", connectTimeoutMs });
    return {
      sample: async () => sumOfReadings(await Promise.all(this.all.map((each) => each.sample()))),
      serversMax: async () => {
        const most = z.array(z.number().optional()).parse(await this.ask({ kind: "servers-max" }));
        return most.includes(undefined)
          ? undefined
          : most.reduce<number>((sum, each) => sum + (each ?? 0), 0);
      },
      close: async () => undefined, // the agents' connections end with the poolers
    };
  }

  async pauseProcesses(): Promise<ProcessPause> {
    const processCounts = z.array(z.number()).parse(await this.ask({ kind: "stand-still" }));
    return {
      processCounts: processCounts.reduce((sum, each) => sum + each, 0),
      end: async () => {
        await this.ask({ kind: "go-on" });
      },
    };
  }

  async findConnectionProblem(): Promise<string | undefined> {
    const answers = await Promise.all(
      this.all.map(async (each) => {
        const answer = await each.ask({ kind: "knock" }).catch(() => undefined);
        return typeof answer?.value === "string" ? [`agent ${each.agent.name}: ${answer.value}`] : [];
      }),
    );
    return answers.flat().join("; ") || undefined;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.all.map(({ agent }) => agent.ask({ kind: "close-poolers" })));
  }

  private async hold(consoles: readonly Endpoint[], signal: AbortSignal): Promise<() => Promise<void>> {
    const poolersToPause = this.all.flatMap((each) => {
      const own = each.openedPoolers.consoles.filter((console) => consoles.includes(console));
      return own.length > 0 ? [{ each, own }] : [];
    });
    const resumePoolers = async (): Promise<void> => {
      await Promise.all(poolersToPause.map(({ each }) => each.ask({ kind: "resume" })));
    };
    const held = poolersToPause.map(({ each, own }) => each.ask({ kind: "pause", consoles: own }));
    try {
      await awaitUnlessAborted(signal, Promise.all(held));
    } catch (error) {
      await resumePoolers().catch(() => undefined);
      throw error;
    }
    return resumePoolers;
  }

  /** Asks all agents; resolves to the answers, without the agents that a fault has killed. */
  private async ask(request: PoolerRequest): Promise<unknown[]> {
    const answers = await Promise.all(this.all.map((each) => each.ask(request)));
    return answers.flatMap((answer) => (answer ? [answer.value] : []));
  }
}
