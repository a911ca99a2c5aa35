// From a valid scenario to the settings of one treatment. Refusing is left to the rules.
import type { Scenario } from "./schema.js";
import { DEFAULT_DRAIN_MS } from "./schema-parts.js";
import type { DiagnosisSettings } from "./judgement.js";
import { DEFAULT_DIALECT, dialectOfUrl } from "../database/registry.js";
import { resolveFault } from "../faults/faults.js";
import { resolveLoad } from "../load/load-settings.js";
import { type TreatmentSettings } from "./settings.js";
import { resolveTarget } from "../targets/registry.js";
import { resolvePool } from "../pools/registry.js";
import { agentCountFor, type ReservedAgentsByRole } from "../clients/deal.js";
import type { RoleSettings } from "../clients/settings.js";
import { workloadOf, type WorkloadSettings } from "../workloads/registry.js";

/** The settings of the workload's roles, from the scenario's keys. */
function resolveRoles(scenario: Scenario): Record<string, RoleSettings> {
  const { roles, settings } = workloadOf(scenario);
  const actors: Record<string, RoleSettings> = {};
  for (const [role, { isOnRequest, clients: defaultClients, thinkTimeMs = 0 }] of Object.entries(roles)) {
    const keys = scenario.actors[role];
    if (settings.hasRole?.(role, scenario) === false) continue;
    if (keys === false || (keys === undefined && isOnRequest)) continue;
    const clients = keys?.clients ?? scenario.clients;
    const surroundings = { clients, defaultClients, windowMs: scenario.trial.duration };
    const load = resolveLoad(keys?.load, thinkTimeMs, surroundings);
    const { count, place } = agentsOf(scenario);
    const workers = keys?.workers ?? Math.min(load.clients, Math.max(1, agentCountFor(role, count, place)));
    actors[role] = { workers, load };
  }
  return actors;
}

function agentsOf({ agents }: Pick<Scenario, "agents">): { count: number; place: ReservedAgentsByRole } {
  return typeof agents === "number" ? { count: agents, place: {} } : agents;
}

type CommonSettings = Omit<TreatmentSettings, keyof WorkloadSettings>;
type PartialOwnSettings = Partial<WorkloadSettings>;

const COMMON_RESOLVERS: {
  readonly [Name in keyof CommonSettings]-?: (scenario: Scenario) => CommonSettings[Name];
} = {
  workload: ({ workload }) => workload,
  target: ({ target }) => resolveTarget(target),
  dialect({ dialect, target: input }) {
    if (dialect !== undefined && dialect !== "auto") return dialect;
    const target = resolveTarget(input);
    const [first] = target.kind === "url" ? target.urls : [];
    return first ? dialectOfUrl(first.url) : DEFAULT_DIALECT;
  },
  // The dialect is asked only of the user's servers; the servers that train-sim runs are PostgreSQL.
  asksDialect: ({ dialect, target }) => dialect === "auto" && resolveTarget(target).kind === "url",
  namespace: ({ namespace }) => namespace,
  storage: ({ storage }) => storage,
  pool: ({ pool }) => resolvePool(pool),
  endpointPer: ({ endpointPer }) => (endpointPer === "worker" ? endpointPer : undefined),
  prepared: ({ prepared }) => prepared,
  pipeline: ({ pipeline }) => pipeline || undefined,
  actors: resolveRoles,
  agents: (scenario) => agentsOf(scenario).count,
  agentPlace(scenario) {
    const { count, place } = agentsOf(scenario);
    return count > 0 && Object.keys(place).length > 0 ? place : undefined;
  },
  trial: (scenario) => ({
    warmUpMs: scenario.trial.warmUp,
    durationMs: scenario.trial.duration,
    drainMaxMs: scenario.trial.drain ?? defaultDrainMs(scenario),
    ...(scenario.trial.coldCache && { coldCache: true as const }),
  }),
  retry: ({ retry: { attempts, base: baseMs, ceiling: ceilingMs, deadline: deadlineMs, jitter } }) => {
    return { attempts, baseMs, ceilingMs, deadlineMs, ...(jitter === "none" && { jitter }) };
  },
  evidence: ({ evidence: { every: everyMs } }) => ({ everyMs }),
  faults: ({ faults }) => faults.map(resolveFault),
  integrity: ({ integrity: { allow } }) => ({ allow }),
  log: ({ log: { level, slowTransaction: slowTransactionMs } }) => ({ level, slowTransactionMs }),
};

function defaultDrainMs(scenario: Scenario): number {
  return workloadOf(scenario).draining?.isPossible(resolveRoles(scenario)) ? DEFAULT_DRAIN_MS : 0;
}

export function resolveTreatment(scenario: Scenario): TreatmentSettings {
  const common = Object.entries(COMMON_RESOLVERS).map(([name, part]) => [name, part(scenario)] as const);
  const definedSettings = common.filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(definedSettings) as unknown as CommonSettings),
    ...resolveWorkloadSettings(scenario),
  };
}

function resolveWorkloadSettings(scenario: Scenario): PartialOwnSettings {
  return workloadOf(scenario).settings.resolve(scenario);
}

/**
 * The settings as properties that are resolved when they are read, so that a read shows which keys of the scenario it
 * depends on. @param seen the scenario, through which reads are seen
 */
export function lazySettings(scenario: Scenario, seen: Scenario): TreatmentSettings {
  const settings = Object.entries(COMMON_RESOLVERS).map(
    ([name, part]) => [name, { enumerable: true, get: () => part(seen) }] as const,
  );
  const keys: Readonly<Record<string, unknown>> = scenario;
  const watchedKeys: Readonly<Record<string, unknown>> = seen;
  const own = Object.entries(resolveWorkloadSettings(scenario)).map(([name, value]) => {
    // A key whose value is used as it is depends on nothing else; a value that the workload derives may depend on all
    // keys.
    const isUsedUnchanged = value !== undefined && Object.is(value, keys[name]);
    const get = (): unknown =>
      isUsedUnchanged ? watchedKeys[name] : resolveWorkloadSettings(seen)[name as keyof PartialOwnSettings];
    return [name, { enumerable: true, get }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries([...settings, ...own])) as TreatmentSettings;
}

export function resolveDiagnosis({ diagnosis }: Pick<Scenario, "diagnosis">): DiagnosisSettings {
  const { maxEventLoopDelay, maxClockStep, maxAgentClockError, ...ratios } = diagnosis;
  return {
    ...ratios,
    maxEventLoopDelayMs: maxEventLoopDelay,
    maxClockStepMs: maxClockStep,
    maxAgentClockErrorMs: maxAgentClockError,
  };
}
