// Recording a transaction is a few array stores, and arrays are reused. Only transactions that finish inside the window are
// measured. The warm-up is recorded by the same code, which is compiled by the time the window begins, and thrown away.
import { COUNTER_SLOTS, type CounterId } from "./metric-lists.js";
import type { LifecycleStage, Operation } from "./operations.js";
import type { PartTimes } from "./part-times.js";
import type { EndpointSplit } from "./endpoint-split.js";
import { addOutsideCounts, zeroOutsideCounts, type RecorderDelta } from "./recorder-delta.js";
import { CounterSlots, SecondBuffers, type OperationBuffers } from "./second-buffers.js";

export { transferablesOf, type RecorderDelta } from "./recorder-delta.js";

/** A committed transaction. Moments and durations are monotonic milliseconds with fractions. */
export interface TransactionSample {
  readonly finishedMs: number;
  readonly events: number;
  readonly serviceMs: number;
  readonly responseMs: number;
  readonly poolWaitMs: number;
  /** Intended start in the schedule of an open loop; undefined without a schedule. */
  readonly intendedMs?: number | undefined;
  readonly endpoint?: number;
  /** Times of the transaction's parts, complete; read at once and not kept. */
  readonly parts?: PartTimes;
}

export interface FailureSample {
  readonly finishedMs: number;
  readonly serviceMs: number;
  readonly sqlstate: string;
  /** Intended start as in `TransactionSample`; `endpoint` is the endpoint of the last attempt. */
  readonly intendedMs?: number | undefined;
  readonly endpoint?: number;
}

/** Records what one worker thread measures. All moments are monotonic milliseconds. */
export class Recorder {
  private startMs = Number.POSITIVE_INFINITY;
  private endMs = Number.POSITIVE_INFINITY;
  private open: SecondBuffers[] = [];
  private readonly spareBuffers: SecondBuffers[] = [];
  private current: SecondBuffers | undefined;
  private outside = zeroOutsideCounts();
  private clampedSamples = 0;
  private serverTransactions = 0;
  private readonly underWay = new Map<Operation, CounterSlots>();
  private latestMs = Number.NEGATIVE_INFINITY;
  private isWarmUp = false;

  /** Records the given operations only; another one is a bug of the caller. `split` receives measurements by endpoint. */
  constructor(
    private readonly operations: readonly Operation[],
    private readonly split?: EndpointSplit,
  ) {}

  /**
   * Measures transactions that finish from `startMs` on as if they were in a window, until `setWindow` sets the real
   * window.
   */
  measureWarmUp(startMs: number): void {
    this.setWindow(startMs, Number.POSITIVE_INFINITY);
    this.isWarmUp = true;
  }

  /**
   * Sets the window [startMs, endMs); before the first call all transactions are outside. `endMs` may be Infinity and be set later, after everything measured so far. The start cannot change while samples are held.
   */
  setWindow(startMs: number, endMs: number): void {
    if (this.isWarmUp) this.endWarmUp();
    if (startMs !== this.startMs && this.open.length > 0)
      throw new Error("The measurement window cannot move while it holds samples");
    if (startMs !== this.startMs) this.latestMs = Number.NEGATIVE_INFINITY;
    this.startMs = startMs;
    this.endMs = endMs > this.latestMs ? endMs : this.latestMs + 0.001;
  }

  /** The end of the window (exclusive); Infinity while it is unknown. */
  get windowEndMs(): number {
    return this.endMs;
  }

  /** Counts an open loop's arrival that became due. */
  recordOffer(operation: Operation, intendedMs: number): void {
    const second = this.secondOf(intendedMs);
    if (second) this.buffersOf(second, operation).counters.add(COUNTER_SLOTS.offered);
    else this.outside.offered++;
  }

  /** Counts an arrival that was offered and will never start, in the second of that decision (`atMs`). */
  recordDrop(operation: Operation, intendedMs: number, atMs: number): void {
    const second = this.isInsideWindow(intendedMs)
      ? this.secondOf(Math.min(atMs, this.endMs - 0.001))
      : undefined;
    if (second) this.buffersOf(second, operation).counters.add(COUNTER_SLOTS.dropped);
    else this.outside.dropped++;
  }

  transaction(operation: Operation, sample: TransactionSample): void {
    const second = this.secondOf(sample.finishedMs);
    if (!second) {
      this.outside.transactions++;
      this.outside.events += sample.events;
      this.recordEndedOutside(operation, sample.finishedMs, sample.responseMs, sample.intendedMs);
      return;
    }
    const buffers = this.buffersOf(second, operation);
    buffers.counters.add(COUNTER_SLOTS.transactions);
    buffers.counters.add(COUNTER_SLOTS.events, sample.events);
    const { response, service, poolwait, startdelay } = buffers.samples;
    this.clampedSamples += response.push(sample.responseMs);
    this.clampedSamples += service.push(sample.serviceMs);
    this.clampedSamples += poolwait.push(sample.poolWaitMs);
    if (sample.intendedMs !== undefined)
      this.clampedSamples += startdelay.push(sample.finishedMs - sample.serviceMs - sample.intendedMs);
    if (sample.endpoint !== undefined)
      this.split?.transaction(sample.endpoint, operation, sample.events, sample.responseMs);
    if (sample.parts) buffers.parts.add(sample.parts, sample.responseMs);
  }

  failure(operation: Operation, sample: FailureSample): void {
    const second = this.secondOf(sample.finishedMs);
    if (!second) {
      this.outside.failures++;
      this.recordEndedOutside(operation, sample.finishedMs, sample.serviceMs, sample.intendedMs);
      return;
    }
    const buffers = this.buffersOf(second, operation);
    buffers.countError("failures", sample.sqlstate, sample.finishedMs - this.startMs);
    this.clampedSamples += buffers.samples.failed.push(sample.serviceMs);
    if (sample.endpoint !== undefined) this.split?.failure(sample.endpoint, operation);
  }

  /** Counts an attempt that failed at the endpoint and is tried again. */
  retry(operation: Operation, sqlstate: string, atMs: number, endpoint?: number): void {
    const second = this.secondOf(atMs);
    if (!second) {
      this.outside.retries++;
      return;
    }
    this.buffersOf(second, operation).countError("retries", sqlstate, atMs - this.startMs);
    if (endpoint !== undefined) this.split?.retry(endpoint, operation);
  }

  /** Adds to a counter that no other method counts; ignored outside the window. */
  count(operation: Operation, counter: CounterId, atMs: number, amount = 1): void {
    const second = this.secondOf(atMs);
    if (second) this.buffersOf(second, operation).counters.add(COUNTER_SLOTS[counter], amount);
  }

  /** Counts a transaction that ended at the server: see `RecorderDelta`. */
  serverTransaction(atMs: number): void {
    if (this.isInsideWindow(atMs) && !this.isWarmUp) this.serverTransactions++;
  }

  /** Records a poll that found nothing to do; it does not count as a transaction. */
  emptyPoll(operation: Operation, atMs: number, durationMs: number, intendedMs?: number): void {
    const second = this.secondOf(atMs);
    if (!second) {
      this.outside.emptyPolls++;
      this.recordEndedOutside(operation, atMs, durationMs, intendedMs);
      return;
    }
    const { counters } = this.buffersOf(second, operation);
    counters.add(COUNTER_SLOTS.emptyPolls);
    counters.add(COUNTER_SLOTS.emptyPollMs, durationMs);
  }

  lifecycle(stage: LifecycleStage, latencyMs: number, atMs: number): void {
    const second = this.secondOf(atMs);
    if (second) this.clampedSamples += second.addLifecycleSample(stage, latencyMs);
  }

  /** Returns every second that is over at `nowMs` (Infinity: all), and the counts since the last call. */
  take(nowMs: number): RecorderDelta {
    const closedBefore =
      nowMs >= this.endMs ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((nowMs - this.startMs) / 1000));
    const closed = this.open.filter((buffers) => buffers.second < closedBefore);
    closed.sort((a, b) => a.second - b.second);
    this.open = this.open.filter((buffers) => buffers.second >= closedBefore);
    this.current = undefined;
    const seconds = closed.map((buffers) => buffers.drain());
    this.spareBuffers.push(...closed);
    const { outside, clampedSamples, serverTransactions, isWarmUp } = this;
    const underWay = Object.fromEntries(
      [...this.underWay].flatMap(([operation, slots]) => {
        const counts = slots.drain();
        return counts ? [[operation, counts]] : [];
      }),
    );
    if (isWarmUp) addOutsideCounts(outside, seconds);
    if (isWarmUp && nowMs === Number.POSITIVE_INFINITY) this.split?.clear(); // no window came
    const counts = { outside, clampedSamples, serverTransactions, underWay };
    const delta = { isWarmUp: isWarmUp, seconds, closedBefore, ...counts };
    this.outside = zeroOutsideCounts();
    this.clampedSamples = 0;
    this.serverTransactions = 0;
    this.underWay.clear();
    return delta;
  }

  /** The second of the window that holds `atMs`; undefined outside the window. */
  secondAt(atMs: number): number | undefined {
    return this.isInsideWindow(atMs) && !this.isWarmUp ? Math.floor((atMs - this.startMs) / 1000) : undefined;
  }

  private endWarmUp(): void {
    const rest = this.open.map((buffers) => buffers.drain());
    addOutsideCounts(this.outside, rest);
    this.spareBuffers.push(...this.open);
    this.open = [];
    this.current = undefined;
    this.clampedSamples = 0;
    this.split?.clear();
    this.isWarmUp = false;
  }

  private isInsideWindow(atMs: number): boolean {
    return atMs >= this.startMs && atMs < this.endMs;
  }

  /**
   * Records a transaction that ended outside the window, if it was in flight at the window's end or served an arrival of the window, which counts as unfinished.
   */
  private recordEndedOutside(
    operation: Operation,
    atMs: number,
    durationMs: number,
    intendedMs: number | undefined,
  ): void {
    const wasInFlightAtEnd = atMs >= this.endMs && atMs - durationMs < this.endMs;
    const isArrival = intendedMs !== undefined && this.isInsideWindow(intendedMs);
    if (!wasInFlightAtEnd && !isArrival) return;
    let slots = this.underWay.get(operation);
    if (!slots) this.underWay.set(operation, (slots = new CounterSlots()));
    if (wasInFlightAtEnd) slots.raise(COUNTER_SLOTS.outlastedMs, durationMs);
    if (isArrival) slots.add(COUNTER_SLOTS.unfinished);
  }

  private secondOf(atMs: number): SecondBuffers | undefined {
    if (!this.isInsideWindow(atMs)) return undefined;
    if (atMs > this.latestMs) this.latestMs = atMs;
    const second = Math.floor((atMs - this.startMs) / 1000);
    return this.current?.second === second ? this.current : this.buffersAt(second);
  }

  /** The buffers of a second. Separate from `secondOf`, whose closure would allocate memory for every event. */
  private buffersAt(second: number): SecondBuffers {
    let buffers = this.open.find((each) => each.second === second);
    if (!buffers) {
      buffers = this.spareBuffers.pop() ?? new SecondBuffers(this.operations);
      buffers.second = second;
      this.open.push(buffers);
    }
    this.current = buffers;
    return buffers;
  }

  private buffersOf(second: SecondBuffers, operation: Operation): OperationBuffers {
    const buffers = second.operations[operation];
    if (!buffers) throw new Error(`The recorder was not made for the operation ${operation}`);
    return buffers;
  }
}
