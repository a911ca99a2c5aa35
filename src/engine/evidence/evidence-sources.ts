import type { TreatmentSettings } from "../../scenario/settings.js";
import { TrialEvidence, type EvidenceOptions } from "./evidence.js";
import { DatabaseSource } from "./evidence-database.js";
import type { EvidenceSource } from "./evidence-source.js";
import { HostSource } from "./host-evidence.js";
import type { EnvironmentReadings } from "./surroundings.js";
import { PoolerSource } from "./pooler-evidence.js";
import type { TrialHost } from "../trial/trial-parts.js";
import type { RunningPooler } from "../../pools/running-pooler.js";

/**
 * The evidence of one trial, not yet opened. The observer, too, receives each sample. `programs` has the process ids of
 * programs that do the workload's work.
 */
export function evidenceOf(
  { target, observer, place }: Pick<TrialHost, "target" | "observer" | "place">,
  { kind, serverPid }: Pick<EnvironmentReadings, "kind" | "serverPid">,
  pooler: RunningPooler | undefined,
  settings: TreatmentSettings,
  programs: () => readonly number[],
  { onOpening, onSample }: Required<Pick<EvidenceOptions, "onOpening" | "onSample">>,
): TrialEvidence {
  const database = new DatabaseSource(target.admin, settings);
  const sources: EvidenceSource[] = [
    database,
    new HostSource({ kind, serverPid, agentPids: [...place.pids] }, pooler, {
      foreign: () => database.foreignPids,
      programs,
    }),
    ...(pooler ? [new PoolerSource(pooler)] : []),
  ];
  return new TrialEvidence({
    sources,
    everyMs: settings.evidence.everyMs,
    onOpening,
    onSample(second, values) {
      onSample(second, values);
      observer.evidence(values);
    },
  });
}
