// Samples of the backlogs that the workload declares, and from them how faults changed these.
import { backlogsOf, type BacklogSample } from "../../analysis/steady-state/backlog.js";
import type { FaultMoments } from "../../analysis/steady-state/recovery.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import type { FaultRecord } from "../../results/result-schema.js";
import { BACKLOGS, type Backlog } from "../../workloads/evidence.js";

export class BacklogSamples {
  private readonly samples = new Map<Backlog, BacklogSample[]>();

  /** Adds the values of a sample; `atSeconds` counts from the start of the window. */
  add(atSeconds: number, values: EvidenceValues): void {
    for (const { backlog, name } of BACKLOGS) {
      const events = values[name];
      if (events === undefined) continue;
      const own = this.samples.get(backlog) ?? [];
      this.samples.set(backlog, own);
      own.push({ atSeconds, events });
    }
  }

  /** Of each fault, in the order in which they were injected; empty where nothing was sampled. */
  recoveries(faults: readonly FaultMoments[], windowSeconds: number): Pick<FaultRecord, "backlog">[] {
    const known = [...this.samples].map(
      ([backlog, own]) => [backlog, backlogsOf(own, faults, windowSeconds)] as const,
    );
    return faults.map((_, index) =>
      known.length === 0
        ? {}
        : { backlog: Object.fromEntries(known.map(([backlog, each]) => [backlog, each[index]])) },
    );
  }
}
