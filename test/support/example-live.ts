// An experiment that a test reports to observers step by step, on a clock that the test moves: two treatments, two trials
// each, and seconds with known numbers.
import { LiveState } from "../../src/live/live-state.js";
import { HistogramSet, recordableUs } from "../../src/metrics/histograms.js";
import type { Counts } from "../../src/metrics/metric-lists.js";
import { Totals } from "../../src/metrics/totals.js";
import { parseScenario } from "../../src/scenario/loader.js";
import type { Experiment, PlannedTrial, Treatment } from "../../src/scenario/settings.js";
import type { TrialResult } from "../../src/results/result-schema.js";
import { exampleTrial } from "./example-result.js";

const SCENARIO = `
name: watched
seed: 7
trials: 2
factors: { payload: [jsonb, text] }
actors:
  producers: { load: { clients: 2 } }
  consumers: { load: { clients: 2 } }
trial: { warmUp: 1s, duration: 10s, drain: 5s }
thresholds: { add: ["p(99)<50"] }
`;

export function exampleExperiment(yaml = SCENARIO): Experiment {
  return parseScenario(yaml, "scenario.yaml");
}

/** Workloads whose unit is not events: a line of the scenario, the unit, and the operations. */
export const OTHER_UNITS: readonly (readonly [workload: string, unit: string, operations: string[]])[] = [
  ["workload: connections", "transactions", ["account", "script"]],
  ["workload: documents", "documents", ["read", "update"]],
  ['workload: { sql: "-- name: look_around\\nSELECT 1;" }', "transactions", ["look_around"]],
];

export interface WatchedRun {
  readonly experiment: Experiment;
  readonly state: LiveState;
  readonly clock: { ms: number };
  readonly trial: (number: number) => { trial: PlannedTrial; treatment: Treatment };
}

export interface WatchedInputs {
  readonly experiment?: Experiment;
  readonly isSearch?: boolean;
  readonly earlier?: readonly { readonly treatmentId: string; readonly result: TrialResult }[];
}

export function watchedRun(inputs: WatchedInputs = {}): WatchedRun {
  const { experiment = exampleExperiment(), isSearch = false, earlier = [] } = inputs;
  const clock = { ms: 1_000_000 };
  const state = new LiveState({
    ...{ experiment, isSearch, earlier, programVersion: "1.2.3", nowMs: () => clock.ms },
  });
  return {
    ...{ experiment, state, clock },
    trial: (number) => {
      const trial = experiment.trials[number - 1];
      const treatment = experiment.treatments.find(({ id }) => id === trial?.treatmentId);
      if (!trial || !treatment) throw new Error(`there is no trial ${number}`);
      return { trial, treatment };
    },
  };
}

/**
 * Totals of one second with the given number of events of each operation, in transactions of ten. They waited 0.5 ms for a
 * connection and took `responseMs`. `changes` apply to the first operation.
 */
export function liveSecond(
  second: number,
  events: Readonly<Record<string, number>>,
  changes: Partial<Counts> = {},
  responseMs = 20,
): readonly [second: number, totals: Totals] {
  const operations = Object.keys(events);
  const totals = new Totals(operations, HistogramSet.ofTrials());
  for (const [operation, own] of Object.entries(events)) {
    Object.assign(totals.countsOf(operation), { transactions: own / 10, events: own });
    const samples = Math.ceil(own / 10);
    if (samples === 0) continue;
    totals.histograms.at(`${operation}.response`).recordValueWithCount(recordableUs(responseMs), samples);
    totals.histograms.at(`${operation}.poolwait`).recordValueWithCount(500, samples);
  }
  Object.assign(totals.countsOf(operations[0] ?? ""), changes);
  return [second, totals];
}

/** Totals of one second in which `events` events were added and archived, and twice as many processed. */
export function liveSecondOf(
  second: number,
  events: number,
  changes: Partial<Counts> = {},
): readonly [second: number, totals: Totals] {
  return liveSecond(second, { add: events, process: 2 * events, archive: events }, changes);
}

/** The result of a complete trial. */
export function endedTrial(number: number, changes: Partial<TrialResult> = {}): TrialResult {
  return { ...exampleTrial(0, number, 10), ...changes };
}

/** Reports a trial from its start to second 5 of its window. Second n has 100 n added events. */
export function inMidWindow(run: WatchedRun, number = 1): void {
  const { state, clock } = run;
  const { trial, treatment } = run.trial(number);
  state.trialStarted(trial, treatment);
  state.phaseStarted("reset", undefined);
  clock.ms += 1_000;
  state.phaseStarted("warm-up", 1_000);
  clock.ms += 1_000;
  state.phaseStarted("measure", 10_000);
  for (let second = 0; second < 5; second++) {
    clock.ms += 1_000;
    state.second(...liveSecondOf(second, 100 * (second + 1)));
    state.evidence({ "queue.pending": 10 * second, "locks.blocked": 1, "wait.Lock:tuple": 2 });
  }
}

/** A run of `calls` 10 s into a window of 500 iterations: 39 batches were loaded, one failed. */
export function inBudgetedWindow(): WatchedRun {
  const experiment = exampleExperiment(`
name: budgeted
workload: calls
trials: 3
actors:
  loaders: { load: { executor: shared-iterations, iterations: 500, maxDuration: 1h } }
  probes: false
`);
  const run = watchedRun({ experiment });
  const { trial, treatment } = run.trial(1);
  run.state.trialStarted(trial, treatment);
  run.state.phaseStarted("measure", undefined);
  run.clock.ms += 10_000;
  run.state.second(...liveSecond(0, { load: 360 }));
  run.state.second(...liveSecond(9, { load: 30 }, { failures: { "23505": 1 } }));
  return run;
}
