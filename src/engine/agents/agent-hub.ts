// The port where the agents of a run join: on loopback, or with TLS anywhere. It keeps them for all trials.
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import * as z from "zod";
import { codeOf, messageOf, TargetError, UsageError } from "../../foundation/errors.js";
import { isLoopback } from "../../foundation/loopback.js";
import { counted } from "../../foundation/units.js";
import { arePoolersAtAgents, poolerKindOf } from "../../pools/registry.js";
import { clientCountByAgent } from "../../scenario/connections.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import type { PoolerVersion } from "../trial/pooler.js";
import type { WorkerPlace } from "../workers/worker-place.js";
import { openAgentNetwork } from "./agent-network.js";
import { openAgentPoolers } from "./agent-poolers.js";
import { Introduction, INTRODUCTION_HEADER, MESSAGE_MAX_BYTES } from "./agent-protocol.js";
import { machineId } from "./join.js";
import { JoinedAgent } from "./joined-agent.js";
import { RemoteWorkers } from "./remote-workers.js";
import { manualSshCommand, type SshSettings } from "./ssh-agents.js";
import { bearerAuthorization, isSameToken } from "./token.js";

export interface AgentOptions {
  /** The address where agents join; port 0 takes any free one. */
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** PEM texts; needed unless `host` is loopback. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Milliseconds in which all agents must have joined. */
  readonly waitMs: number;
  /** Hosts on which the coordinator itself starts agents by ssh. */
  readonly ssh?: SshSettings;
}

interface HubOptions extends AgentOptions {
  readonly count: number;
  readonly version: string;
  readonly note: (words: string) => void;
}

const REFUSAL_STATUS = { unauthorized: 401, conflict: 409, other: 400 } as const;

export class AgentHub {
  private readonly agents: JoinedAgent[] = [];
  /** The agents of the run, once all have joined. An agent that a fault kills later is replaced. */
  private joinedAgents: readonly JoinedAgent[] | undefined;
  private readonly sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
  });
  private readonly ready = new Set<JoinedAgent>();
  private onAllReady: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly options: HubOptions,
  ) {
    server.on("upgrade", (request, socket, head) => this.onUpgrade(request, socket, head));
  }

  /** Listens on the given address. Rejects with a UsageError if the port cannot be listened on, or not safely. */
  static async open(options: HubOptions): Promise<AgentHub> {
    const { host, port, tls } = options;
    if (!tls && !isLoopback(host))
      throw new UsageError(
        `--listen ${host}:${port} would take tokens and passwords over a network in the open`,
        "Give --cert and --key, or listen on 127.0.0.1 and let ssh or kubectl forward the port.",
      );
    const server = createJoinServer(tls);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, host, resolve);
    }).catch((error: unknown) => {
      const hint =
        codeOf(error) === "EADDRINUSE" ? "Another run has that port: give another one with --listen." : "";
      throw new UsageError(`agents cannot join at ${host}:${port}: ${messageOf(error)}`, hint);
    });
    return new AgentHub(server, options);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The address as in `ws://127.0.0.1:5670`. */
  private get url(): string {
    const { host, tls } = this.options;
    return `${tls ? "wss" : "ws"}://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  /**
   * Resolves once all agents have joined and their clocks are known. `stopped` resolves when agents are no longer wanted,
   * and rejects when they cannot come.
   */
  async waitUntilJoined(stopped: Promise<unknown>): Promise<void> {
    const { count, waitMs, note, ssh } = this.options;
    const missingCount = count - this.ready.size;
    if (missingCount === 0) return;
    const command = `train-sim agent --join ${this.url} --token-file <file>`;
    note(
      `waiting for ${counted(missingCount, "agent")}${ssh ? ` on ${ssh.hosts.join(", ")}` : `: ${command}`}`,
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), waitMs)));
    const ready = new Promise<void>((resolve) => (this.onAllReady = resolve));
    const outcome = await Promise.race([ready, late, stopped]).finally(() => clearTimeout(timer));
    if (outcome !== "late") return;
    const names = this.agents.map(({ name }) => name);
    const missing = ssh?.hosts.find((host) => !names.includes(host));
    const joinHint =
      ssh && missing !== undefined
        ? `Try it yourself: ${manualSshCommand(missing, ssh.command)}`
        : `Start the others with: ${command}`;
    throw new TargetError(
      `${names.length} of ${counted(count, "agent")} joined within ${waitMs / 1000} s${names.length > 0 ? `: ${names.join(", ")}` : ""}`,
      this.joinedAgents
        ? "A fault killed the others: start agents with --again, or start others in their place."
        : `${joinHint}; --agents-wait waits longer.`,
    );
  }

  /** What each of the first `count` agents said about itself as it joined; load is dealt in this order. */
  introductions(count: number): Introduction[] {
    return this.firstAgents(count).map(({ introduction }) => introduction);
  }

  /** Finds the versions of the poolers that the agents would start. Rejects if an agent lacks a pooler's program. */
  async findPoolerVersions({ pool, agents }: TreatmentSettings): Promise<PoolerVersion[]> {
    if (!arePoolersAtAgents(pool)) return [];
    const { product } = poolerKindOf(pool);
    const versionRequests = this.firstAgents(agents).map((agent) => agent.ask({ kind: "find-pooler", pool }));
    return (await Promise.all(versionRequests)).map((version) => ({
      product,
      version: z.string().parse(version),
    }));
  }

  /** Name of the first agent, among the first `count`, that runs on another machine; undefined if all run on this one. */
  remoteAgentName(count: number): string | undefined {
    const here = machineId();
    return this.firstAgents(count).find(({ introduction }) => introduction.machine !== here)?.name;
  }

  /**
   * A place for workers on the treatment's agents; losing an agent fails the trial that runs there. `untilStopped` resolves
   * when agents are no longer wanted.
   */
  place(settings: TreatmentSettings, untilStopped: () => Promise<unknown>): WorkerPlace {
    const { agents: count, agentPlace } = settings;
    const here = machineId();
    const isHere = ({ introduction }: JoinedAgent): boolean => introduction.machine === here;
    const agents = (): readonly JoinedAgent[] => this.firstAgents(count);
    return {
      get isElsewhere() {
        return !agents().every(isHere);
      },
      get pids() {
        return agents()
          .filter((agent) => isHere(agent) && !agent.lost)
          .map(({ introduction }) => introduction.pid);
      },
      waitUntilComplete: () => this.waitUntilJoined(untilStopped()),
      openNetwork: async (place, upstreams, seed) => {
        await this.waitUntilJoined(untilStopped());
        return openAgentNetwork(agents(), place, upstreams, seed);
      },
      openPoolers: async (pool, { auth }, upstreams) => {
        await this.waitUntilJoined(untilStopped());
        const clients = clientCountByAgent(settings);
        const places = agents().map((agent, i) => ({
          agent,
          clients: clients[i] ?? 0,
          isHere: isHere(agent),
        }));
        return openAgentPoolers(places, pool, auth, upstreams);
      },
      start: (assignments, events) => new RemoteWorkers(agents(), assignments, events, agentPlace),
    };
  }

  async close(): Promise<void> {
    for (const agent of this.agents) agent.close();
    this.sockets.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private firstAgents(count: number): readonly JoinedAgent[] {
    return (this.joinedAgents ?? []).slice(0, count);
  }

  private onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => undefined); // the other side has hung up
    const outcome = this.examineRequest(request);
    if ("refusal" in outcome) {
      const { status, refusal } = outcome;
      this.options.note(`warning: an agent was refused (${request.socket.remoteAddress ?? "?"}): ${refusal}`);
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nConnection: close\r\n` +
          `Content-Length: ${Buffer.byteLength(refusal)}\r\n\r\n${refusal}`,
      );
      return;
    }
    this.sockets.handleUpgrade(request, socket, head, (accepted) => {
      const agent = new JoinedAgent(outcome.introduction, accepted, (gone) => this.forget(gone));
      this.agents.push(agent);
      agent.listen(
        () => undefined,
        ({ message }) => this.options.note(`warning: ${message}`),
      );
      void agent.ready.then(() => this.onJoin(agent));
    });
  }

  private examineRequest(
    request: IncomingMessage,
  ): { readonly introduction: Introduction } | { readonly status: number; readonly refusal: string } {
    const { token, version, count } = this.options;
    if (!isSameToken(request.headers.authorization ?? "", bearerAuthorization(token)))
      return { status: REFUSAL_STATUS.unauthorized, refusal: "it has another token" };
    const header = headerJson(request.headers[INTRODUCTION_HEADER]);
    // An agent of another version may send an introduction of another shape, so only its version is read.
    const agentVersion = Introduction.pick({ version: true }).safeParse(header).data?.version;
    if (agentVersion !== undefined && agentVersion !== version)
      return {
        status: REFUSAL_STATUS.other,
        refusal: `it is train-sim ${agentVersion}, and the coordinator ${version}`,
      };
    const introduction = Introduction.safeParse(header).data;
    if (!introduction) return { status: REFUSAL_STATUS.other, refusal: "it sent no name" };
    const { name } = introduction;
    if (this.agents.some((agent) => agent.name === name))
      return {
        status: REFUSAL_STATUS.conflict,
        refusal: `an agent called ${name} has joined already; give this one another --name`,
      };
    if (this.agents.length >= count)
      return { status: REFUSAL_STATUS.conflict, refusal: `all ${count} agents have joined already` };
    return { introduction };
  }

  /**
   * Removes an agent that left before all had joined, or that a fault was to kill: it may join again. The loss of any other
   * agent fails its next trial.
   */
  private forget(agent: JoinedAgent): void {
    if (this.joinedAgents && !agent.isKillExpected) return;
    this.agents.splice(this.agents.indexOf(agent), 1);
    this.ready.delete(agent);
  }

  private onJoin(agent: JoinedAgent): void {
    const { errorMs } = agent.clockSummary();
    const { count } = this.options;
    const place = this.agents.indexOf(agent) + 1;
    this.options.note(
      `agent ${place} of ${count}: ${agent.name}, its clock is known within ${errorMs.toFixed(3)} ms`,
    );
    this.ready.add(agent);
    if (this.ready.size < count) return;
    this.joinedAgents = [...this.ready];
    this.onAllReady();
  }
}

function createJoinServer(tls: AgentOptions["tls"]): Server {
  try {
    return tls ? createTlsServer(tls) : createHttpServer();
  } catch (error) {
    throw new UsageError(
      `--cert and --key cannot be used: ${messageOf(error)}`,
      "Give PEM files that belong together.",
    );
  }
}

/** The header parsed as JSON; undefined if it is missing or not JSON. */
function headerJson(header: string | string[] | undefined): unknown {
  try {
    return JSON.parse(String(header));
  } catch {
    return undefined;
  }
}
