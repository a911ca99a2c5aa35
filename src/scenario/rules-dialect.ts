// Rules about the dialect. They run again later on a dialect that `auto` finds.
import {
  capabilitiesOf,
  DIALECTS,
  databaseOfUrl,
  databaseOfDialect,
  levelProblems,
  type DialectName,
} from "../database/registry.js";
import { distinct } from "../foundation/distinct.js";
import { strategyOf } from "../pools/registry.js";
import type { Finding } from "../syntax/problems.js";
import { startedDialect } from "../targets/registry.js";
import { workloadOf, WORKLOADS } from "../workloads/registry.js";
import { storeProblem } from "../workloads/stores.js";
import type { TreatmentSettings } from "./settings.js";

/** Problems of a treatment's features that this dialect lacks. */
export function dialectProblems(name: DialectName, settings: TreatmentSettings): Finding[] {
  const { storage, faults } = settings;
  const lockProblems = faults.flatMap((fault, index): Finding[] =>
    levelProblems(name, { lock: "lock" in fault ? fault.lock : undefined }).map(({ path, message }) => ({
      path: ["faults", index, ...path],
      message,
    })),
  );
  const { unsupportedFaults } = capabilitiesOf(name);
  return [
    ...levelProblems(name, { storage }),
    ...lockProblems,
    ...(workloadOf(settings).settings.dialectProblems?.(name, settings) ?? []),
    ...faults.flatMap(({ kind }, index): Finding[] => {
      const reason = unsupportedFaults[kind];
      const path = ["faults", index, "kind"];
      return reason === undefined ? [] : [{ path, message: `${kind}: ${reason}` }];
    }),
  ];
}

/** Refuses a workload without a store for the target's database, and a pool that cannot connect to it. */
function databaseFindings(settings: TreatmentSettings): Finding[] {
  const { target, dialect, asksDialect, pool } = settings;
  const urls = target.kind === "url" ? target.urls : [];
  const names = distinct(urls.flatMap(({ url }) => databaseOfUrl(url)?.name ?? []));
  if (names.length > 1)
    return [
      { path: ["target", "urls"], message: `names servers of ${names.join(" and ")}; all must be of one` },
    ];
  const [name = databaseOfDialect(dialect).name] = names;
  if (!asksDialect && databaseOfDialect(dialect).name !== name) {
    const known = DIALECTS.filter((each) => databaseOfDialect(each).name === name).join(" or ");
    return [
      { path: ["dialect"], message: `${dialect} is no SQL of ${name}, which the URL names; use ${known}` },
    ];
  }
  const message = storeProblem(workloadOf(settings), name);
  const others = WORKLOADS.filter((each) => storeProblem(each, name) === undefined).map((each) => each.name);
  const { databases = [name] } = strategyOf(pool).settings;
  const refusal = `pool ${pool.strategy} does not work with ${name}; it works with ${databases.join(" and ")}`;
  return [
    ...(message === undefined
      ? []
      : [{ path: ["workload"], message: `${message}. On ${name} there are: ${others.join(", ")}` }]),
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
