import { counted, formatDuration } from "../../foundation/units.js";
import type { ReservedAgentsByRole } from "../../clients/deal.js";
import type { RoleSettings } from "../../clients/settings.js";
import { urlsText } from "../../database/endpoint.js";
import type { Fault } from "../../faults/registry.js";
import { executorOf } from "../../load/executors/registry.js";
import { rangeText } from "../../load/load-settings.js";
import { arePoolersAtAgents, hasPooler, isManaged, strategyOf } from "../../pools/registry.js";
import { targetText } from "../../targets/registry.js";
import { pathText } from "../../syntax/paths.js";
import { DEFAULT_WORKLOAD, workloadOf } from "../../workloads/registry.js";
import { managedPoolersOf } from "../connections.js";
import { rolesOf, totalClients, type Experiment, type TreatmentSettings } from "../settings.js";
import { changedKeys } from "./changed-keys.js";
import { isBudgeted, trialSpan } from "./estimate.js";

function poolText(settings: TreatmentSettings): string {
  const { pool } = settings;
  const text = strategyOf(pool).settings.text(pool);
  if (!hasPooler(pool)) return text;
  if (!isManaged(pool)) return `${text}, ${urlsText(pool.urls)}`;
  const managedPoolers = managedPoolersOf(settings).reduce((sum, instances) => sum + instances, 0);
  const where = arePoolersAtAgents(pool) ? ` with each of ${counted(settings.agents, "agent")}` : "";
  return `${text}, ${managedPoolers} managed${where}`;
}

function roleText({ workers, load }: RoleSettings): string {
  const thinkTimeText = load.thinkTimeMs.max > 0 ? `, think time ${rangeText(load.thinkTimeMs)}` : "";
  const rampUp = load.rampUpMs > 0 ? `, ramp-up ${formatDuration(load.rampUpMs)}` : "";
  return `${load.clients} in ${workers === 1 ? "1 worker" : `${workers} workers`}, ${load.executor}${executorOf(load).words(load)}${thinkTimeText}${rampUp}`;
}

function agentsText(agents: number, place: ReservedAgentsByRole = {}): string {
  const roleTexts = Object.entries(place).map(([role, count]) => `${count} for ${role}`);
  return roleTexts.length > 0 ? `${agents} (${roleTexts.join(", ")})` : String(agents);
}

type Aspect = [name: string, text: (settings: TreatmentSettings) => string | undefined];

/** Conditions that the treatments' workloads state. */
function workloadAspects(treatments: Experiment["treatments"]): Aspect[] {
  const workloadConditions = (settings: TreatmentSettings) =>
    workloadOf(settings).reporting?.conditions?.(settings) ?? {};
  const names = new Set(treatments.flatMap(({ settings }) => Object.keys(workloadConditions(settings))));
  return [...names].map((name): Aspect => [name, (settings) => workloadConditions(settings)[name]]);
}

/** Keys that the plan and the summary state elsewhere, or that a text of `conditions` contains. */
const KEYS_STATED_ELSEWHERE = [
  "name",
  "seed",
  "workload",
  "trials",
  "factors",
  "include",
  "exclude",
  "thresholds",
  "published",
  "actors",
  "target.kind",
  "pool.strategy",
];

/** Conditions whose texts leave out some of the keys below them. */
const PARTIAL_TEXTS = ["target", "pool"];

/** Names and values of the conditions under which treatments run: texts on the main ones, then all changed keys. */
export function conditions(experiment: Pick<Experiment, "treatments" | "yaml">): string[][] {
  const { treatments } = experiment;
  const aspects: Aspect[] = [
    [
      "workload",
      (settings) => {
        const { name } = workloadOf(settings);
        return name === DEFAULT_WORKLOAD ? undefined : name;
      },
    ],
    ["target", ({ target }) => targetText(target)],
    ["pool", poolText],
    ...workloadAspects(treatments),
    ...rolesOf(treatments).map((role): Aspect => [
      role,
      ({ actors }) => actors[role] && roleText(actors[role]),
    ]),
    // A role called `clients` is the only role and has a row already.
    ["clients", (settings) => ("clients" in settings.actors ? undefined : String(totalClients(settings)))],
    ["agents", ({ agents, agentPlace }) => (agents > 0 ? agentsText(agents, agentPlace) : undefined)],
    ["trial", (settings) => phasesText(settings)],
    ["faults", ({ faults }) => (faults.length > 0 ? faults.map(faultText).join("; ") : undefined)],
  ];
  const rows = aspects.flatMap(([name, text]) => {
    const values = [...new Set(treatments.map(({ settings }) => text(settings) ?? "none"))];
    return values.length === 1 && values[0] === "none" ? [] : conditionRows(name, values);
  });
  const stated = [...aspects.map(([name]) => name), ...KEYS_STATED_ELSEWHERE];
  const changedRows = changedKeys(experiment).flatMap(({ path, values }) => {
    const [name, key] = [pathText(path), String(path[0])];
    const isStated = stated.includes(name) || (stated.includes(key) && !PARTIAL_TEXTS.includes(key));
    return isStated ? [] : conditionRows(name, values);
  });
  return [...rows, ...changedRows];
}

function conditionRows(name: string, values: readonly string[]): string[][] {
  return values.map((value, i) => [i === 0 ? name : "", values.length > 1 ? `${i + 1}) ${value}` : value]);
}

function phasesText(settings: TreatmentSettings): string {
  const { warmUpMs, durationMs, drainMaxMs, coldCache } = settings.trial;
  const { mostMs } = trialSpan(settings);
  const window = isBudgeted(settings)
    ? `until the iterations are done, up to ${formatDuration(mostMs - warmUpMs - drainMaxMs)}`
    : formatDuration(durationMs);
  const drain = drainMaxMs > 0 ? `up to ${formatDuration(drainMaxMs)}` : "none";
  const cache = coldCache ? ", shared buffers emptied before" : "";
  return `warm-up ${formatDuration(warmUpMs)}, window ${window}, drain ${drain}${cache}`;
}

function faultText({ kind, atMs, forMs }: Fault): string {
  return `${kind} at ${formatDuration(atMs)}${forMs > 0 ? ` for ${formatDuration(forMs)}` : ""}`;
}
