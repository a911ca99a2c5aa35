import { join } from "node:path";
import type { TrainSimError } from "../../foundation/errors.js";
import { openLogger, type ClosableLogger } from "../../foundation/logger.js";
import type { AuditOutcome } from "../../workloads/workload.js";
import { LOG_FILE } from "../../results/log-reader.js";
import type { TrialResult } from "../../results/result-schema.js";
import type { Fault } from "../../faults/registry.js";
import type { TrialPhase } from "../session/observer.js";
import type { ResetStep } from "./prepare-namespace.js";
import type { TrialInputs } from "./trial-parts.js";

export class TrialLog {
  readonly file: string;
  private readonly open: ClosableLogger;

  constructor({ trial, treatment, directory }: TrialInputs) {
    this.file = join(directory, LOG_FILE);
    this.open = openLogger({
      file: this.file,
      level: treatment.settings.log.level,
      bindings: { trial: trial.number, treatment: trial.treatmentId, actor: "coordinator", worker: 0 },
    });
    this.open.logger.info(
      { event: "start", operation: "*", index: trial.block, seed: trial.seed, levels: treatment.levels },
      "trial starts",
    );
  }

  /** Logs a phase. `windowStartsAt` accompanies the phase `measure`: the wall-clock time of the window's second 0. */
  phase(phase: TrialPhase, windowStartsAt?: string): void {
    this.open.logger.info({ event: "phase", operation: "*", phase, windowStartsAt }, `phase ${phase}`);
    this.open.flush();
  }

  /** Logs how long a step of resetting the tables took. */
  logStep(step: ResetStep, seconds: number): void {
    this.open.logger.info({ event: "step", operation: "*", phase: "reset", step, seconds }, `step ${step}`);
  }

  /** Logs a fault; `second` counts from the start of the window. */
  logFault({ kind, atMs, forMs }: Fault, second: number, words: string): void {
    this.open.logger.info(
      {
        event: "fault",
        operation: "*",
        kind,
        atSeconds: atMs / 1000,
        forSeconds: forMs / 1000,
        second,
        words,
      },
      `fault ${kind} ${words}`,
    );
    this.open.flush();
  }

  /** Logs that the load's last transactions have been awaited for `seconds` so far. */
  logWaiting(seconds: number, words: string): void {
    this.open.logger.warn(
      { event: "waiting", operation: "*", seconds, words },
      "waiting for the last transactions",
    );
    this.open.flush();
  }

  logAudit({ findings, logged }: AuditOutcome): void {
    const level = findings.verdict === "ok" ? "info" : "error";
    this.open.logger[level]({ event: "audit", operation: "*", ...findings, ...logged }, "audit");
  }

  get failure(): TrainSimError | undefined {
    return this.open.failure;
  }

  /** Writes the last line; resolves once the file holds all lines. */
  async close(result: TrialResult): Promise<void> {
    const { status, reason, windowSeconds } = result;
    const line = { event: "stop", operation: "*", status, reason, windowSeconds };
    if (status === "failed") this.open.logger.error(line, "trial failed");
    else this.open.logger.info(line, "trial ends");
    await this.open.close();
  }
}
