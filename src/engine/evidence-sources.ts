// Which sources of evidence a trial has: the database always, the others where there is something to ask. One list, and
// the only place that knows them all.
import type { TreatmentSettings } from "../scenario/settings.js";
import type { RunningPooler, RunningTarget } from "../target/running-target.js";
import { TrialEvidence, type EvidenceOptions } from "./evidence.js";
import { DatabaseSource } from "./evidence-database.js";
import type { EvidenceSource } from "./evidence-source.js";
import { HostSource } from "./host-evidence.js";
import { PoolerSource } from "./pooler-evidence.js";
import type { TrialHost } from "./trial-parts.js";

/** Connected as far as can be; what cannot be reached now is tried again by the samples. */
async function openSources(
  target: RunningTarget,
  pooler: RunningPooler | undefined,
  settings: TreatmentSettings,
): Promise<EvidenceSource[]> {
  const database = new DatabaseSource(target.admin, settings);
  await database.prepare();
  return [database, new HostSource(target, pooler), ...(pooler ? [new PoolerSource(pooler)] : [])];
}

/** The evidence of one trial, not begun yet. `onSample` is told each second of the window, the observer too. */
export async function openEvidence(
  { target, observer }: Pick<TrialHost, "target" | "observer">,
  pooler: RunningPooler | undefined,
  settings: TreatmentSettings,
  onSample: EvidenceOptions["onSample"],
): Promise<TrialEvidence> {
  return new TrialEvidence({
    sources: await openSources(target, pooler, settings),
    everyMs: settings.evidence.everyMs,
    onSample(second, values) {
      onSample(second, values);
      observer.evidence(values);
    },
  });
}
