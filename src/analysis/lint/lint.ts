// Objections of a careful experimenter, before the first trial and on the measured trials. They change no verdict.
import { counted, durationText } from "../../foundation/units.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { isBudgeted } from "../../scenario/plan/estimate.js";
import { networkPlacesOf } from "../../scenario/fault-context.js";
import type { Experiment, Treatment, TreatmentSettings } from "../../scenario/settings.js";
import { workloadOf } from "../../workloads/registry.js";
import {
  lintConfounded,
  missingPoolControl,
  unequalClients,
  unequalWork,
  unsharedOperations,
} from "./lint-design.js";
import type { Lint, RunFacts } from "./lint-types.js";
import { lateSteadyState, maintenanceCycles } from "./lint-windows.js";

const WINDOW_SHORT_MS = 5_000;

function trialsPerTreatment({ trials, treatments }: Experiment): number {
  return trials.length / treatments.length;
}

function fewTrials(experiment: Experiment): Lint[] {
  const trials = trialsPerTreatment(experiment);
  if (trials >= BLOCKS_MIN) return [];
  const consequence =
    experiment.treatments.length === 1
      ? `${counted(trials, "trial")}: medians will have no interval`
      : `${counted(trials, "trial")} of each treatment: no difference of any size can be concluded`;
  return [{ rule: "few-trials", words: `${consequence}; run at least ${BLOCKS_MIN}` }];
}

function sequentialOrder(experiment: Experiment): Lint[] {
  const { trials, treatments } = experiment;
  if (treatments.length < 2 || trialsPerTreatment(experiment) < 2 || trials[1]?.block !== 1) return [];
  const words =
    "sequential order: drift of the machine looks like a difference between treatments; use interleaved";
  return [{ rule: "sequential-order", words }];
}

function lintOfSettings(
  rule: string,
  applies: (settings: TreatmentSettings) => boolean,
  words: string,
): (experiment: Experiment) => Lint[] {
  return ({ treatments }) => {
    const affectedTreatments = treatments.filter(({ settings }) => applies(settings));
    return affectedTreatments.length === 0
      ? []
      : [{ rule, words, ...treatmentsUnlessAll(affectedTreatments, treatments) }];
  };
}

function treatmentsUnlessAll(
  affectedTreatments: readonly Treatment[],
  all: readonly Treatment[],
): Pick<Lint, "treatments"> {
  return affectedTreatments.length === all.length
    ? {}
    : { treatments: affectedTreatments.map(({ id }) => id) };
}

function lintOutrankedSettings({ warnings = [] }: Experiment): Lint[] {
  return warnings.map((words) => ({ rule: "outranked", words }));
}

function unmatchedFigures({ published }: Experiment): Lint[] {
  const figuresWithProblem = published.filter(({ problem }) => problem !== undefined);
  const [first] = figuresWithProblem;
  if (!first) return [];
  const unmatchedText = `${figuresWithProblem.length} of ${counted(published.length, "published figure")} not compared`;
  return [
    {
      rule: "published",
      words: `${unmatchedText}; ${first.metric} of ${first.source}: ${first.problem ?? ""}`,
    },
  ];
}

const LINT_RULES: readonly ((experiment: Experiment, seen?: RunFacts) => Lint[])[] = [
  lintOutrankedSettings,
  unmatchedFigures,
  lintConfounded,
  unsharedOperations,
  unequalClients,
  unequalWork,
  missingPoolControl,
  lintsOfWorkload,
  fewTrials,
  sequentialOrder,
  lintOfSettings(
    "short-window",
    (settings) => !isBudgeted(settings) && settings.trial.durationMs < WINDOW_SHORT_MS,
    `a window under ${durationText(WINDOW_SHORT_MS)} holds few transactions: high percentiles are unreliable`,
  ),
  maintenanceCycles,
  lateSteadyState,
  lintOfSettings(
    "no-warm-up",
    ({ trial }) => trial.warmUpMs === 0,
    "no warm-up: connecting, planning and cold caches are measured too",
  ),
  lintOfSettings(
    "ramp-up-measured",
    (settings) =>
      // A budget of iterations begins again with the window, and the ramp-up with it.
      Object.values(settings.actors).some(
        ({ load }) => load.rampUpMs > (isBudgeted(settings) ? 0 : settings.trial.warmUpMs),
      ),
    "the ramp-up reaches into the measurement window",
  ),
  lintOfSettings(
    "network-proxy",
    (settings) => networkPlacesOf(settings).length > 0,
    "for their faults, train-sim's proxy carries all traffic of the clients: compare only with trials that have it too",
  ),
];

function lintsOfWorkload({ treatments }: Experiment): Lint[] {
  const objections = treatments.map(({ settings }) => workloadOf(settings).reporting?.lint?.(settings) ?? []);
  const rules = new Set(objections.flatMap((some) => some.map(({ rule }) => rule)));
  return [...rules].flatMap((rule) => {
    const first = objections.flat().find((each) => each.rule === rule);
    const affectedTreatments = treatments.filter((_, i) => objections[i]?.some((each) => each.rule === rule));
    return first ? [{ ...first, ...treatmentsUnlessAll(affectedTreatments, treatments) }] : [];
  });
}

/** All objections to the experiment, each once; facts measured by trials (`runFacts`) replace assumptions. */
export function lint(experiment: Experiment, runFacts?: RunFacts): Lint[] {
  return LINT_RULES.flatMap((rule) => rule(experiment, runFacts));
}

export function lintEntry({ rule, words, treatments }: Lint): ResultDocument["diagnosis"][number] {
  return { kind: "lint", rule, words, ...(treatments && { treatments: [...treatments] }) };
}

/** The objections that a result document holds, as sentences. */
export function lintsOf(result: ResultDocument): string[] {
  return result.diagnosis.flatMap(({ kind, words }) =>
    kind === "lint" && typeof words === "string" ? [words] : [],
  );
}
