// The workloads: a new one is a folder and a line here.
import * as z from "zod";
import type { RoleTraits, Workload, WorkloadTreatment } from "./workload.js";
import { accounts } from "./accounts/workload.js";
import { calls } from "./calls/workload.js";
import { connections } from "./connections/workload.js";
import { documents } from "./documents/workload.js";
import { jobs } from "./jobs/workload.js";
import { ownWorkload } from "./own.js";
import { type OwnForm } from "./own-forms.js";
import { findings as findingsOfOwn } from "./script/audit.js";
import type { OwnWorkloadSettings } from "./script/settings.js";
import { storeIn, type Store } from "./stores.js";
import { trainEvents } from "./train-events/workload.js";

const FAMILIES = [trainEvents, connections, accounts, documents, calls, jobs] as const;

type Family = (typeof FAMILIES)[number];
type KeysOfUnion<Records> = Records extends unknown ? keyof Records : never;
type ValueOf<Records, Name> = Records extends unknown
  ? Name extends keyof Records
    ? Records[Name]
    : never
  : never;
/**
 * Records of all workload families in one. A name that several families use may have the type of any of them, since only
 * the family tells which.
 */
type MergedRecord<Records> = { readonly [Name in KeysOfUnion<Records>]: ValueOf<Records, Name> };

/** Schemas of the scenario keys of all workload families. */
type WorkloadKeySchemas = MergedRecord<Family["settings"]["keys"]>;
/** Settings that workloads make of their keys. A treatment has only the settings of the workload that it runs. */
export type WorkloadSettings = MergedRecord<ReturnType<Family["settings"]["resolve"]>> & OwnWorkloadSettings;

export const WORKLOADS: readonly Workload[] = FAMILIES;

export const WORKLOAD_NAMES = FAMILIES.map(({ name }) => name);

/** Values of all workloads by name. A name that several workloads use has several values, each with its workload's name. */
function byName<V>(
  recordOf: (workload: Workload) => Readonly<Record<string, V>> | undefined,
): [name: string, owned: [workload: string, value: V][]][] {
  const all = new Map<string, [string, V][]>();
  for (const workload of WORKLOADS)
    for (const [name, value] of Object.entries(recordOf(workload) ?? {}))
      all.set(name, [...(all.get(name) ?? []), [workload.name, value]]);
  return [...all];
}

/**
 * One schema for a key that several workloads have: their common schema, otherwise a union whose description names the
 * workloads.
 */
export function mergeSchemas<S extends z.ZodType>(
  workloadSchemas: readonly (readonly [workload: string, schema: S])[],
): S {
  const [first, ...others] = [...new Map(workloadSchemas.map(([name, schema]) => [schema, name]))];
  if (!first) throw new RangeError("there is no schema to choose from");
  if (others.length === 0) return first[0];
  const whose = [first, ...others].map(([schema, name]) => `${name}: ${schema.description ?? ""}`);
  const union = z.union([first, ...others].map(([schema]) => schema)).meta({ description: whose.join(" ") });
  return union as unknown as S;
}

export const WORKLOAD_KEY_SCHEMAS = Object.fromEntries(
  byName(({ settings }) => settings.keys).map(([name, workloadSchemas]) => [
    name,
    mergeSchemas(workloadSchemas),
  ]),
) as WorkloadKeySchemas;

type FindingsOf<F> = F extends { readonly auditing: { readonly findings: infer Findings } }
  ? Findings
  : never;

/** Fields that audits of single workloads add to `integrity`. Throws if two workloads give one name different meanings. */
export const WORKLOAD_FINDINGS = {
  ...(Object.fromEntries(
    byName(({ auditing }) => auditing?.findings).map(([name, workloadSchemas]) => {
      const [[, schema] = expectOne(name)] = workloadSchemas;
      if (workloadSchemas.some(([, other]) => other !== schema)) expectOne(name);
      return [name, schema];
    }),
  ) as MergedRecord<FindingsOf<Family>>),
  ...findingsOfOwn,
};

function expectOne(name: string): never {
  throw new Error(`two workloads have a finding ${name}: results could not tell one from the other`);
}

type StagesOf<F> = F extends { readonly reporting: { readonly stages: infer Stages } } ? Stages : never;
type Stage = KeysOfUnion<StagesOf<Family>>;
/** Life stages of all workloads in the order of results, each with its traits. */
export const LIFE_STAGES = byName(({ reporting }) => reporting?.stages).map(([stage, [workloadStage]]) => {
  const { span = "", isInTable = false } = workloadStage?.[1] ?? {};
  return { stage: stage as Stage, span, isInTable };
});

/** Operations of all workloads, in the order of results. */
export const OPERATIONS: readonly string[] = [
  ...new Set(WORKLOADS.flatMap(({ operations }) => Object.keys(operations))),
];

/** Comparator for `sort` that puts operations in the order of results. Names that are not in `known` come last. */
export function byOperation(a: string, b: string, known = OPERATIONS): number {
  const place = (name: string): number => (known.includes(name) ? known.indexOf(name) : Infinity);
  return place(a) === place(b) ? 0 : place(a) - place(b);
}

/** Roles of all workloads by name, each with the name of its workload. */
export const ROLE_TRAITS = byName(({ roles }) => roles);
/** Names of the roles of all workloads, in display order. */
export const ROLES: readonly string[] = ROLE_TRAITS.map(([role]) => role);

export const VIOLATION_KINDS: readonly string[] = [
  ...new Set(WORKLOADS.flatMap(({ auditing }) => auditing?.violations ?? [])),
];

export const DEFAULT_WORKLOAD = trainEvents.name;
/** Example of a scenario of the default workload. */
export { starterScenario } from "./train-events/starter-scenario.js";

/** Keys of a scenario or settings of a treatment, with its workload. */
export type WorkloadChoice = {
  readonly [Name in keyof WorkloadSettings]?: WorkloadSettings[Name] | undefined;
} & {
  /** Name of a registered workload, or the form of a user's own workload. */
  readonly workload?: string | OwnForm;
};

export function workloadOf({ workload: chosen = DEFAULT_WORKLOAD }: WorkloadChoice): Workload {
  if (typeof chosen !== "string") return ownWorkload(chosen);
  const workload = WORKLOADS.find(({ name }) => name === chosen);
  if (!workload) throw new Error(`there is no workload ${chosen}`);
  return workload;
}

/** Store of the treatment's workload for the treatment's database. */
export function storeOf(settings: WorkloadChoice & WorkloadTreatment): Store<WorkloadTreatment> {
  return storeIn(workloadOf(settings).stores, settings);
}

export function roleTraitsOf(settings: WorkloadChoice & WorkloadTreatment, role: string): RoleTraits {
  const workload = workloadOf(settings);
  const traits = workload.roles[role];
  if (!traits) throw new Error(`workload ${workload.name} has no role ${role}`);
  const filterPerformed = (operations: readonly string[]): readonly string[] =>
    operations.filter((operation) => workload.performs?.(operation, settings) ?? true);
  return {
    ...traits,
    operations: filterPerformed(traits.operations),
    arrivals: filterPerformed(traits.arrivals),
  };
}
