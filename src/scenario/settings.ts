// Settings of one treatment, every level resolved, in the form in which they cross to worker threads.
import type { Fault } from "../faults/registry.js";
import type {
  AllowableViolation,
  DiagnosisSettings,
  Objective,
  PublishedFigure,
  RatioThreshold,
  StoppingRule,
  Threshold,
} from "./judgement.js";
import type { DialectName } from "../database/registry.js";
import type { Storage } from "../database/levels.js";
import type { TargetSettings } from "../targets/registry.js";
import type { ClientSettings } from "../clients/assignment.js";
import type { ReservedAgentsByRole } from "../clients/deal.js";
import type { RoleSettings, TrialPhases } from "../clients/settings.js";
import { workloadOf, type WorkloadSettings, type WorkloadChoice } from "../workloads/registry.js";

/** Settings of one treatment, including the settings of its workload. */
export interface TreatmentSettings extends Partial<WorkloadSettings>, ClientSettings {
  readonly workload: NonNullable<WorkloadChoice["workload"]>;
  readonly target: TargetSettings;
  /** SQL dialect; if `asksDialect`, a placeholder until the server has been asked. */
  readonly dialect: DialectName;
  readonly asksDialect: boolean;
  /** The PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
  readonly storage: Storage;
  readonly actors: Readonly<Record<string, RoleSettings>>;
  /** Number of processes that run the worker threads; 0: this process runs them. */
  readonly agents: number;
  readonly agentPlace?: ReservedAgentsByRole;
  readonly trial: TrialPhases;
  /** Milliseconds between samples of the server; 0 takes readings at both ends of the window only. */
  readonly evidence: { readonly everyMs: number };
  /** Faults of each trial, in the order of the scenario. */
  readonly faults: readonly Fault[];
  readonly integrity: { readonly allow: readonly AllowableViolation[] };
}

/** One combination of levels. */
export interface Treatment {
  readonly id: string;
  /** Level of each factor, by the factor's path, as text. */
  readonly levels: Readonly<Record<string, string>>;
  readonly settings: TreatmentSettings;
}

/** Names of the roles that the treatments' workloads have, in the order in which they are shown. */
export function rolesOf(treatments: readonly Pick<Treatment, "settings">[]): string[] {
  return [...new Set(treatments.flatMap(({ settings }) => Object.keys(workloadOf(settings).roles)))];
}

/** A run of a treatment that is planned; trials are listed in the order in which they run. */
export interface PlannedTrial {
  readonly number: number;
  /** Block number, from 0. Each block holds every treatment once, and its trials share a seed. */
  readonly block: number;
  readonly treatmentId: string;
  readonly seed: number;
  /** Set in a duet: the server of this trial, and the treatment that runs on the other server at the same time. */
  readonly duet?: { readonly server: 1 | 2; readonly beside: string };
}

/** A scenario ready to be run. */
export interface Experiment {
  readonly name: string;
  readonly seed: number;
  readonly treatments: readonly Treatment[];
  /** All trials that may run; with `stopping`, the last blocks may be skipped. */
  readonly trials: readonly PlannedTrial[];
  readonly stopping?: StoppingRule;
  readonly objective?: Objective;
  readonly thresholds: readonly Threshold[];
  readonly ratioThresholds: readonly RatioThreshold[];
  readonly published: readonly PublishedFigure[];
  readonly diagnosis: DiagnosisSettings;
  /** The resolved scenario (overrides applied) as YAML that loads to this same experiment. */
  readonly yaml: string;
  /** Directory of the scenario's file, from which optional packages are looked for. */
  readonly directory?: string;
  /** Sentences about options that have less effect than they seem to. */
  readonly warnings?: readonly string[];
  /** Environment variables that libpq knows and that have no effect on the scenario's URLs, each with the reason. */
  readonly ignoredVariables?: readonly string[];
}

/** Worker threads of all roles of a treatment together. */
export function totalWorkers({ actors }: Pick<TreatmentSettings, "actors">): number {
  return Object.values(actors).reduce((sum, { workers }) => sum + workers, 0);
}

export function totalClients(settings: TreatmentSettings): number {
  return Object.values(settings.actors).reduce((sum, role) => sum + role.load.clients, 0);
}
