// Rules about the dialect. They run again later on a dialect that `auto` finds.
import {
  capabilitiesOf,
  databaseOfUrl,
  databaseOfDialect,
  levelProblems,
  type DialectName,
} from "../database/registry.js";
import { strategyOf } from "../pools/registry.js";
import type { Finding } from "../syntax/problems.js";
import { startedDialect } from "../targets/registry.js";
import { workloadOf } from "../workloads/registry.js";
import { storeProblem } from "../workloads/stores.js";
import type { TreatmentSettings } from "./settings.js";

/** Problems of a treatment's features that this dialect lacks. */
export function dialectProblems(name: DialectName, settings: TreatmentSettings): Finding[] {
  const { storage, faults } = settings;
  const { unsupportedFaults } = capabilitiesOf(name);
  return [
    ...levelProblems(name, { storage }),
    ...(workloadOf(settings).settings.dialectProblems?.(name, settings) ?? []),
    ...faults.flatMap(({ kind }, index): Finding[] => {
      const reason = unsupportedFaults[kind];
      const path = ["faults", index, "kind"];
      return reason === undefined ? [] : [{ path, message: `${kind}: ${reason}` }];
    }),
  ];
}

/** Refuses a workload without a store for the target's database, a dialect of another one, and a pool that cannot connect. */
function databaseFindings(settings: TreatmentSettings): Finding[] {
  const { target, dialect, asksDialect, pool } = settings;
  const [first] = target.kind === "url" ? target.urls : [];
  const spoken = databaseOfDialect(dialect);
  const { name, dialects } = (first && databaseOfUrl(first.url)) ?? spoken;
  const message = storeProblem(workloadOf(settings), name);
  const { databases = [name] } = strategyOf(pool).settings;
  const [nearest] = Object.keys(dialects);
  const otherDialect = `${dialect} is of ${spoken.name}, and the target is ${name}; use dialect: ${nearest}`;
  const refusal = `pool ${pool.strategy} does not work with ${name}; it works with ${databases.join(" and ")}`;
  return [
    ...(message === undefined ? [] : [{ path: ["workload"], message }]),
    ...(name === spoken.name || asksDialect ? [] : [{ path: ["dialect"], message: otherDialect }]),
    ...(databases.includes(name) ? [] : [{ path: ["pool"], message: refusal }]),
  ];
}

export function dialectRules(settings: TreatmentSettings): Finding[] {
  const { dialect, asksDialect, target } = settings;
  const findings = databaseFindings(settings);
  if (asksDialect || findings.length > 0) return findings;
  findings.push(...dialectProblems(dialect, settings));
  const started = startedDialect(target);
  if (started !== undefined && dialect !== started) {
    const { label } = capabilitiesOf(started);
    const message = `target.kind ${target.kind} is a ${label} server; give the URL of yours with target.urls, or use dialect: ${started}`;
    findings.push({ path: ["dialect"], message });
  }
  return findings;
}
