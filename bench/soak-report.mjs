// Reports a soak: it judges single cases, sums them, and prints them as text. A case is right if train-sim ended with 0,
// every fault began and ended, and the audit found every event exactly once; if the scenario allows a loss, every event but
// the lost ones that a fault explains.
import { median } from "#program/analysis/statistics/quantiles.js";

/** Descriptions of what a soak must not see in a case; empty if the case is right. */
export function violationsOf({ exitCode, signal, result, scenario }) {
  const found = [];
  if (signal) found.push(`did not end in time (${signal})`);
  else if (exitCode !== 0) found.push(`exit code ${exitCode}`);
  const trial = result?.treatments[0]?.trials[0];
  if (!trial) return [...found, "no trial in the result"];
  if (trial.status !== "complete") found.push(`trial ${trial.status}: ${trial.reason ?? "no reason"}`);
  if (!trial.integrity) return [...found, "no audit"];
  const { verdict, violations } = trial.integrity;
  if (verdict !== "ok") found.push(...violations);
  // The counts are checked in addition to the verdict, which may be wrong.
  const { lost, lostWork, unexplained, duplicated } = countsOf([trial.integrity]);
  if (lost + lostWork > 0 && !scenario.integrity)
    found.push(`lost ${lost} events and ${lostWork} passes and archivings, where nothing may be`);
  if (unexplained > 0) found.push(`lost ${unexplained} that no fault explains`);
  if (duplicated > 0) found.push(`duplicated ${duplicated}`);
  const injected = trial.faults ?? [];
  if (injected.length !== scenario.faults.length)
    found.push(`${injected.length} of ${scenario.faults.length} faults were injected`);
  for (const { kind, clearedAtSeconds } of injected)
    if (clearedAtSeconds === null) found.push(`${kind} was not cleared`);
  return found;
}

function byKind(records) {
  const kinds = [...new Set(records.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => {
    const own = records.filter((record) => record.kind === kind);
    const recoveries = own.flatMap(({ recoverySeconds }) =>
      recoverySeconds === null ? [] : [recoverySeconds],
    );
    const errors = {};
    for (const [sqlstate, count] of own.flatMap((record) => Object.entries(record.errors)))
      errors[sqlstate] = (errors[sqlstate] ?? 0) + count;
    return {
      ...{ kind, injected: own.length, recovered: recoveries.length, errors },
      recoverySeconds: {
        median: recoveries.length > 0 ? median(recoveries) : null,
        max: recoveries.length > 0 ? Math.max(...recoveries) : null,
      },
    };
  });
}

const COUNTS = ["published", "lost", "duplicated", "inDoubt", "inDoubtFound"];

const sumBy = (items, amountOf) => items.reduce((sum, item) => sum + amountOf(item), 0);

/**
 * Sums over audits. `lostWork` counts passes and archivings; `unexplained` counts lost work and lost events that no fault
 * explains.
 *
 * @returns {Record<string, number>}
 */
function countsOf(audits) {
  const losses = audits.flatMap(({ losses: own = [] }) => own);
  const sums = COUNTS.map((name) => [name, sumBy(audits, (audit) => audit[name] ?? 0)]);
  return {
    ...Object.fromEntries(sums),
    lostWork: sumBy(losses, ({ operation, lost }) => (operation === "add" ? 0 : lost)),
    unexplained: sumBy(losses, ({ unexplained }) => unexplained),
  };
}

const auditsOf = (cases) => cases.flatMap(({ trial }) => (trial?.integrity ? [trial.integrity] : []));

const targetText = ({ target: { standbys, replication } }) =>
  standbys ? `${standbys} standbys, ${replication}` : "one server";

function byTarget(cases) {
  return [...new Set(cases.map(({ scenario }) => targetText(scenario)))].sort().map((target) => {
    const own = cases.filter(({ scenario }) => targetText(scenario) === target);
    const faults = sumBy(own, ({ trial }) => trial?.faults?.length ?? 0);
    return { target, cases: own.length, faults, events: countsOf(auditsOf(own)) };
  });
}

/** Number of commits that were in flight when their connection ended. Retries settle nearly all of them. */
const unansweredOf = ({ operations }) =>
  sumBy(Object.values(operations), ({ unansweredCommits }) => unansweredCommits ?? 0);

/** Sums over cases. The audits' counts cover warm-up, window and drain. */
export function sumOf(cases) {
  const trials = cases.flatMap(({ trial }) => (trial ? [trial] : []));
  const audits = auditsOf(cases);
  const exitCodes = {};
  for (const { exitCode, signal } of cases) {
    const ending = String(signal ?? exitCode);
    exitCodes[ending] = (exitCodes[ending] ?? 0) + 1;
  }
  return {
    cases: cases.length,
    failed: cases.filter(({ violations }) => violations.length > 0).length,
    audited: audits.length,
    drained: audits.filter(({ drained }) => drained).length,
    events: countsOf(audits),
    targets: byTarget(cases),
    unansweredCommits: sumBy(trials, unansweredOf),
    exitCodes,
    faults: byKind(trials.flatMap((trial) => trial.faults ?? [])),
  };
}

const oneDigit = (value) => (value === null ? "-" : value.toFixed(1));

/** Line about a finished case. */
export function caseLine({ number, scenario, trial, exitCode, signal, violations }) {
  const target = targetText(scenario);
  const { payload, locking, isolation, statementShape, pool, faults } = scenario;
  const { published = "?", lost = "?", duplicated = "?", inDoubt = "?" } = trial?.integrity ?? {};
  const asked = faults.map(({ kind, at, for: long }) => `${kind} at ${at}${long ? ` for ${long}` : ""}`);
  // Faults are listed in the order in which they happened, which may not be the scenario's.
  const done = (trial?.faults ?? []).map(
    ({ kind, injectedAtSeconds, recoverySeconds }) =>
      `${kind} at ${injectedAtSeconds.toFixed(1)} s (recovered after ${oneDigit(recoverySeconds)} s)`,
  );
  return [
    `#${number} ${violations.length > 0 ? "FAILED" : "ok"}, exit ${signal ?? exitCode}: ${target}, ${payload}, ${locking}, ${isolation}, ${statementShape}, ${pool.strategy}${pool.mode ? ` ${pool.mode}` : ""}`,
    `   ${(done.length > 0 ? done : asked).join(", ")}`,
    `   published ${published}, lost ${lost}, duplicated ${duplicated}, in doubt ${inDoubt}`,
    ...violations.map((violation) => `   ! ${violation}`),
  ].join("\n");
}

function table(titles, rows) {
  const all = [titles, ...rows.map((row) => row.map(String))];
  const widths = titles.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  return all.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join("  ")
      .trimEnd(),
  );
}

/** The sums as tables. */
export function sumLines({ cases, failed, audited, drained, events, ...sum }) {
  const { targets, unansweredCommits, exitCodes, faults } = sum;
  const errorsOf = (errors) =>
    Object.entries(errors)
      .map(([sqlstate, count]) => `${sqlstate}:${count}`)
      .join(" ");
  return [
    ...table(
      ["fault", "injected", "recovered", "median s", "max s", "errors"],
      faults.map(({ kind, injected, recovered, recoverySeconds: { median: middle, max }, errors }) => [
        ...[kind, injected, recovered, oneDigit(middle), oneDigit(max), errorsOf(errors)],
      ]),
    ),
    "",
    ...table(
      ["target", "cases", "faults", "published", "lost", "lost work", "unexplained", "duplicated"],
      targets.map(({ target, cases: count, faults: injected, events: of }) => [
        ...[target, count, injected, of.published, of.lost, of.lostWork, of.unexplained, of.duplicated],
      ]),
    ),
    "",
    `${cases} cases, ${failed} failed; ${audited} audited, ${drained} of them with an empty queue; exit codes ${JSON.stringify(exitCodes)}`,
    `commits without an answer: ${unansweredCommits}; events still in doubt at the end: ${events.inDoubt}, of which ${events.inDoubtFound} were found`,
    `events: ${events.published} published, ${events.lost} lost (${events.unexplained} of them unexplained), ${events.duplicated} duplicated`,
  ];
}
