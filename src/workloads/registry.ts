// The workloads: a new one is one folder and one line here. The rest of the program finds what it needs of them by this list.
import type { RoleTraits, Workload, WorkloadTreatment } from "./workload.js";
import { accounts } from "./accounts/workload.js";
import { calls } from "./calls/workload.js";
import { connections } from "./connections/workload.js";
import { documents } from "./documents/workload.js";
import { ownWorkload, type Own } from "./own.js";
import { findings as findingsOfOwn } from "./script/audit.js";
import type { OwnValues } from "./script/settings.js";
import { trainEvents } from "./train-events/workload.js";

const FAMILIES = [trainEvents, connections, accounts, documents, calls] as const;

type Family = (typeof FAMILIES)[number];
type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The keys of all of them, each with its schema. */
export type OwnKeys = Both<Family["settings"]["keys"]>;
/** What those of a treatment's own come to; it has those of its own workload alone. */
export type OwnSettings = Both<ReturnType<Family["settings"]["resolve"]>> & OwnValues;

export const WORKLOADS: readonly Workload[] = FAMILIES;

export const WORKLOAD_NAMES = FAMILIES.map(({ name }) => name);

/** Keys of a scenario by workload; two may have one in common. */
export const OWN_KEYS = Object.assign({}, ...FAMILIES.map(({ settings }) => settings.keys)) as OwnKeys;

type FindingsOf<F> = F extends { readonly auditing: { readonly findings: infer Findings } }
  ? Findings
  : never;
/** What an audit of any of them gives, beside what every audit does. */
export const OWN_FINDINGS = Object.assign(
  {},
  ...WORKLOADS.map(({ auditing }) => auditing?.findings),
  findingsOfOwn,
) as Both<FindingsOf<Family>> & typeof findingsOfOwn;

/** Of all workloads here, in the order in which results show them. */
export const OPERATIONS: readonly string[] = [
  ...new Set(WORKLOADS.flatMap(({ operations }) => Object.keys(operations))),
];

/** For `sort`: as results show them; names that `known` lacks keep their place behind the others. */
export function byOperation(a: string, b: string, known = OPERATIONS): number {
  const place = (name: string): number => (known.includes(name) ? known.indexOf(name) : Infinity);
  return place(a) === place(b) ? 0 : place(a) - place(b);
}

export const ROLE_TRAITS: Readonly<Record<string, RoleTraits>> = Object.fromEntries(
  WORKLOADS.flatMap(({ roles }) => Object.entries(roles)),
);
export const ROLES: readonly string[] = Object.keys(ROLE_TRAITS);

export const VIOLATION_KINDS: readonly string[] = [
  ...new Set(WORKLOADS.flatMap(({ auditing }) => auditing?.violations ?? [])),
];

export const DEFAULT_WORKLOAD = trainEvents.name;
/** Of that one. */
export { starterScenario } from "./train-events/starter-scenario.js";

export interface WorkloadChoice extends Partial<OwnSettings> {
  /** The name of one of these, or one of the user's own. */
  readonly workload?: string | Own;
}

export function workloadOf({ workload: chosen = DEFAULT_WORKLOAD }: WorkloadChoice): Workload {
  if (typeof chosen !== "string") return ownWorkload(chosen);
  const workload = WORKLOADS.find(({ name }) => name === chosen);
  if (!workload) throw new Error(`there is no workload ${chosen}`);
  return workload;
}

/** With the operations that its clients run with these settings. */
export function roleTraitsOf(settings: WorkloadChoice & WorkloadTreatment, role: string): RoleTraits {
  const workload = workloadOf(settings);
  const traits = workload.roles[role];
  if (!traits) throw new Error(`workload ${workload.name} has no role ${role}`);
  const performed = (operations: readonly string[]): readonly string[] =>
    operations.filter((operation) => workload.performs?.(operation, settings) ?? true);
  return {
    ...traits,
    operations: performed(traits.operations),
    arrivals: performed(traits.arrivals),
  };
}
