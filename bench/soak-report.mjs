// What came of a soak: judges single cases, adds them up, and prints them as text. A case is right when train-sim ended
// with 0, every fault was there and gone again, and the audit found every event exactly once.
import { median } from "#program/analysis/statistics/quantiles.js";

/** What a soak must not see, in words; empty for a case that is right. */
export function violationsOf({ exitCode, signal, result, faults }) {
  const found = [];
  if (signal) found.push(`did not end in time (${signal})`);
  else if (exitCode !== 0) found.push(`exit code ${exitCode}`);
  const trial = result?.treatments[0]?.trials[0];
  if (!trial) return [...found, "no trial in the result"];
  if (trial.status !== "complete") found.push(`trial ${trial.status}: ${trial.reason ?? "no reason"}`);
  if (!trial.integrity) return [...found, "no audit"];
  const { verdict, violations } = trial.integrity;
  if (verdict !== "ok") found.push(...violations);
  const injected = trial.faults ?? [];
  if (injected.length !== faults.length)
    found.push(`${injected.length} of ${faults.length} faults were injected`);
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

/** Commits whose connection went while they were under way; nearly all are settled by trying again. */
const unansweredOf = ({ operations }) =>
  Object.values(operations).reduce((sum, { unansweredCommits }) => sum + (unansweredCommits ?? 0), 0);

/** Sums over cases; counts are of the audits, over warm-up, window and drain. */
export function sumOf(cases) {
  const trials = cases.flatMap(({ trial }) => (trial ? [trial] : []));
  const audits = trials.flatMap(({ integrity }) => (integrity ? [integrity] : []));
  const counts = COUNTS.map((name) => [name, audits.reduce((sum, audit) => sum + (audit[name] ?? 0), 0)]);
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
    events: Object.fromEntries(counts),
    unansweredCommits: trials.reduce((sum, trial) => sum + unansweredOf(trial), 0),
    exitCodes,
    faults: byKind(trials.flatMap((trial) => trial.faults ?? [])),
  };
}

const shown = (value) => (value === null ? "-" : value.toFixed(1));

/** One line for a case that has ended. */
export function caseLine({ number, scenario, trial, exitCode, signal, violations }) {
  const { payload, locking, isolation, statementShape, pool, faults } = scenario;
  const { published = "?", lost = "?", duplicated = "?", inDoubt = "?" } = trial?.integrity ?? {};
  const asked = faults.map(({ kind, at, for: long }) => `${kind} at ${at}${long ? ` for ${long}` : ""}`);
  // In the order in which they happened, which need not be the scenario's.
  const done = (trial?.faults ?? []).map(
    ({ kind, injectedAtSeconds, recoverySeconds }) =>
      `${kind} at ${injectedAtSeconds.toFixed(1)} s (recovered after ${shown(recoverySeconds)} s)`,
  );
  return [
    `#${number} ${violations.length > 0 ? "FAILED" : "ok"}, exit ${signal ?? exitCode}: ${payload}, ${locking}, ${isolation}, ${statementShape}, ${pool.strategy}${pool.mode ? ` ${pool.mode}` : ""}`,
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
export function sumLines({ cases, failed, audited, drained, events, unansweredCommits, exitCodes, faults }) {
  const errorsOf = (errors) =>
    Object.entries(errors)
      .map(([sqlstate, count]) => `${sqlstate}:${count}`)
      .join(" ");
  return [
    ...table(
      ["fault", "injected", "recovered", "median s", "max s", "errors"],
      faults.map(({ kind, injected, recovered, recoverySeconds: { median: middle, max }, errors }) => [
        ...[kind, injected, recovered, shown(middle), shown(max), errorsOf(errors)],
      ]),
    ),
    "",
    `${cases} cases, ${failed} failed; ${audited} audited, ${drained} of them with an empty queue; exit codes ${JSON.stringify(exitCodes)}`,
    `commits without an answer: ${unansweredCommits}; events still in doubt at the end: ${events.inDoubt}, of which ${events.inDoubtFound} were found`,
    `events: ${events.published} published, ${events.lost} lost, ${events.duplicated} duplicated`,
  ];
}
