// Rules over the workload's keys: ranges in order, groups that the topology has, probabilities that add up; those
// about the load of a group are in `rules-load.ts`. Pure checks over a scenario that passed its schema; each finding
// names the key to change.
import { formatSize } from "../foundation/units.js";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { GroupMapping } from "./schema-actors.js";
import type { Scenario } from "./schema.js";
import type { Range } from "../load/load-settings.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

/** What one add transaction may carry: PostgreSQL's protocol ends at 1 GB, and a client holds the batch in memory. */
export const MAX_BATCH_BYTES = 512 * 1024 ** 2;

/** The groups that a scenario names, as it writes them. */
export function groupsOf(scenario: Scenario): [Role, GroupMapping][] {
  return ROLES.flatMap((role) => {
    const group = scenario.actors[role];
    return group ? [[role, group] as [Role, GroupMapping]] : [];
  });
}

export function rangeOrder(path: Path, range: Range | undefined, unit: string): Finding[] {
  if (!range || range.min <= range.max) return [];
  const message = `min must not be greater than max (${range.min}${unit} > ${range.max}${unit})`;
  return [{ path: [...path, "min"], message }];
}

export function thinkTimeRules(scenario: Scenario): Finding[] {
  return groupsOf(scenario).flatMap(([role, group]) =>
    rangeOrder(["actors", role, "load", "thinkTime"], group.load.thinkTime, "ms"),
  );
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
