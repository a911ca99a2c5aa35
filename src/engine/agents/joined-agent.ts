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
/** Agents slew by at most 0.5 ms a second, and monotonic clocks do not step: what exceeds this is one that was stopped. */
const STEP_MAX_MS = 5;

/** What an agent tells without having been asked. */
export type AgentEvent = Exclude<FromAgent, { kind: "clock" | "answer" }>;
export type AgentListener = (message: AgentEvent) => void;

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class JoinedAgent {
  /** Its end is no loss: a fault of the scenario kills it. */
  isKillExpected = false;
  private readonly clock = new ClockEstimate();
  private exchanges = 0;
  /** Milliseconds of the agent's clock. */
  private lastHeardMs = 0;
  /** The error of the last exchange, and the largest. */
  private errorMs = 0;
  private worstErrorMs = 0;
  private listener: AgentListener = () => undefined;
  private loss: TrainSimError | undefined;
  private onLost: (error: TrainSimError) => void = () => undefined;
  private silenceTimer: NodeJS.Timeout | undefined;
  /** Requests that are not answered yet, by their numbers. */
  private readonly pendingRequests = new Map<number, PendingRequest>();
  private requests = 0;
  private next: NodeJS.Timeout | undefined;
  /** Resolves once its clock is known. Never, where it is lost before. */
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

  /** Undefined while it is there. */
  get lost(): TrainSimError | undefined {
    return this.loss;
  }

  /** Milliseconds that the last exchange was under way. */
  get roundTripMs(): number {
    return this.clock.roundTripMs;
  }

  /** Whatever it tells from now on goes to that one, and its loss to `onLost`, at once where it is lost. */
  listen(listener: AgentListener, onLost: (error: TrainSimError) => void): void {
    this.listener = listener;
    this.onLost = onLost;
    if (this.loss) onLost(this.loss);
  }

  send(message: ToAgent): void {
    if (!this.loss) this.socket.send(encode(message));
  }

  /** Resolves with its answer. Rejects with its words where it cannot, and with its loss where it is lost. */
  ask(request: Request): Promise<unknown> {
    if (this.loss) return Promise.reject(this.loss);
    const id = this.requests++;
    return new Promise((resolve, reject) => {
      this.pendingRequests.set(id, { resolve, reject });
      this.send({ kind: "ask", id, request });
    });
  }

  /** The same, with its answer as `value`; undefined where a fault has killed it, with all that was on it. */
  async askLiving(request: Request): Promise<{ readonly value: unknown } | undefined> {
    try {
      return { value: await this.ask(request) };
    } catch (error) {
      if (this.isKillExpected) return undefined;
      throw error;
    }
  }

  /** Its clock's error is at its worst from now on. */
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
    this.loss ??= new TargetError("the run is over");
    this.refuseAsked(this.loss);
    clearTimeout(this.silenceTimer);
    clearTimeout(this.next);
    this.socket.close();
  }

  lose(why: string): void {
    if (this.loss) return;
    this.loss = new TargetError(
      `agent ${this.name} is lost: ${why}`,
      "Read its output for the cause. --resume repeats the trial once as many agents have joined.",
    );
    clearTimeout(this.silenceTimer);
    clearTimeout(this.next);
    this.socket.terminate();
    this.refuseAsked(this.loss);
    this.onLost(this.loss);
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
    if (this.loss) return; // sent before the run ended
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
    this.exchanges++;
    const isKnown = this.exchanges >= FIRST_EXCHANGES;
    if (isKnown) {
      this.send({ kind: "line", line: { sinceMs: reply.repliedMs, offsetMs, slope: this.clock.drift } });
      if (this.exchanges === FIRST_EXCHANGES) {
        this.worstErrorMs = errorMs; // what is wrong with its clock by now is put right before it measures
        this.becomeReady();
      }
    }
    this.next = setTimeout(() => this.askTime(), isKnown ? EXCHANGE_EVERY_MS : 0);
  }
}
