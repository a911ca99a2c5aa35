// Rules over the workload's keys: ranges in order, groups that the topology has, probabilities that add up; those
// about the load of a group are in `rules-load.ts`. Pure checks over a scenario that passed its schema; each finding
// names the key to change.
import { formatSize } from "../foundation/units.js";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { GroupMapping } from "./schema-actors.js";
import type { Scenario } from "./schema.js";
import type { Range } from "../load/load-settings.js";
import { BATCH_SIZES, type Profile } from "../load/profiles.js";
import type { TreatmentSettings } from "./settings.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

/** What one add transaction may carry: PostgreSQL's protocol ends at 1 GB, and a client holds the batch in memory. */
const MAX_BATCH_BYTES = 512 * 1024 ** 2;

/** The groups that a scenario names, as it writes them. */
export function groupsOf(scenario: Scenario): [Role, GroupMapping][] {
  return ROLES.flatMap((role) => {
    const group = scenario.actors[role];
    return group ? [[role, group] as [Role, GroupMapping]] : [];
  });
}

/** Ranges whose ends are in order. */
export function rangeRules(scenario: Scenario): Finding[] {
  const pauses = groupsOf(scenario).flatMap(([role, { load }]): [Path, Range, string][] =>
    "thinkTime" in load && load.thinkTime
      ? [[["actors", role, "load", "thinkTime"], load.thinkTime, "ms"]]
      : [],
  );
  const ranges: [Path, Range, string][] = [
    [["batch"], scenario.batch, ""],
    [["appDelay"], scenario.appDelay, "ms"],
    ...pauses,
  ];
  return ranges.flatMap(([path, { min, max }, unit]) => {
    if (min <= max) return [];
    const message = `min must not be greater than max (${min}${unit} > ${max}${unit})`;
    return [{ path: [...path, "min"], message }];
  });
}

export function batchRules(scenario: Scenario): Finding[] {
  const bytes = scenario.batch.max * scenario.documentSize;
  if (bytes <= MAX_BATCH_BYTES) return [];
  const message =
    `${scenario.batch.max} documents of ${formatSize(scenario.documentSize)} make a transaction of ` +
    `${formatSize(bytes)}; at most ${formatSize(MAX_BATCH_BYTES)}, so lower batch.max or documentSize`;
  return [{ path: ["batch", "max"], message }];
}

export function claimRules(scenario: Scenario): Finding[] {
  if (scenario.advance.claim > 0) return [];
  return [{ path: ["advance", "claim"], message: "0 would leave every event PENDING for ever" }];
}

export function advanceRules(scenario: Scenario): Finding[] {
  const { complete, fail } = scenario.advance;
  const findings: Finding[] = [];
  if (complete + fail > 1 + 1e-9) {
    const message = `complete + fail must be at most 1 (${complete} + ${fail})`;
    findings.push({ path: ["advance", "complete"], message });
  }
  if (complete + fail === 0) {
    const message = "complete and fail must not both be 0: no event would ever finish";
    findings.push({ path: ["advance", "complete"], message });
  }
  return findings;
}

export function retryRules(scenario: Scenario): Finding[] {
  const { base, ceiling } = scenario.retry;
  if (base <= ceiling) return [];
  return [
    { path: ["retry", "base"], message: `must not be longer than retry.ceiling (${base}ms > ${ceiling}ms)` },
  ];
}

/** Groups that the topology does not have, or cannot do without. */
export function topologyRules(scenario: Scenario): Finding[] {
  const { topology } = scenario;
  const findings: Finding[] = groupsOf(scenario)
    .filter(([role]) => (role === "cycle") !== (topology === "cycle"))
    .map(([role]) => {
      const own = topology === "cycle" ? "only actors.cycle" : "producers, consumers, archivers and readers";
      const way = role === "cycle" ? "; set topology: cycle, or remove it" : "";
      return {
        path: ["actors", role],
        message: `topology ${topology} has ${own}${way}`,
        isAboutKey: true,
      };
    });
  if (topology === "cycle" && scenario.actors.cycle === false) {
    findings.push({ path: ["actors", "cycle"], message: "topology cycle is nothing without its clients" });
  }
  return findings;
}

export function emptinessRules({ topology, actors }: Scenario): Finding[] {
  const isEmpty = (["producers", "consumers", "archivers"] as const).every((role) => actors[role] === false);
  if (topology !== "actors" || !isEmpty || actors.readers) return [];
  return [{ path: ["actors"], message: "every group is left out: no client would do anything" }];
}

export function drainRules({ topology, actors, trial }: Scenario): Finding[] {
  if (topology !== "actors" || actors.consumers !== false || !trial.drain) return [];
  const message = "the queue cannot drain without consumers; set it to false, or let actors.consumers work";
  return [{ path: ["trial", "drain"], message }];
}

/** The day of each group that the scenario names, where it has one. */
function namedProfiles(scenario: Scenario, settings: TreatmentSettings): [Role, Profile, Path][] {
  return groupsOf(scenario).flatMap(([role]): [Role, Profile, Path][] => {
    const load = settings.actors[role]?.load;
    return load && "profile" in load ? [[role, load.profile, ["actors", role, "load"]]] : [];
  });
}

export function profileRoleRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const message = "a profile is about batches that are added: only producers and cycle have one";
  return namedProfiles(scenario, settings)
    .filter(([role]) => role !== "producers" && role !== "cycle")
    .map(([, , path]) => ({ path, message }));
}

/** Batches of a day that can be sent. */
export function profileSizeRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const { documentBytes } = settings;
  return namedProfiles(scenario, settings).flatMap(([, { sizes, hours }, path]) =>
    BATCH_SIZES.flatMap((name) => {
      const bytes = sizes[name] * documentBytes;
      const isUsed = hours.some(({ mix }) => mix[name] > 0);
      if (!isUsed || bytes <= MAX_BATCH_BYTES) return [];
      const message =
        `${sizes[name]} documents of ${formatSize(documentBytes)} make a transaction of ` +
        `${formatSize(bytes)}; at most ${formatSize(MAX_BATCH_BYTES)}, so lower it or documentSize`;
      return [{ path: [...path, "profile", "sizes", name], message }];
    }),
  );
}
