import { backlogRecoveriesOf, type BacklogSample } from "../../analysis/steady-state/backlog.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import {
  nextFaultSecond,
  recoveriesOf,
  type FaultMoments,
  type Recovery,
} from "../../analysis/steady-state/recovery.js";
import type { FaultRecord } from "../../results/result-schema.js";
import type { TrialInputs } from "./trial-parts.js";
import type { FaultSpan } from "../../faults/fault-schedule.js";
import { BACKLOG_METRICS, type BacklogName } from "../../workloads/evidence.js";
import type { LoadSeconds } from "../../faults/load-seconds.js";

/** Records of the faults in the order of injection. `startMs` is the monotonic moment at which the window began. */
export function faultRecords(
  { trial, treatment }: Pick<TrialInputs, "trial" | "treatment">,
  spans: readonly FaultSpan[],
  startMs: number,
  windowSeconds: number,
  load: LoadSeconds,
  queue: BacklogSamples,
): FaultRecord[] {
  const secondsAt = (atMs: number): number => Math.max(0, atMs - startMs) / 1000;
  const moments = spans.map(({ injectedMs, clearedMs }): FaultMoments => ({
    injectedAtSeconds: secondsAt(injectedMs),
    clearedAtSeconds: clearedMs === undefined ? null : secondsAt(clearedMs),
  }));
  const recoveries = recoveriesOf(load.transactionsPerSecond(windowSeconds), moments);
  const backlogs = queue.recoveries(moments, windowSeconds);
  return spans.map(({ fault, words, mayLose }, index) => {
    const moment = moments[index] as FaultMoments;
    const recovery = recoveries[index] as Recovery;
    return {
      trial: trial.number,
      treatment: treatment.id,
      kind: fault.kind,
      atSeconds: fault.atMs / 1000,
      forSeconds: fault.forMs / 1000,
      ...moment,
      ...recovery,
      ...backlogs[index],
      errors: load.errorsBetween(moment.injectedAtSeconds, lastErrorSecondOf(moment, recovery, moments)),
      words,
      ...(mayLose && {
        mayLose: {
          sinceSeconds: secondsAt(mayLose.sinceMs),
          untilSeconds: secondsAt(mayLose.untilMs),
          ...(mayLose.endpoint !== undefined && { endpoint: mayLose.endpoint }),
        },
      }),
    };
  });
}

/** Clients notice the end of a fault a moment later, and recovery is known to a second. */
const LATE_ERROR_SECONDS = 1;

/**
 * The last second of the window whose errors are attributed to the fault: until the load recovered, or the next fault
 * began.
 */
function lastErrorSecondOf(
  moment: FaultMoments,
  { recoverySeconds }: Recovery,
  all: readonly FaultMoments[],
): number {
  const { clearedAtSeconds } = moment;
  if (clearedAtSeconds === null) return Number.POSITIVE_INFINITY;
  const recoveredAtSeconds = clearedAtSeconds + (recoverySeconds ?? Number.POSITIVE_INFINITY);
  return Math.min(recoveredAtSeconds + LATE_ERROR_SECONDS, nextFaultSecond(moment, all));
}

export class BacklogSamples {
  private readonly samples = new Map<BacklogName, BacklogSample[]>();

  add(atSeconds: number, values: EvidenceValues): void {
    for (const { backlog, name } of BACKLOG_METRICS) {
      const events = values[name];
      if (events === undefined) continue;
      const backlogSamples = this.samples.get(backlog) ?? [];
      this.samples.set(backlog, backlogSamples);
      backlogSamples.push({ atSeconds, events });
    }
  }

  /** Recovery of the backlog after each fault, in the order of injection; empty without samples. */
  recoveries(faults: readonly FaultMoments[], windowSeconds: number): Pick<FaultRecord, "backlog">[] {
    const recoveriesByBacklog = [...this.samples].map(
      ([backlog, backlogSamples]) =>
        [backlog, backlogRecoveriesOf(backlogSamples, faults, windowSeconds)] as const,
    );
    return faults.map((_, index) =>
      recoveriesByBacklog.length === 0
        ? {}
        : {
            backlog: Object.fromEntries(recoveriesByBacklog.map(([backlog, each]) => [backlog, each[index]])),
          },
    );
  }
}
