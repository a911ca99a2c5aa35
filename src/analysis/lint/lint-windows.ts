// Rules on the length of windows and warm-ups: work that the server does every few minutes is in no window or, by chance,
// in one. Before a run they know embedded settings and PostgreSQL's defaults; after it, the server's settings and the
// windows.
import { counted, durationText } from "../../foundation/units.js";
import { isBudgeted } from "../../scenario/plan/estimate.js";
import type { Experiment, Treatment } from "../../scenario/settings.js";
import type { Lint, RunFacts } from "./lint-types.js";

/** PostgreSQL's default intervals of maintenance work. */
const SETTING_DEFAULTS = {
  checkpoint_timeout: "5min",
  autovacuum_naptime: "1min",
  autovacuum: "on",
} as const;
type SettingName = keyof typeof SETTING_DEFAULTS;

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a PostgreSQL duration whose default unit is the second; undefined if the text is not a duration. */
export function postgresDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|min|h|d)?$/.exec(text.trim());
  return match ? Number(match[1]) * (MS_BY_UNIT[match[2] ?? "s"] ?? Number.NaN) : undefined;
}

/**
 * Value of a setting of the treatment's server; undefined if it is not known: the server is the user's, and nothing has run
 * yet.
 */
function settingOf(
  treatment: Treatment,
  name: SettingName,
  runFacts: RunFacts | undefined,
): string | undefined {
  const { target } = treatment.settings;
  if (target.kind !== "url") return target.settings[name] ?? SETTING_DEFAULTS[name];
  return runFacts?.environment.settings[name];
}

/**
 * Milliseconds of the treatment's shortest measured window, else of the planned one; undefined if a budget of iterations
 * ends the window and no trial has run.
 */
function windowMs(treatment: Treatment, runFacts: RunFacts | undefined): number | undefined {
  const trials = runFacts?.treatments.find(({ id }) => id === treatment.id)?.trials ?? [];
  const measuredSeconds = trials.flatMap(({ status, windowSeconds }) =>
    status === "complete" ? [windowSeconds] : [],
  );
  if (measuredSeconds.length > 0) return Math.min(...measuredSeconds) * 1000;
  return isBudgeted(treatment.settings) ? undefined : treatment.settings.trial.durationMs;
}

function cycleMs(treatment: Treatment, name: SettingName, runFacts: RunFacts | undefined): number {
  const text = settingOf(treatment, name, runFacts);
  return (text === undefined ? undefined : postgresDurationMs(text)) ?? 0;
}

export function maintenanceCycles({ treatments }: Experiment, runFacts?: RunFacts): Lint[] {
  for (const treatment of treatments) {
    const shortestWindowMs = windowMs(treatment, runFacts);
    if (shortestWindowMs === undefined) continue;
    const isAutovacuumOn = settingOf(treatment, "autovacuum", runFacts) !== "off";
    const vacuumMs = isAutovacuumOn ? cycleMs(treatment, "autovacuum_naptime", runFacts) : 0;
    const checkpointMs = cycleMs(treatment, "checkpoint_timeout", runFacts);
    const missedWork = [
      ...(shortestWindowMs < vacuumMs ? [`autovacuum (every ${durationText(vacuumMs)})`] : []),
      ...(shortestWindowMs < checkpointMs
        ? [`a timed checkpoint (every ${durationText(checkpointMs)})`]
        : []),
    ];
    if (missedWork.length === 0) continue;
    const length = durationText(Math.round(shortestWindowMs / 100) * 100);
    const costText = missedWork.length > 1 ? "their cost" : "its cost";
    const words = `a ${length} window may miss ${missedWork.join(" or ")}: ${costText} may not be included`;
    return [{ rule: "short-of-maintenance", words }];
  }
  return [];
}

/** Objects to treatments whose trials became steady only within their windows. */
export function lateSteadyState({ treatments }: Experiment, runFacts?: RunFacts): Lint[] {
  const lateTreatments = treatments.flatMap((treatment) => {
    const trials = runFacts?.treatments.find(({ id }) => id === treatment.id)?.trials ?? [];
    const settlingSeconds = trials.flatMap(({ steadyState }) =>
      steadyState?.isSteady === false ? (steadyState.settledAfterSeconds ?? []) : [],
    );
    return settlingSeconds.length > 0
      ? [{ treatment, trials: settlingSeconds.length, seconds: Math.max(...settlingSeconds) }]
      : [];
  });
  const [first] = [...lateTreatments].sort((a, b) => b.seconds - a.seconds);
  if (!first) return [];
  const trials = lateTreatments.reduce((sum, each) => sum + each.trials, 0);
  const needed = durationText(first.treatment.settings.trial.warmUpMs + Math.ceil(first.seconds) * 1000);
  const words =
    `${counted(trials, "trial")} settled only within the window, at the latest after ${Math.ceil(first.seconds)} s ` +
    `(${first.treatment.id}): a warm-up of ${needed} would exclude that`;
  return [{ rule: "short-warm-up", words, treatments: lateTreatments.map(({ treatment }) => treatment.id) }];
}
