// One trial of a log. Lines come in no particular order. Totals are from summary lines alone: a worker writes only a
// limited number of lines of single retries, failures and slow transactions.
import { UsageError } from "../foundation/errors.js";
import type { Operation } from "../metrics/operations.js";
import { byOperation } from "../workloads/registry.js";
import type { DetailLine, LogLine, OutsideLine, SlowLine, SummaryLine } from "../results/log-lines.js";
import { Causes } from "./causes.js";
import { hasTimeBounds, secondRangeOf, wantsWorker, wantsOperation, type LogFilter } from "./log-filter.js";
import type { OperationStall, PhaseSpan, TrialLogReport } from "./log-report.js";
import { sumOfCounts } from "../metrics/figures.js";
import { addBySqlstate } from "../metrics/metric-lists.js";
import type { LogNames } from "./names.js";
import { OperationFold } from "./operation-fold.js";
import { SlowestTransactions } from "./slowest.js";
import { Timeline } from "./timeline.js";

export class TrialFold {
  private readonly operations = new Map<Operation, OperationFold>();
  private readonly timeline = new Timeline();
  private readonly causes = new Causes();
  private readonly slowest: SlowestTransactions;
  private readonly phases: { phase: string; startedAt: string }[] = [];
  private readonly steps: { phase: string; step: string; seconds: number }[] = [];
  private connectSeconds: number | undefined;
  private readonly outside = { transactions: 0, retries: 0, failures: 0 };
  private readonly detailLines = { retry: 0, failure: 0 };
  private index: number | null = null;
  private windowStartsAt: string | null = null;
  private end:
    | { time: string; status: string; reason: string | null; windowSeconds: number | null }
    | undefined;
  private integrity: string | null = null;
  private leftOut = 0;
  private isCounted = false;

  constructor(
    readonly number: number,
    private readonly treatment: string,
    private readonly file: string,
    private readonly filter: LogFilter,
    slowestMost: number,
    private readonly names: LogNames,
    private readonly order?: readonly Operation[],
  ) {
    this.slowest = new SlowestTransactions(slowestMost);
  }

  /** Adds a line that passes the filter; returns the reason if its fields contradict each other, else undefined. */
  add(line: LogLine): string | undefined {
    this.isCounted ||= line.level === "info";
    if (line.actor === "coordinator") {
      this.addCoordinatorLine(line);
      return undefined;
    }
    const performedOperations = line.event === "start" ? (line.operations ?? []) : operationsIn(line);
    this.names.add(line.actor, line.worker, performedOperations);
    if (!wantsWorker(this.filter, line.actor, line.worker)) return undefined;
    switch (line.event) {
      case "start":
        this.addWorker(performedOperations, line.clients ?? 0);
        if (line.connectSeconds !== undefined)
          this.connectSeconds = Math.max(this.connectSeconds ?? 0, line.connectSeconds);
        return undefined;
      case "summary":
        if (!("outside" in line)) return this.addSummaryLine(line);
        this.addOutsideLine(line);
        return undefined;
      case "retry":
      case "failure":
        this.addDetailLine(line);
        return undefined;
      case "slow":
        this.addSlowLine(line);
        return undefined;
      case "phase":
      case "step":
      case "audit":
      case "fault":
      case "waiting":
      case "stop":
        return undefined;
    }
  }

  report(): TrialLogReport {
    const { end, isCounted, outside } = this;
    const secondsCounted = this.secondsCounted();
    const operations: TrialLogReport["operations"] = isCounted
      ? Object.fromEntries(this.inOrder().map(([name, fold]) => [name, fold.totals(secondsCounted)]))
      : {};
    const retriesBySqlstate = {};
    const failures = {};
    for (const totals of Object.values(operations)) {
      addBySqlstate(retriesBySqlstate, totals.retriesBySqlstate);
      addBySqlstate(failures, totals.failures);
    }
    return {
      number: this.number,
      index: this.index,
      treatment: this.treatment,
      file: this.file,
      status: end?.status ?? null,
      reason: end?.reason ?? null,
      integrity: this.integrity,
      windowStartsAt: this.windowStartsAt,
      windowSeconds: end?.windowSeconds ?? null,
      secondsCounted,
      isCounted,
      operations,
      retries: isCounted ? sumOfCounts(retriesBySqlstate) : null,
      retriesBySqlstate: isCounted ? retriesBySqlstate : null,
      failures: isCounted ? failures : null,
      outside: isCounted && !hasTimeBounds(this.filter) && !this.filter.operations ? { ...outside } : null,
      details: {
        retryLines: this.detailLines.retry,
        failureLines: this.detailLines.failure,
        leftOut: isCounted ? this.leftOut : null,
        causes: this.causes.all,
      },
      slowest: this.slowest.all,
      stalls: this.stalls(),
      phases: this.phaseSpans(),
      timeline: this.timeline.report(this.order),
    };
  }

  private addCoordinatorLine(line: LogLine): void {
    switch (line.event) {
      case "start":
        this.index = line.index ?? null;
        break;
      case "phase":
        this.phases.push({ phase: line.phase, startedAt: line.time });
        this.windowStartsAt = line.windowStartsAt ?? this.windowStartsAt;
        break;
      case "step":
        this.steps.push(line);
        break;
      case "audit":
        this.integrity = line.verdict;
        break;
      case "stop": {
        const { time, status = "unknown", reason = null, windowSeconds = null } = line;
        this.end = { time, status, reason, windowSeconds };
        break;
      }
      case "summary":
      case "retry":
      case "failure":
      case "slow":
      case "fault":
      case "waiting":
        break;
    }
  }

  /** Adds a worker's operations, which are listed even if the worker never performs them. */
  private addWorker(operations: readonly Operation[], clients: number): void {
    for (const operation of operations) {
      if (!wantsOperation(this.filter, operation)) continue;
      const fold = this.operationFold(operation);
      fold.clients += clients;
      fold.threads += 1;
    }
  }

  private addSummaryLine(line: SummaryLine): string | undefined {
    if (this.wantsSecond(line.second)) this.leftOut += line.suppressedLines ?? 0;
    if (!this.wantsEvent(line.operation, line.second)) return undefined;
    const problem = this.operationFold(line.operation).add(line);
    if (problem !== undefined) return problem;
    this.timeline.add(line);
    const { slowest, transactions, maxResponseMs, operation, actor, worker, second } = line;
    if (transactions === 0) return undefined;
    this.slowest.add({
      operation,
      actor,
      worker,
      second,
      serviceMs: null,
      poolWaitMs: null,
      attempts: null,
      client: slowest?.client ?? null,
      responseMs: slowest?.responseMs ?? maxResponseMs,
      parts: slowest?.parts ?? null,
    });
    return undefined;
  }

  private addOutsideLine({ transactions, retries, failures, suppressedLines = 0 }: OutsideLine): void {
    this.outside.transactions += transactions;
    this.outside.retries += retries;
    this.outside.failures += failures;
    if (!hasTimeBounds(this.filter)) this.leftOut += suppressedLines;
  }

  private addDetailLine(line: DetailLine): void {
    if (!this.wantsEvent(line.operation, line.second)) return;
    this.detailLines[line.event]++;
    this.causes.add(line);
  }

  private addSlowLine({
    operation,
    actor,
    worker,
    client,
    serviceMs,
    poolWaitMs,
    attempt,
    ...line
  }: SlowLine): void {
    if (!this.wantsEvent(operation, line.second)) return;
    this.slowest.add({
      operation,
      actor,
      worker,
      client,
      serviceMs,
      poolWaitMs,
      attempts: attempt,
      second: line.second,
      responseMs: line.responseMs ?? serviceMs,
      parts: line.parts ?? null,
    });
  }

  /** True if an event is in the window and passes the filter; events outside the window are counted elsewhere. */
  private wantsEvent(operation: Operation, second: number | undefined): second is number {
    return second !== undefined && wantsOperation(this.filter, operation) && this.wantsSecond(second);
  }

  private wantsSecond(second: number): boolean {
    if (!hasTimeBounds(this.filter)) return true;
    const range = this.range();
    return second >= range.from && second < range.to;
  }

  private range(): { from: number; to: number } {
    const startsAtMs = this.windowStartsAt === null ? undefined : Date.parse(this.windowStartsAt);
    const range = secondRangeOf(this.filter, startsAtMs);
    if (range) return range;
    throw new UsageError(
      `${this.file} does not say when the window of trial ${this.number} began`,
      "Give --from and --to in seconds of the window, such as 10s.",
    );
  }

  private secondsCounted(): number | null {
    const windowSeconds = this.end?.windowSeconds ?? null;
    if (windowSeconds === null || !hasTimeBounds(this.filter) || !this.isCounted) return windowSeconds;
    const { from, to } = this.range();
    return Math.max(0, Math.min(to, windowSeconds) - from);
  }

  private operationFold(operation: Operation): OperationFold {
    let fold = this.operations.get(operation);
    if (!fold) this.operations.set(operation, (fold = new OperationFold()));
    return fold;
  }

  private inOrder(): [Operation, OperationFold][] {
    return [...this.operations].sort(([a], [b]) => byOperation(a, b, this.order));
  }

  private stalls(): OperationStall[] {
    return this.inOrder()
      .flatMap(([operation, { track }]) => track.stalls().map((stall) => ({ operation, ...stall })))
      .sort((a, b) => a.fromSecond - b.fromSecond);
  }

  private phaseSpans(): PhaseSpan[] {
    return this.phases.map(({ phase, startedAt }, i) => {
      const endedAt = this.phases[i + 1]?.startedAt ?? this.end?.time;
      const stampedSeconds =
        endedAt === undefined ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
      // Time stamps come from a clock that may be set meanwhile, so the stated length of the window is preferred.
      const seconds = phase === "measure" ? (this.end?.windowSeconds ?? stampedSeconds) : stampedSeconds;
      const steps = this.stepsOf(phase);
      return {
        phase,
        startedAt,
        seconds: seconds !== null && seconds < 0 ? null : seconds,
        ...(steps.length > 0 && { steps }),
      };
    });
  }

  private stepsOf(phase: string): NonNullable<PhaseSpan["steps"]> {
    const steps = this.steps
      .filter((each) => each.phase === phase)
      .map(({ step, seconds }) => ({ step, seconds }));
    const { connectSeconds: seconds } = this;
    return phase === "reset" && seconds !== undefined ? [...steps, { step: "connections", seconds }] : steps;
  }
}

/** Operations that a line of a worker is about. */
function operationsIn(line: LogLine): readonly Operation[] {
  return "operation" in line ? [line.operation] : [];
}
