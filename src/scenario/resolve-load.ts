// From a group's `load` as written to what its executor runs with: rates per second, the most clients at once, a
// profile's day with its hours. Pure. Refuses nothing: what makes no sense is found by the rules.
import type { Stage } from "../load/rate-curve.js";
import { DEFAULT_SIZES, PROFILES } from "../load/profiles.js";
import type { GroupMapping } from "./schema-actors.js";
import type { ProfileMapping } from "../load/schema-load.js";
import {
  isOpenLoop,
  type ExecutorSettings,
  type LoadSettings,
  type Profile,
  type Range,
} from "../load/load-settings.js";
import { roleTraitsOf } from "../workloads/registry.js";

const DEFAULT_MAX_DURATION_MS = 600_000;
const NO_THINK_TIME: Range = { min: 0, max: 0 };

type LoadMapping = GroupMapping["load"];

/** What of the rest of the scenario a load depends on. */
export interface LoadSurroundings {
  /** The scenario's own `clients`. */
  readonly clients: number | undefined;
  readonly windowMs: number;
}

export function resolveLoad(
  role: string,
  group: GroupMapping | undefined,
  surroundings: LoadSurroundings,
): LoadSettings {
  const { clients: defaultClients, thinkTimeMs } = roleTraitsOf(role);
  const load = group?.load ?? { executor: "constant-clients" };
  const given = group?.clients ?? surroundings.clients ?? load.maxClients ?? load.clients;
  const settings = resolveExecutor(load, given ?? defaultClients, surroundings.windowMs);
  return {
    ...settings,
    thinkTimeMs: isOpenLoop(settings)
      ? NO_THINK_TIME
      : (load.thinkTime ?? { min: thinkTimeMs, max: thinkTimeMs }),
    rampUpMs: load.rampUp ?? 0,
  };
}

function resolveExecutor(load: LoadMapping, clients: number, windowMs: number): ExecutorSettings {
  const { executor } = load;
  switch (executor) {
    case "constant-clients":
      return { executor, clients };
    case "shared-iterations":
    case "per-client-iterations": {
      const maxDurationMs = load.maxDuration ?? DEFAULT_MAX_DURATION_MS;
      return { executor, clients, iterations: load.iterations ?? 1, maxDurationMs };
    }
    case "ramping-clients": {
      const stages = stagesOf(load, 1);
      const startClients = load.startClients ?? 0;
      const most = Math.max(1, startClients, ...stages.map(({ target }) => target));
      return { executor, clients: most, startClients, stages };
    }
    case "constant-arrival-rate":
      return { executor, clients, ratePerSecond: perSecond(load, load.rate), ...arrivalsOf(load) };
    case "ramping-arrival-rate": {
      const startRatePerSecond = perSecond(load, load.startRate);
      const stages = stagesOf(load, perSecond(load, 1));
      return { executor, clients, startRatePerSecond, stages, ...arrivalsOf(load) };
    }
    case "daily-arrival-rate": {
      const profile = resolveProfile(load.profile ?? "streaming-day", windowMs);
      return { executor, clients, ratePerSecond: perSecond(load, load.rate), profile, ...arrivalsOf(load) };
    }
  }
}

function perSecond(load: LoadMapping, rate = 0): number {
  return (rate * 1000) / (load.timeUnit ?? 1000);
}

function stagesOf({ stages = [] }: LoadMapping, unit: number): Stage[] {
  return stages.map(({ target, duration }) => ({ target: target * unit, durationMs: duration }));
}

function arrivalsOf({ distribution = "poisson", maxWait }: LoadMapping) {
  return { distribution, ...(maxWait !== undefined && { maxWaitMs: maxWait }) };
}

function resolveProfile(given: NonNullable<LoadMapping["profile"]>, windowMs: number): Profile {
  const mapping: Partial<ProfileMapping> = typeof given === "string" ? { name: given } : given;
  const { name, hours, sizes = DEFAULT_SIZES, compressTo = windowMs } = mapping;
  return {
    name: name ?? (hours ? "custom" : "streaming-day"),
    dayMs: compressTo,
    sizes,
    hours:
      hours?.map(({ from, to, rate, mix }) => ({ fromHour: from, toHour: to, rateFactor: rate, mix })) ??
      PROFILES[name ?? "streaming-day"],
  };
}
