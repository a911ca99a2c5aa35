// One agent, as the coordinator sees it. Clocks are compared once a second, which also notices its end.
import type { WebSocket } from "ws";
import { monotonicMs } from "../../foundation/clock.js";
import { messageOf, TargetError, TrainSimError } from "../../foundation/errors.js";
import {
  decode,
  encode,
  FromAgent,
  SILENCE_MS,
  type Introduction,
  type Request,
  type ToAgent,
} from "./agent-protocol.js";
import { ClockEstimate } from "./clock-estimate.js";

const FIRST_EXCHANGES = 16;
const EXCHANGE_EVERY_MS = 1_000;
/**
 * Most that an agent's clock may step between exchanges: agents slew by at most 0.5 ms a second, so a larger step means
 * that the machine or process was suspended.
 */
const STEP_MAX_MS = 5;

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
  /** Error of the clock at the last exchange, and the largest since `forgetErrors`, in milliseconds. */
  private errorMs = 0;
  private worstErrorMs = 0;
  private listener: AgentListener = () => undefined;
  private lossError: TrainSimError | undefined;
  private onLost: (error: TrainSimError) => void = () => undefined;
  private silenceTimer: NodeJS.Timeout | undefined;
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
    this.askTime();
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
  ask(request: Request): Promise<unknown> {
    if (this.lossError) return Promise.reject(this.lossError);
    const id = this.requests++;
    return new Promise((resolve, reject) => {
      this.pendingRequests.set(id, { resolve, reject });
      this.send({ kind: "ask", id, request });
    });
  }

  /** Sends a request like `ask`; resolves to the answer as `value`, or to undefined if a fault has killed the agent. */
  async askLiving(request: Request): Promise<{ readonly value: unknown } | undefined> {
    try {
      return { value: await this.ask(request) };
    } catch (error) {
      if (this.isKillExpected) return undefined;
      throw error;
    }
  }

  /** Resets the clock's largest error to the error of the last exchange. */
  forgetErrors(): void {
    this.worstErrorMs = this.errorMs;
  }

  /** The clock as results state it, with the largest error since `forgetErrors`. */
  clockNow(): { readonly offsetMs: number; readonly errorMs: number; readonly driftPpm: number } {
    const { offsetMs } = this.clock.at(this.lastHeardMs);
    return { offsetMs, errorMs: this.worstErrorMs, driftPpm: this.clock.drift * 1e6 };
  }

  close(): void {
    this.send({ kind: "end" });
    this.lossError ??= new TargetError("the run is over");
    this.refuseAsked(this.lossError);
    clearTimeout(this.silenceTimer);
    clearTimeout(this.nextExchangeTimer);
    this.socket.close();
  }

  lose(why: string): void {
    if (this.lossError) return;
    this.lossError = new TargetError(
      `agent ${this.name} is lost: ${why}`,
      "Read its output for the cause. --resume repeats the trial once as many agents have joined.",
    );
    clearTimeout(this.silenceTimer);
    clearTimeout(this.nextExchangeTimer);
    this.socket.terminate();
    this.refuseAsked(this.lossError);
    this.onLost(this.lossError);
    this.onGone(this);
  }

  private refuseAsked(error: Error): void {
    for (const { reject } of this.pendingRequests.values()) reject(error);
    this.pendingRequests.clear();
  }

  private askTime(): void {
    this.send({ kind: "clock", askedMs: monotonicMs() });
    this.silenceTimer = setTimeout(() => this.lose(`it sent nothing for ${SILENCE_MS / 1000} s`), SILENCE_MS);
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
    const asker = this.pendingRequests.get(id);
    this.pendingRequests.delete(id);
    if (problem === undefined) asker?.resolve(value);
    else {
      const { message, exitCode, hint } = problem;
      asker?.reject(new TrainSimError(`agent ${this.name}: ${message}`, exitCode, hint));
    }
  }

  private compare(reply: Extract<FromAgent, { kind: "clock" }>, answeredMs: number): void {
    clearTimeout(this.silenceTimer);
    const steppedMs = this.clock.add({ ...reply, answeredMs });
    if (steppedMs > STEP_MAX_MS) {
      this.lose(`its monotonic clock stepped by ${Math.round(steppedMs)} ms, as when a machine is paused`);
      return;
    }
    this.lastHeardMs = reply.repliedMs;
    const { offsetMs, errorMs } = this.clock.at(reply.repliedMs);
    this.errorMs = errorMs + Math.abs(reply.correctionMs - offsetMs);
    this.worstErrorMs = Math.max(this.worstErrorMs, this.errorMs);
    this.clockExchanges++;
    const isKnown = this.clockExchanges >= FIRST_EXCHANGES;
    if (isKnown) {
      this.send({ kind: "line", line: { sinceMs: reply.repliedMs, offsetMs, slope: this.clock.drift } });
      if (this.clockExchanges === FIRST_EXCHANGES) {
        this.worstErrorMs = errorMs; // what is wrong with its clock by now is put right before it measures
        this.becomeReady();
      }
    }
    this.nextExchangeTimer = setTimeout(() => this.askTime(), isKnown ? EXCHANGE_EVERY_MS : 0);
  }
}
