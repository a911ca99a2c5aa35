// Text of `run --plan`, made from the loaded experiment alone; it touches no database.
import {
  DIFFERENCE_SIZES,
  plannedReach,
  type PlannedReach,
  type PlannedTrials,
} from "../analysis/comparison/planned-reach.js";
import { boundsAfter, looksUpTo } from "../analysis/comparison/stopping.js";
import { PLAIN_BOUNDS } from "../analysis/statistics/limits.js";
import { PLANNED_TRIALS_MAX } from "../analysis/statistics/trials-to-decide.js";
import { lint } from "../analysis/lint/lint.js";
import { shortNumber } from "../foundation/text/numbers.js";
import { labelOf } from "../metrics/metric-lists.js";
import { operationName } from "../metrics/names.js";
import type { ResultDocument } from "../results/result-schema.js";
import { unitOf } from "../workloads/vocabulary.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { counted, formatDuration } from "../foundation/units.js";
import { conditions } from "../scenario/plan/conditions.js";
import type { Experiment, TreatmentSettings } from "../scenario/settings.js";
import { extentDocument, extentText } from "./validate.js";

const LISTED_BLOCKS_MAX = 10;

/** Lines of rows in columns as wide as their widest cell, indented. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
}

function order(experiment: Experiment): string[] {
  const { trials, treatments } = experiment;
  const isSequential = treatments.length > 1 && trials[1]?.block === 1;
  if (isSequential) return ["  sequential: every treatment's trials one after the other, as listed above"];
  const blocks = Math.max(...trials.map(({ block }) => block)) + 1;
  const lines = Array.from({ length: Math.min(blocks, LISTED_BLOCKS_MAX) }, (_, block) => {
    const blockTrials = trials.filter((trial) => trial.block === block);
    const ids = blockTrials.map(({ treatmentId }) => treatmentId);
    return `  block ${block + 1}: ${ids.join(blockTrials.some(({ duet }) => duet) ? " beside " : ", ")}`;
  });
  return blocks > LISTED_BLOCKS_MAX ? [...lines, `  and ${blocks - LISTED_BLOCKS_MAX} more blocks`] : lines;
}

/** Lines on when the experiment may end before its last block. */
function stoppingLines({ stopping }: Experiment): string[] {
  if (!stopping) return [];
  const { min, max, within, budgetMs, race } = stopping;
  const percent = Number((within * 100).toFixed(1));
  const looks = min === undefined ? [] : looksUpTo(max, { min, max });
  const rule = race
    ? [
        `  treatments that are surely worse than the best in "${race.words}" leave`,
        `  once those that are left are the same within ${percent} %, looked at after ${looks.join(", ")} blocks`,
      ]
    : [
        `  once every comparison of interest is a finding or the same within ${percent} %, ` +
          `looked at after ${looks.join(", ")} blocks`,
      ];
  return [
    ...(looks.length > 0 ? rule : []),
    ...(budgetMs === undefined ? [] : [`  no block begins after ${formatDuration(budgetMs)}`]),
  ];
}

function shareText(share: number): string {
  return `${shortNumber(share * 100)} %`;
}

/** Largest number of trials of each treatment, number of treatments compared, and level at which the last look claims. */
function plannedTrials({ trials, treatments, stopping }: Experiment): PlannedTrials {
  const most = trials.length / treatments.length;
  const { level } = stopping ? boundsAfter(most, stopping, looksUpTo(most, stopping)) : PLAIN_BOUNDS;
  return { trials: most, compared: treatments.length - 1, level };
}

export function reachOfPlan(experiment: Experiment, earlier: ResultDocument): PlannedReach[] {
  return plannedReach(earlier, plannedTrials(experiment));
}

function detectableDifferenceLines(experiment: Experiment, earlier: ResultDocument): string[] {
  const { trials } = plannedTrials(experiment);
  const unit = (operation: string): string => unitOf(earlier.workload, operation);
  const rows = reachOfPlan(experiment, earlier).map(
    ({ operation, metric, spread, finds, trials: needed }) => [
      `${operationName(operation)} ${labelOf(metric, unit(operation))}`,
      shareText(spread),
      finds === undefined ? "nothing" : shareText(finds),
      ...needed.map((each) => (each === undefined ? `over ${PLANNED_TRIALS_MAX}` : String(each))),
    ],
  );
  if (rows.length === 0) return ["  not known: no treatment of the earlier result has two complete trials"];
  const sizes = DIFFERENCE_SIZES.map((size) => `trials for ${shareText(size)}`);
  return [
    ...columns([["", "spread", `found with ${counted(trials, "trial")}`, ...sizes], ...rows]),
    "  In 4 of 5 experiments, if trials vary as they did there. Spread: standard deviation of the ratio within a block.",
  ];
}

export function planWarnings(experiment: Experiment): string[] {
  const hasManyDirectConnections = experiment.treatments.some(
    ({ settings: { pool, actors } }) =>
      pool.strategy === "direct" && pool.reconnect === "never" && clientsOf(actors) > 500,
  );
  return [
    ...(experiment.ignoredVariables ?? []),
    ...lint(experiment).map(({ words }) => words),
    ...(hasManyDirectConnections
      ? ["more than 500 direct connections: see `npx train-sim doctor` for this machine's limits"]
      : []),
  ];
}

function clientsOf(actors: TreatmentSettings["actors"]): number {
  return Object.values(actors).reduce((sum, { load }) => sum + load.clients, 0);
}

const CAPACITY_SEARCH_NOTE =
  "With --find-capacity these trials only confirm the rate found for each treatment, and arrivals come at that rate.\n" +
  "How many trials find the rates, and how long that takes, is not known in advance. Each window lasts at least 2 s.";

/**
 * The plan as text that ends with a line break. `isCapacitySearch` is true if capacity is searched; `earlier` is a result whose
 * trials show how much trials vary.
 */
export function renderPlan(
  experiment: Experiment,
  isCapacitySearch = false,
  earlier?: ResultDocument,
): string {
  const factorPaths = Object.keys(experiment.treatments[0]?.levels ?? {});
  const treatments = experiment.treatments.map(({ id, levels }) => [
    id,
    ...factorPaths.map((path) => levels[path] ?? ""),
  ]);
  const warnings = planWarnings(experiment);
  const sections: [string, string[]][] = [
    [`${experiment.name} (seed ${experiment.seed})`, [`  ${extentText(experiment)}`]],
    ["Treatments", columns([["id", ...factorPaths], ...treatments])],
    ["Conditions", columns(conditions(experiment))],
    ["Order of trials", order(experiment)],
    ["End", stoppingLines(experiment)],
    ["Differences that can be found", earlier ? detectableDifferenceLines(experiment, earlier) : []],
    [
      "Thresholds",
      [
        ...[...experiment.thresholds, ...experiment.ratioThresholds].map(
          ({ metric, expression, abortOnFail }) =>
            `  ${metric}: ${expression}${abortOnFail ? ", aborts" : ""}`,
        ),
      ],
    ],
    ["Warnings", warnings.map((text) => `  - ${text}`)],
  ];
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines].join("\n"));
  if (isCapacitySearch) text.push(CAPACITY_SEARCH_NOTE);
  return `${text.join("\n\n")}\n\nStart-up, new tables, preloads and audits come on top of the load and are not estimated. Nothing was run.\n`;
}

/** The plan as `run --plan` prints it. `earlier` is a result that shows how much trials vary. */
export function planAs(
  form: "json" | "text",
  experiment: Experiment,
  isCapacitySearch: boolean,
  earlier?: ResultDocument,
): string {
  if (form === "text") return escapeControlCharacters(renderPlan(experiment, isCapacitySearch, earlier));
  const document = {
    ...extentDocument(experiment, isCapacitySearch),
    ...(earlier && { reach: reachOfPlan(experiment, earlier) }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
