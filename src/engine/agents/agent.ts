// An agent decides nothing, and when the coordinator is gone it ends what it runs.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { WebSocket } from "ws";
import {
  correctionMs,
  followClock,
  monotonicMs,
  ownMonotonicMs,
  type ClockLine,
} from "../../foundation/clock.js";
import {
  asTrainSimError,
  codeOf,
  ExitCode,
  messageOf,
  TargetError,
  TrainSimError,
} from "../../foundation/errors.js";
import { generateSecret } from "../../foundation/prng.js";
import { guardDirectory } from "../../foundation/process/reaper.js";
import { counted } from "../../foundation/units.js";
import type { Assignment, Command, ThreadAssignment } from "../workers/protocol.js";
import type { RunningWorkers } from "../workers/worker-place.js";
import { threadAssignmentsOf, type SharedMemory } from "../workers/worker-memory.js";
import { startThreads } from "../workers/worker-thread.js";
import { AgentPath } from "./agent-path.js";
import { decode, encode, MESSAGE_TIMEOUT_MS, ToAgent, type FromAgent } from "./agent-protocol.js";
import { FilePieceSender } from "./file-pieces.js";
import { MemoryMirror, MIRROR_MS, writePieces } from "./memory-mirror.js";
import { processCpuSeconds } from "../../foundation/process-usage.js";

/** Time over which a clock correction is spread, so that the clock neither jumps nor stands still during a measurement. */
const CLOCK_SLEW_MS = 1_000;
/** The largest share by which the clock is sped up or slowed down, the same as a kernel's own slew. */
const CLOCK_SLEW_SHARE_MAX = 500e-6;

/** The WebSocket close code of a peer that leaves. The protocol allows a reason of at most 123 bytes. */
const CLOSE_CODE_GOING_AWAY = 1001;
const CLOSE_REASON_CHARACTERS_MAX = 40;

interface RunningTrial {
  readonly workers: RunningWorkers;
  /** The worker's number on this agent, by its number in the whole trial. */
  readonly places: ReadonlyMap<number, number>;
  readonly directory: string;
  readonly pieceSender: FilePieceSender;
  readonly cpu: CpuWindow;
  readonly memoryCopies: ReadonlyMap<number, SharedArrayBuffer>;
  readonly mirrorTimer: NodeJS.Timeout;
}

/**
 * Serves the coordinator; resolves when the run is over. Rejects when the coordinator is gone or sends an invalid message,
 * and when `stop` is aborted.
 */
export async function serveAsAgent(
  socket: WebSocket,
  note: (words: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const agentDirectory = join(tmpdir(), `train-sim-agent-${process.pid}-${generateSecret(4)}`);
  const release = await guardDirectory(agentDirectory); // a fault may kill this process
  const agent = new Agent(socket, note, agentDirectory);
  const onStop = (): void => agent.stop(String(stop.reason));
  stop.addEventListener("abort", onStop);
  let words = "";
  try {
    await agent.ended;
  } catch (error) {
    words = messageOf(error);
    throw error;
  } finally {
    stop.removeEventListener("abort", onStop);
    await agent.close();
    rmSync(agentDirectory, { recursive: true, force: true });
    release();
    socket.close(CLOSE_CODE_GOING_AWAY, words.slice(0, CLOSE_REASON_CHARACTERS_MAX));
  }
}

class Agent {
  private readonly setLine = followClock();
  private running: RunningTrial | undefined;
  private readonly path = new AgentPath((error) => this.fail(error));
  private messageTimer: NodeJS.Timeout | undefined;
  private succeed: () => void = () => undefined;
  private fail: (error: TrainSimError) => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(
    private readonly socket: WebSocket,
    private readonly note: (words: string) => void,
    /** The directory of the agent's trial files; removed however this process ends. */
    private readonly agentDirectory: string,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.succeed = resolve;
      this.fail = reject;
    });
    this.ended.catch(() => undefined);
    this.setLine({ sinceMs: ownMonotonicMs(), offsetMs: 0, slope: 0 });
    this.restartMessageTimer();
    socket.on("message", (bytes: Buffer) => this.onMessage(bytes, ownMonotonicMs()));
    socket.on("close", (code) => this.failWithoutCoordinator(`the connection closed (${code})`));
    socket.on("error", (error) => this.failWithoutCoordinator(messageOf(error)));
    socket.resume();
  }

  stop(signalName: string): void {
    this.fail(new TrainSimError(`stopped by ${signalName}`, ExitCode.interrupted));
  }

  async close(): Promise<void> {
    clearTimeout(this.messageTimer);
    await this.terminate().catch(() => undefined); // a coordinator that is gone hears nothing of it
    await this.path.close();
  }

  private failWithoutCoordinator(why: string): void {
    this.fail(
      new TargetError(
        `the coordinator is gone: ${why}`,
        "Read its output for the cause, and start both again.",
      ),
    );
  }

  private restartMessageTimer(): void {
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(
      () => this.failWithoutCoordinator(`it sent nothing for ${MESSAGE_TIMEOUT_MS / 1000} s`),
      MESSAGE_TIMEOUT_MS,
    );
  }

  private send(message: FromAgent): void {
    this.socket.send(encode(message));
  }

  private onMessage(bytes: Buffer, heardMs: number): void {
    this.restartMessageTimer();
    try {
      this.handleMessage(decode(bytes, ToAgent), heardMs);
    } catch (error) {
      this.fail(asTrainSimError(error));
    }
  }

  private handleMessage(message: ToAgent, heardMs: number): void {
    switch (message.kind) {
      case "clock": {
        const repliedMs = ownMonotonicMs();
        this.send({ ...message, heardMs, repliedMs, correctionMs: correctionMs(repliedMs) });
        return;
      }
      case "line": {
        this.correctClock(message.line);
        return;
      }
      case "launch": {
        this.launch(message.assignments, message.elsewhere);
        return;
      }
      case "memory": {
        for (const { ordinal, pieces } of message.changes) {
          const memoryCopy = this.running?.memoryCopies.get(ordinal);
          if (memoryCopy) writePieces(memoryCopy, pieces);
        }
        return;
      }
      case "command": {
        this.command(message.worker, message.command);
        return;
      }
      case "ask": {
        const { id, request } = message;
        const answerPromise = request.kind === "terminate" ? this.terminate() : this.path.answer(request);
        answerPromise.then(
          (value: unknown) => this.send({ kind: "answer", id, value }),
          (error: unknown) => {
            const { message, exitCode, hint } = asTrainSimError(error);
            this.send({ kind: "answer", id, value: undefined, problem: { message, exitCode, hint } });
          },
        );
        return;
      }
      case "kill": {
        process.kill(process.pid, "SIGKILL");
        return;
      }
      case "end": {
        this.succeed();
        return;
      }
    }
  }

  /** Corrects the clock: at once while no trial runs, else within a second, in small steps. */
  private correctClock(line: ClockLine): void {
    if (!this.running) {
      this.setLine(line);
      return;
    }
    const nowMs = ownMonotonicMs();
    const currentCorrectionMs = correctionMs(nowMs);
    const slewedCorrectionMs = line.offsetMs + line.slope * (nowMs + CLOCK_SLEW_MS - line.sinceMs);
    const slope = Math.min(
      CLOCK_SLEW_SHARE_MAX,
      Math.max(-CLOCK_SLEW_SHARE_MAX, (slewedCorrectionMs - currentCorrectionMs) / CLOCK_SLEW_MS),
    );
    this.setLine({ sinceMs: nowMs, offsetMs: currentCorrectionMs, slope });
  }

  private launch(
    numberedAssignments: readonly (readonly [number, Assignment])[],
    elsewhere: readonly SharedMemory[],
  ): void {
    mkdirSync(this.agentDirectory, { recursive: true, mode: 0o700 });
    const directory = mkdtempSync(join(this.agentDirectory, "trial-"));
    const pieceSender = new FilePieceSender(directory, (name, bytes) =>
      this.send({ kind: "file", name, bytes }),
    );
    const numbers = numberedAssignments.map(([number]) => number);
    const workerNumberOf = (here: number): number => numbers[here] as number;
    const assignments = numberedAssignments.map(([, assignment]) => ({
      ...assignment,
      directory,
      logFile: join(directory, basename(assignment.logFile)),
      endpoints: [...this.path.nearestEndpoints(assignment.endpoints)],
    }));
    const { trial, isCeiling, workersOfTrial } = assignments[0] as Assignment;
    const what = isCeiling ? "ceiling" : `trial ${trial.number}`;
    this.note(`${what}, ${trial.treatmentId}: ${counted(assignments.length, "worker")}`);
    const threads = threadAssignmentsOf(assignments, elsewhere);
    const workers = startThreads(threads, {
      onOnline: (here) => this.send({ kind: "online", worker: workerNumberOf(here) }),
      onReport: (here, report) => {
        if (report.kind !== "alive") pieceSender.sendNewBytes(); // what it tells of is on its way before it
        this.send({ kind: "report", worker: workerNumberOf(here), report });
      },
      onCrash: (here, error) => {
        const code = codeOf(error);
        const message = messageOf(error);
        this.send({
          kind: "crash",
          worker: workerNumberOf(here),
          message,
          ...(code !== undefined && { code }),
        });
      },
      onExit: (here, code) => {
        // Ending these workers is expected, so it is not reported.
        if (this.running) this.send({ kind: "exit", worker: workerNumberOf(here), code });
      },
      onKilled: () => undefined, // by its coordinator, with this process
    });
    const places = new Map(numbers.map((each, here) => [each, here]));
    const { shared, mirroredOrdinals } = threads[0] as ThreadAssignment;
    const isShared = assignments.length < workersOfTrial;
    const [own, copies] = [false, true].map((isCopy) =>
      [...shared].filter(([ordinal]) => mirroredOrdinals.includes(ordinal) === isCopy),
    );
    this.running = {
      workers,
      places,
      directory,
      pieceSender,
      cpu: new CpuWindow(),
      memoryCopies: new Map(copies),
      mirrorTimer: this.startMirroring(new MemoryMirror(isShared ? (own ?? []) : [])),
    };
  }

  private startMirroring(memory: MemoryMirror): NodeJS.Timeout {
    return setInterval(() => {
      const changes = memory.changes();
      if (changes.length > 0) this.send({ kind: "memory", changes });
    }, MIRROR_MS);
  }

  private command(worker: number, command: Command): void {
    const { running } = this;
    if (!running) return;
    const { cpu, places, workers } = running;
    const isNewWindow = command.kind === "measure" && cpu.set(command.startMs, command.endMs);
    const dueMs = command.kind === "start" ? command.atMs : isNewWindow ? command.startMs : undefined;
    const lateMs = dueMs === undefined ? 0 : monotonicMs() - dueMs;
    if (lateMs > 0) this.send({ kind: "late", command: command.kind, lateMs });
    if (command.kind === "stop" && cpu.seconds !== undefined)
      this.send({ kind: "cpu", seconds: cpu.seconds });
    workers.post(places.get(worker) ?? -1, command);
  }

  /** Ends all workers and removes their files. Rejects if any worker or file remains. */
  private async terminate(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    const { workers, pieceSender, cpu, directory, mirrorTimer } = running;
    clearInterval(mirrorTimer);
    const terminationError = await workers.terminate();
    cpu.close();
    pieceSender.sendNewBytes();
    pieceSender.close();
    rmSync(directory, { recursive: true, force: true });
    if (terminationError) throw terminationError;
  }
}

class CpuWindow {
  private startMs: number | undefined;
  private cpuSecondsAtStart: number | undefined;
  private atEnd: number | undefined;
  private timers: NodeJS.Timeout[] = [];

  /** Sets the window's start and end. Returns whether this is another window than the one set before. */
  set(startMs: number, endMs: number): boolean {
    const isNew = startMs !== this.startMs;
    this.close();
    if (isNew) {
      this.startMs = startMs;
      this.cpuSecondsAtStart = undefined;
      this.atEnd = undefined;
    }
    if (this.cpuSecondsAtStart === undefined)
      this.at(startMs, () => (this.cpuSecondsAtStart = processCpuSeconds()));
    if (this.atEnd === undefined && Number.isFinite(endMs))
      this.at(endMs, () => (this.atEnd = processCpuSeconds()));
    return isNew;
  }

  /** CPU seconds within the window, up to now if its end was not reached; undefined if it has not begun. */
  get seconds(): number | undefined {
    if (this.cpuSecondsAtStart === undefined) return undefined;
    return (this.atEnd ?? processCpuSeconds()) - this.cpuSecondsAtStart;
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }

  private at(atMs: number, read: () => void): void {
    const remainingMs = atMs - monotonicMs();
    if (remainingMs <= 0) read();
    else this.timers.push(setTimeout(read, remainingMs));
  }
}
