// One agent, as the coordinator sees it. Clocks are compared once a second, which also notices its end.
import type { WebSocket } from "ws";
import { monotonicMs } from "../../foundation/clock.js";
import { messageOf, TargetError, TrainSimError } from "../../foundation/errors.js";
import {
  decode,
  encode,
  FromAgent,
  MESSAGE_TIMEOUT_MS,
  type Introduction,
  type AgentRequest,
  type ToAgent,
} from "./agent-protocol.js";
import { ClockEstimate } from "./clock-estimate.js";

const INITIAL_EXCHANGE_COUNT = 16;
const EXCHANGE_INTERVAL_MS = 1_000;
/**
 * Maximum step of an agent's clock between exchanges: agents slew by at most 0.5 ms a second, so a larger step means
 * that the machine or process was suspended.
 */
const CLOCK_STEP_MAX_MS = 5;

/** Messages that an agent sends unasked. */
export type AgentEvent = Exclude<FromAgent, { kind: "clock" | "answer" }>;
export type AgentListener = (message: AgentEvent) => void;

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class JoinedAgent {
  /** Whether a fault of the scenario kills this agent, so that its end is no error. */
  isKillExpected = false;
  private readonly clock = new ClockEstimate();
  private clockExchanges = 0;
  /** Time at which the agent last received a clock question, in milliseconds of the agent's clock. */
  private lastHeardMs = 0;
  /** Error of the clock at the last exchange, and the largest since `resetWorstError`, in milliseconds. */
  private errorMs = 0;
  private worstErrorMs = 0;
  private listener: AgentListener = () => undefined;
  private lossError: TrainSimError | undefined;
  private onLost: (error: TrainSimError) => void = () => undefined;
  private messageTimer: NodeJS.Timeout | undefined;
  /** Requests that await their answer, by request number. */
  private readonly pendingRequests = new Map<number, PendingRequest>();
  private requests = 0;
  private nextExchangeTimer: NodeJS.Timeout | undefined;
  /** Resolves once the agent's clock is known. Stays pending forever if the agent is lost before. */
  readonly ready: Promise<void>;
  private becomeReady: () => void = () => undefined;

  constructor(
    readonly introduction: Introduction,
    private readonly socket: WebSocket,
    private readonly onGone: (agent: JoinedAgent) => void,
  ) {
    this.ready = new Promise((resolve) => (this.becomeReady = resolve));
    socket.on("message", (bytes: Buffer) => this.onMessage(bytes));
    socket.on("close", (code, reason) => this.lose(`its connection closed (${reason.toString() || code})`));
    socket.on("error", (error) => this.lose(messageOf(error)));
    this.sendClockQuestion();
  }

  get name(): string {
    return this.introduction.name;
  }

  /** The error by which the agent was lost; undefined while it is connected. */
  get lost(): TrainSimError | undefined {
    return this.lossError;
  }

  /** Round trip of the last exchange, in milliseconds, without the agent's time to answer. */
  get roundTripMs(): number {
    return this.clock.roundTripMs;
  }

  /**
   * Passes later messages of the agent to `listener` and its loss to `onLost`, which is called at once if the agent is
   * already lost.
   */
  listen(listener: AgentListener, onLost: (error: TrainSimError) => void): void {
    this.listener = listener;
    this.onLost = onLost;
    if (this.lossError) onLost(this.lossError);
  }

  send(message: ToAgent): void {
    if (!this.lossError) this.socket.send(encode(message));
  }

  /**
   * Sends a request; resolves to its answer. Rejects with the agent's message if the request fails, and with the loss if
   * the agent is lost.
   */
  ask(request: AgentRequest): Promise<unknown> {
    if (this.lossError) return Promise.reject(this.lossError);
    const id = this.requests++;
    return new Promise((resolve, reject) => {
      this.pendingRequests.set(id, { resolve, reject });
      this.send({ kind: "ask", id, request });
    });
  }

  /** Sends a request like `ask`; resolves to the answer as `value`, or to undefined if a fault has killed the agent. */
  async askUnlessKilled(request: AgentRequest): Promise<{ readonly value: unknown } | undefined> {
    try {
      return { value: await this.ask(request) };
    } catch (error) {
      if (this.isKillExpected) return undefined;
      throw error;
    }
  }

  /** Resets the clock's largest error to the error of the last exchange. */
  resetWorstError(): void {
    this.worstErrorMs = this.errorMs;
  }

  /** The clock as results state it, with the largest error since `resetWorstError`. */
  clockSummary(): { readonly offsetMs: number; readonly errorMs: number; readonly driftPpm: number } {
    const { offsetMs } = this.clock.at(this.lastHeardMs);
    return { offsetMs, errorMs: this.worstErrorMs, driftPpm: this.clock.drift * 1e6 };
  }

  close(): void {
    this.send({ kind: "end" });
    this.lossError ??= new TargetError("the run is over");
    this.rejectPendingRequests(this.lossError);
    clearTimeout(this.messageTimer);
    clearTimeout(this.nextExchangeTimer);
    this.socket.close();
  }

  lose(why: string): void {
    if (this.lossError) return;
    this.lossError = new TargetError(
      `agent ${this.name} is lost: ${why}`,
      "Read its output for the cause. --resume repeats the trial once as many agents have joined.",
    );
    clearTimeout(this.messageTimer);
    clearTimeout(this.nextExchangeTimer);
    this.socket.terminate();
    this.rejectPendingRequests(this.lossError);
    this.onLost(this.lossError);
    this.onGone(this);
  }

  private rejectPendingRequests(error: Error): void {
    for (const { reject } of this.pendingRequests.values()) reject(error);
    this.pendingRequests.clear();
  }

  private sendClockQuestion(): void {
    this.send({ kind: "clock", askedMs: monotonicMs() });
    this.messageTimer = setTimeout(
      () => this.lose(`it sent nothing for ${MESSAGE_TIMEOUT_MS / 1000} s`),
      MESSAGE_TIMEOUT_MS,
    );
  }

  private onMessage(bytes: Buffer): void {
    if (this.lossError) return; // sent before the run ended
    const answeredMs = monotonicMs();
    try {
      const message = decode(bytes, FromAgent);
      if (message.kind === "clock") this.compare(message, answeredMs);
      else if (message.kind === "answer") this.settleRequest(message);
      else this.listener(message);
    } catch (error) {
      this.lose(messageOf(error));
    }
  }

  private settleRequest({ id, value, problem }: Extract<FromAgent, { kind: "answer" }>): void {
    const pendingRequest = this.pendingRequests.get(id);
    this.pendingRequests.delete(id);
    if (problem === undefined) pendingRequest?.resolve(value);
    else {
      const { message, exitCode, hint } = problem;
      pendingRequest?.reject(new TrainSimError(`agent ${this.name}: ${message}`, exitCode, hint));
    }
  }

  private compare(reply: Extract<FromAgent, { kind: "clock" }>, answeredMs: number): void {
    clearTimeout(this.messageTimer);
    const clockStepMs = this.clock.add({ ...reply, answeredMs });
    if (clockStepMs > CLOCK_STEP_MAX_MS) {
      this.lose(`its monotonic clock stepped by ${Math.round(clockStepMs)} ms, as when a machine is paused`);
      return;
    }
    this.lastHeardMs = reply.repliedMs;
    const { offsetMs, errorMs } = this.clock.at(reply.repliedMs);
    this.errorMs = errorMs + Math.abs(reply.correctionMs - offsetMs);
    this.worstErrorMs = Math.max(this.worstErrorMs, this.errorMs);
    this.clockExchanges++;
    const isKnown = this.clockExchanges >= INITIAL_EXCHANGE_COUNT;
    if (isKnown) {
      this.send({ kind: "line", line: { sinceMs: reply.repliedMs, offsetMs, slope: this.clock.drift } });
      if (this.clockExchanges === INITIAL_EXCHANGE_COUNT) {
        this.worstErrorMs = errorMs; // what is wrong with its clock by now is put right before it measures
        this.becomeReady();
      }
    }
    this.nextExchangeTimer = setTimeout(() => this.sendClockQuestion(), isKnown ? EXCHANGE_INTERVAL_MS : 0);
  }
}
