// The workers of a trial on agents. Their files arrive before their reports. A lost agent fails the trial.
import { dirname } from "node:path";
import { counted } from "../../foundation/units.js";
import type { Prng } from "../../foundation/prng.js";
import { outgoingNetworkPlace } from "../../faults/agent.js";
import type { LoadAgent } from "../../faults/fault.js";
import { arePoolersAtAgents, hasPooler, poolerKindOf } from "../../pools/registry.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { distributeWorkers, type ReservedAgentsByRole } from "../../clients/deal.js";
import { withinMs } from "../../foundation/deadline.js";
import { asTrainSimError, TrialError, type TrainSimError } from "../../foundation/errors.js";
import { renumberClients } from "../workers/assignments.js";
import type { Assignment, Command } from "../workers/protocol.js";
import { sharedMemoryOf } from "../workers/worker-memory.js";
import {
  workerName,
  type RunningWorkers,
  type WorkerEvents,
  type WorkersOfAgent,
} from "../workers/worker-place.js";
import { FilePieceReceiver } from "./file-pieces.js";
import { MIRROR_MS, type MemoryChange } from "./memory-mirror.js";
import { networkOf } from "./agent-network.js";
import type { AgentEvent, JoinedAgent } from "./joined-agent.js";

/**
 * Minimum time in milliseconds from sending a command until it takes effect: all agents must receive the command before,
 * despite several network delays and a busy agent.
 */
const COMMAND_LEAD_MIN_MS = 1_000;
const COMMAND_LEAD_ROUND_TRIPS = 4;
/** Time for an agent to end its workers: longer than the agent waits for its threads. */
const TERMINATE_TIMEOUT_MS = 15_000;
/** Time for the connection of a killed agent to end. */
const KILL_TIMEOUT_MS = 10_000;

class AgentWorkers {
  cpuSeconds = 0;
  /** Changes of other agents' shared memory that were not yet sent to this agent. */
  private unsentChanges: MemoryChange[] = [];
  /** Called once an agent that a fault kills is gone. */
  onKilled: (() => void) | undefined;

  constructor(
    readonly agent: JoinedAgent,
    readonly workers: readonly number[],
  ) {}

  queueMemoryChanges(changes: readonly MemoryChange[]): void {
    this.unsentChanges.push(...changes);
  }

  sendMemoryChanges(): void {
    if (this.unsentChanges.length > 0) this.agent.send({ kind: "memory", changes: this.unsentChanges });
    this.unsentChanges = [];
  }

  isAgentLost(): boolean {
    return this.agent.lost !== undefined;
  }

  /**
   * Ends all workers of the agent; resolves to the problem, if any. A lost agent is no problem here: its loss is already
   * reported.
   */
  async terminate(): Promise<TrainSimError | undefined> {
    if (this.isAgentLost()) return undefined;
    const ended = withinMs(this.agent.ask({ kind: "terminate" }), TERMINATE_TIMEOUT_MS);
    const problem = await ended.then(() => undefined, asTrainSimError);
    return this.isAgentLost() ? undefined : problem;
  }
}

export class RemoteWorkers implements RunningWorkers {
  private readonly agentWorkers: readonly AgentWorkers[];
  private readonly files: FilePieceReceiver;
  private readonly mirrorTimer: NodeJS.Timeout;
  private readonly settings: TreatmentSettings;
  private windowStartMs: number | undefined;

  constructor(
    agents: readonly JoinedAgent[],
    private readonly assignments: readonly Assignment[],
    private readonly events: WorkerEvents,
    place: ReservedAgentsByRole | undefined,
  ) {
    const [first] = assignments as [Assignment];
    this.settings = first.settings;
    this.files = new FilePieceReceiver(dirname(first.logFile), (error) => this.events.onCrash(0, error));
    const roles = assignments.map(({ role }) => role);
    const dealt = distributeWorkers(roles, agents.length, place);
    this.agentWorkers = agents.map((agent, i) => new AgentWorkers(agent, dealt[i] ?? []));
    for (const crew of this.agentWorkers) this.launch(crew);
    this.mirrorTimer = setInterval(
      () => this.agentWorkers.forEach((crew) => crew.sendMemoryChanges()),
      MIRROR_MS,
    );
  }

  get leadMs(): number {
    return Math.max(
      COMMAND_LEAD_MIN_MS,
      ...this.agentWorkers.map(({ agent }) => COMMAND_LEAD_ROUND_TRIPS * agent.roundTripMs),
    );
  }

  post(worker: number, command: Command): void {
    if (command.kind === "measure") this.handleWindowStart(command.startMs);
    this.agentWorkersOf(worker)?.agent.send({ kind: "command", worker, command });
  }

  /** Restarts the tracking of clock errors at the start of a window, because earlier errors do not affect it. */
  private handleWindowStart(startMs: number): void {
    if (startMs === this.windowStartMs) return;
    this.windowStartMs = startMs;
    for (const { agent } of this.agentWorkers) agent.resetWorstError();
  }

  nameOf(worker: number): string {
    const where = this.agentWorkersOf(worker)?.agent.name ?? "?";
    return `${workerName(this.assignments[worker] as Assignment)} of agent ${where}`;
  }

  cpuSeconds(): number {
    return this.agentWorkers.reduce((sum, crew) => sum + crew.cpuSeconds, 0);
  }

  agents(): WorkersOfAgent[] {
    return this.agentWorkers.map(({ agent, workers, cpuSeconds, onKilled }) => ({
      name: agent.name,
      workers,
      ...(!onKilled && { cpuSeconds }),
      clock: agent.clockSummary(),
    }));
  }

  chooseAgents(count: number, prng: Prng): LoadAgent[] {
    const livingCrews = this.agentWorkers.filter((crew) => !crew.isAgentLost());
    const { pool } = this.settings;
    return prng
      .shuffle(livingCrews)
      .slice(0, count)
      .map((crew) => ({
        words: this.describeAgent(crew),
        network: networkOf(crew.agent, outgoingNetworkPlace(pool)),
        beyond: hasPooler(pool) && !arePoolersAtAgents(pool) ? poolerKindOf(pool).product : "the server",
        kill: () => this.kill(crew),
      }));
  }

  private kill(crew: AgentWorkers): Promise<void> {
    const agentEnd = new Promise<void>((resolve) => (crew.onKilled = resolve));
    crew.agent.isKillExpected = true;
    crew.agent.send({ kind: "kill" });
    return withinMs(agentEnd, KILL_TIMEOUT_MS);
  }

  private describeAgent({ agent, workers }: AgentWorkers): string {
    const clients = workers.reduce((sum, worker) => sum + (this.assignments[worker]?.clients ?? 0), 0);
    return `agent ${agent.name} with ${counted(workers.length, "worker")} and ${counted(clients, "client")}`;
  }

  async terminate(): Promise<TrainSimError | undefined> {
    const problems = await Promise.all(this.agentWorkers.map((crew) => crew.terminate()));
    clearInterval(this.mirrorTimer);
    this.files.close();
    return problems.find((problem) => problem !== undefined);
  }

  private agentWorkersOf(worker: number): AgentWorkers | undefined {
    return this.agentWorkers.find(({ workers }) => workers.includes(worker));
  }

  private launch(crew: AgentWorkers): void {
    const { agent, workers } = crew;
    const fail = (error: TrainSimError): void => this.events.onCrash(workers[0] as number, error);
    agent.listen(
      (message) => this.handleEvent(crew, message, fail),
      (loss) => {
        if (crew.onKilled) {
          for (const worker of workers) this.events.onKilled(worker);
          crew.onKilled();
          return;
        }
        fail(loss);
        for (const worker of workers) this.events.onExit(worker, 1);
      },
    );
    const dealtAssignments = workers.map((worker) => this.assignments[worker] as Assignment);
    const agentAssignments = arePoolersAtAgents(this.settings.pool)
      ? renumberClients(dealtAssignments)
      : dealtAssignments;
    const others = this.assignments.filter((_, worker) => !workers.includes(worker));
    agent.send({
      kind: "launch",
      assignments: workers.map((worker, i) => [worker, agentAssignments[i] as Assignment]),
      elsewhere: sharedMemoryOf(others).map(([ordinal, bytes]) => [ordinal, bytes]),
    });
  }

  private handleEvent(crew: AgentWorkers, message: AgentEvent, fail: (error: TrainSimError) => void): void {
    const { agent, workers } = crew;
    if ("worker" in message && !workers.includes(message.worker)) {
      agent.lose(`it reported worker ${message.worker}, which another agent runs`);
      return;
    }
    switch (message.kind) {
      case "online": {
        this.events.onOnline(message.worker);
        return;
      }
      case "report": {
        this.events.onReport(message.worker, message.report);
        return;
      }
      case "crash": {
        this.events.onCrash(
          message.worker,
          Object.assign(new Error(message.message), { code: message.code }),
        );
        return;
      }
      case "exit": {
        this.events.onExit(message.worker, message.code);
        return;
      }
      case "file": {
        this.files.append(message.name, message.bytes);
        return;
      }
      case "memory": {
        for (const other of this.agentWorkers) if (other !== crew) other.queueMemoryChanges(message.changes);
        return;
      }
      case "cpu":
        crew.cpuSeconds = message.seconds;
        return;
      case "late": {
        fail(
          new TrialError(
            `agent ${agent.name} received "${message.command}" ${Math.ceil(message.lateMs)} ms after the time set for it`,
            "Its network or its machine is too busy; nothing was measured.",
          ),
        );
        return;
      }
    }
  }
}
