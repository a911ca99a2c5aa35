// The load of a role: schema, rules and resolved settings, in milliseconds. Walks the executors.
import * as z from "zod";
import { formatDuration } from "../foundation/units.js";
import type { Finding } from "../syntax/problems.js";
import { describeMembers, keysOf, taggedUnion, type KeyWords, type Member } from "../syntax/tagged-union.js";
import type { Budget, LoadContext, RuleContext } from "./executors/executor.js";
import { executorOf, EXECUTORS, type ExecutorName, type ExecutorSettings } from "./executors/registry.js";
import { loadKeys, type LoadDefaults, type LoadKeys } from "./keys.js";

/** Inclusive range of uniform values. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
}

export type LoadSettings = ExecutorSettings & {
  readonly thinkTimeMs: ValueRange;
  /** Time over which clients start one by one, evenly, in milliseconds. */
  readonly rampUpMs: number;
};

const EXECUTOR_NAMES = EXECUTORS.map(({ name }) => name) as [ExecutorName, ...ExecutorName[]];
const BUDGET_KEYS: readonly string[] = ["iterations", "maxDuration"];

const words: KeyWords = {
  unknownKeyText({ name, keys }, key, owners) {
    if (BUDGET_KEYS.includes(key))
      return `executor ${name} has no budget; remove ${key}, or use shared-iterations`;
    if (key === "clients" && "maxClients" in keys) return `executor ${name} calls this maxClients`;
    return `executor ${name} takes no ${key}; remove it, or use ${owners.join(" or ")}`;
  },
};

/** Union member of an executor: its name, and its keys for a vocabulary. */
type ExecutorUnionMember<One> = One extends {
  readonly name: infer Name extends string;
  keys(vocabulary: LoadKeys): infer Keys extends z.ZodRawShape;
}
  ? Member<Name, Keys>
  : never;

function members(vocabulary: LoadKeys) {
  return EXECUTORS.map((each) => ({
    name: each.name,
    description: each.description,
    keys: each.keys(vocabulary),
  })) as ExecutorUnionMember<(typeof EXECUTORS)[number]>[];
}

export function loadSchema(defaults: LoadDefaults) {
  const vocabulary = loadKeys(defaults);
  const executor = z
    .enum(EXECUTOR_NAMES)
    .default("constant-clients")
    .meta({ description: `${describeMembers(EXECUTORS)}. Default constant-clients.` });
  const loadUnion = {
    tag: "executor",
    common: { executor },
    members: members(vocabulary),
    vocabulary,
    words,
  } as const;
  return taggedUnion(loadUnion)
    .prefault({})
    .meta({ description: "Load of the role over time.", title: "Load" });
}

export type LoadMapping = z.output<ReturnType<typeof loadSchema>>;

export function executorKeys(): { name: string; needs: string[]; takes: string[] }[] {
  return members(loadKeys({ clients: 0 })).map((one) => ({ name: one.name, ...keysOf(one) }));
}

const NO_THINK_TIME: ValueRange = { min: 0, max: 0 };

export function resolveLoad(
  load: LoadMapping = { executor: "constant-clients" },
  thinkTimeMs: number,
  surroundings: LoadContext,
): LoadSettings {
  const executor = executorOf(load);
  const thinkTimeRange = ("thinkTime" in load && load.thinkTime) || { min: thinkTimeMs, max: thinkTimeMs };
  return {
    ...executor.resolve(load, surroundings),
    thinkTimeMs: executor.isOpenLoop ? NO_THINK_TIME : thinkTimeRange,
    rampUpMs: ("rampUp" in load && load.rampUp) || 0,
  };
}

/** Problems of a role's load that the schema cannot find; paths are relative to the role. */
export function loadFindings(
  loadMapping: LoadMapping,
  load: LoadSettings,
  surroundings: RuleContext,
): Finding[] {
  return executorOf(load).rules?.(loadMapping, load, surroundings) ?? [];
}

export function isOpenLoop(load: Pick<LoadSettings, "executor">): boolean {
  return executorOf(load).isOpenLoop;
}

/** Iterations that end the window of a role; undefined if time ends it. */
export function budgetOf(load: LoadSettings): Budget | undefined {
  return executorOf(load).budget?.(load);
}

export function budgetMs(load: LoadSettings): number | undefined {
  return budgetOf(load)?.mostMs;
}

export function rangeText({ min, max }: ValueRange): string {
  return min === max ? formatDuration(min) : `${formatDuration(min)} to ${formatDuration(max)}`;
}
