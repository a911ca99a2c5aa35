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
import { withMemory, type SharedMemory } from "../workers/worker-memory.js";
import { startThreads } from "../workers/worker-thread.js";
import { AgentPath } from "./agent-path.js";
import { decode, encode, SILENCE_MS, ToAgent, type FromAgent } from "./agent-protocol.js";
import { FilePieces } from "./file-pieces.js";
import { MemoryMirror, MIRROR_MS, writePieces } from "./memory-mirror.js";
import { processCpuSeconds } from "../../foundation/process-usage.js";

/** Time over which a clock correction is spread, so that the clock neither jumps nor stands still during a measurement. */
const SLEW_MS = 1_000;
/** The largest share by which the clock is sped up or slowed down, the same as a kernel's own slew. */
const SLEW_MAX = 500e-6;

/** The WebSocket close code of a peer that leaves. The protocol allows a reason of at most 123 bytes. */
const GOING_AWAY = 1001;
const REASON_MAX = 40;

interface RunningTrial {
  readonly workers: RunningWorkers;
  /** The worker's number on this agent, by its number in the whole trial. */
  readonly places: ReadonlyMap<number, number>;
  readonly directory: string;
  readonly pieces: FilePieces;
  readonly cpu: CpuWindow;
  readonly copies: ReadonlyMap<number, SharedArrayBuffer>;
  readonly mirroring: NodeJS.Timeout;
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
  const home = join(tmpdir(), `train-sim-agent-${process.pid}-${generateSecret(4)}`);
  const release = await guardDirectory(home); // a fault may kill this process
  const agent = new Agent(socket, note, home);
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
    rmSync(home, { recursive: true, force: true });
    release();
    socket.close(GOING_AWAY, words.slice(0, REASON_MAX));
  }
}

class Agent {
  private readonly setLine = followClock();
  private running: RunningTrial | undefined;
  private readonly path = new AgentPath((error) => this.fail(error));
  private silenceTimer: NodeJS.Timeout | undefined;
  private done: () => void = () => undefined;
  private fail: (error: TrainSimError) => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(
    private readonly socket: WebSocket,
    private readonly note: (words: string) => void,
    /** The directory of the agent's trial files; removed however this process ends. */
    private readonly home: string,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.done = resolve;
      this.fail = reject;
    });
    this.ended.catch(() => undefined);
    this.setLine({ sinceMs: ownMonotonicMs(), offsetMs: 0, slope: 0 });
    this.listenOn();
    socket.on("message", (bytes: Buffer) => this.onMessage(bytes, ownMonotonicMs()));
    socket.on("close", (code) => this.failWithoutCoordinator(`the connection closed (${code})`));
    socket.on("error", (error) => this.failWithoutCoordinator(messageOf(error)));
    socket.resume();
  }

  stop(signalName: string): void {
    this.fail(new TrainSimError(`stopped by ${signalName}`, ExitCode.interrupted));
  }

  async close(): Promise<void> {
    clearTimeout(this.silenceTimer);
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

  private listenOn(): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(
      () => this.failWithoutCoordinator(`it sent nothing for ${SILENCE_MS / 1000} s`),
      SILENCE_MS,
    );
  }

  private send(message: FromAgent): void {
    this.socket.send(encode(message));
  }

  private onMessage(bytes: Buffer, heardMs: number): void {
    this.listenOn();
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
        this.follow(message.line);
        return;
      }
      case "launch": {
        this.launch(message.assignments, message.elsewhere);
        return;
      }
      case "memory": {
        for (const { ordinal, pieces } of message.changes) {
          const copy = this.running?.copies.get(ordinal);
          if (copy) writePieces(copy, pieces);
        }
        return;
      }
      case "command": {
        this.command(message.worker, message.command);
        return;
      }
      case "ask": {
        const { id, request } = message;
        const answered = request.kind === "terminate" ? this.terminate() : this.path.answer(request);
        answered.then(
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
        this.done();
        return;
      }
    }
  }

  /** Corrects the clock: at once while no trial runs, else within a second, in small steps. */
  private follow(line: ClockLine): void {
    if (!this.running) {
      this.setLine(line);
      return;
    }
    const nowMs = ownMonotonicMs();
    const isMs = correctionMs(nowMs);
    const soonMs = line.offsetMs + line.slope * (nowMs + SLEW_MS - line.sinceMs);
    const slope = Math.min(SLEW_MAX, Math.max(-SLEW_MAX, (soonMs - isMs) / SLEW_MS));
    this.setLine({ sinceMs: nowMs, offsetMs: isMs, slope });
  }

  private launch(
    given: readonly (readonly [number, Assignment])[],
    elsewhere: readonly SharedMemory[],
  ): void {
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    const directory = mkdtempSync(join(this.home, "trial-"));
    const pieces = new FilePieces(directory, (name, bytes) => this.send({ kind: "file", name, bytes }));
    const numbers = given.map(([number]) => number);
    const numberOf = (here: number): number => numbers[here] as number;
    const assignments = given.map(([, assignment]) => ({
      ...assignment,
      directory,
      logFile: join(directory, basename(assignment.logFile)),
      endpoints: [...this.path.endpointsBefore(assignment.endpoints)],
    }));
    const { trial, isCeiling, workersOfTrial } = assignments[0] as Assignment;
    const what = isCeiling ? "ceiling" : `trial ${trial.number}`;
    this.note(`${what}, ${trial.treatmentId}: ${counted(assignments.length, "worker")}`);
    const threads = withMemory(assignments, elsewhere);
    const workers = startThreads(threads, {
      onOnline: (here) => this.send({ kind: "online", worker: numberOf(here) }),
      onReport: (here, report) => {
        if (report.kind !== "alive") pieces.pump(); // what it tells of is on its way before it
        this.send({ kind: "report", worker: numberOf(here), report });
      },
      onCrash: (here, error) => {
        const code = codeOf(error);
        const message = messageOf(error);
        this.send({ kind: "crash", worker: numberOf(here), message, ...(code !== undefined && { code }) });
      },
      onExit: (here, code) => {
        // Ending these workers is expected, so it is not reported.
        if (this.running) this.send({ kind: "exit", worker: numberOf(here), code });
      },
      onKilled: () => undefined, // by its coordinator, with this process
    });
    const places = new Map(numbers.map((each, here) => [each, here]));
    const { shared, mirrored } = threads[0] as ThreadAssignment;
    const isShared = assignments.length < workersOfTrial;
    const [own, copies] = [false, true].map((isCopy) =>
      [...shared].filter(([ordinal]) => mirrored.includes(ordinal) === isCopy),
    );
    this.running = {
      workers,
      places,
      directory,
      pieces,
      cpu: new CpuWindow(),
      copies: new Map(copies),
      mirroring: this.mirror(new MemoryMirror(isShared ? (own ?? []) : [])),
    };
  }

  private mirror(memory: MemoryMirror): NodeJS.Timeout {
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
    const { workers, pieces, cpu, directory, mirroring } = running;
    clearInterval(mirroring);
    const endless = await workers.terminate();
    cpu.close();
    pieces.pump();
    pieces.close();
    rmSync(directory, { recursive: true, force: true });
    if (endless) throw endless;
  }
}

class CpuWindow {
  private startMs: number | undefined;
  private atStart: number | undefined;
  private atEnd: number | undefined;
  private timers: NodeJS.Timeout[] = [];

  /** Sets the window's start and end. Returns whether this is another window than the one set before. */
  set(startMs: number, endMs: number): boolean {
    const isNew = startMs !== this.startMs;
    this.close();
    if (isNew) {
      this.startMs = startMs;
      this.atStart = undefined;
      this.atEnd = undefined;
    }
    if (this.atStart === undefined) this.at(startMs, () => (this.atStart = processCpuSeconds()));
    if (this.atEnd === undefined && Number.isFinite(endMs))
      this.at(endMs, () => (this.atEnd = processCpuSeconds()));
    return isNew;
  }

  /** CPU seconds within the window, up to now if its end was not reached; undefined if it has not begun. */
  get seconds(): number | undefined {
    if (this.atStart === undefined) return undefined;
    return (this.atEnd ?? processCpuSeconds()) - this.atStart;
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }

  private at(atMs: number, read: () => void): void {
    const leftMs = atMs - monotonicMs();
    if (leftMs <= 0) read();
    else this.timers.push(setTimeout(read, leftMs));
  }
}
