// The text of `run --plan`: which treatments, in which order, with which clients, for how long, and what a careful
// experimenter would object to. Made from the loaded experiment alone; it touches no database.
import { lint } from "../analysis/lint/lint.js";
import { conditions } from "../scenario/plan/conditions.js";
import type { Experiment, TreatmentSettings } from "../scenario/settings.js";
import { extentText } from "./validate.js";

const MAX_BLOCKS = 10;

/** Rows in columns as wide as their widest cell, indented. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
}

function order(experiment: Experiment): string[] {
  const { trials, treatments } = experiment;
  const isSequential = treatments.length > 1 && trials[1]?.block === 1;
  if (isSequential) return ["  sequential: every treatment's trials one after the other, as listed above"];
  const blocks = Math.max(...trials.map(({ block }) => block)) + 1;
  const lines = Array.from({ length: Math.min(blocks, MAX_BLOCKS) }, (_, block) => {
    const ids = trials.filter((trial) => trial.block === block).map(({ treatmentId }) => treatmentId);
    return `  block ${block + 1}: ${ids.join(", ")}`;
  });
  return blocks > MAX_BLOCKS ? [...lines, `  and ${blocks - MAX_BLOCKS} more blocks`] : lines;
}

/** What a careful experimenter would object to, and what the machine may. */
export function planWarnings(experiment: Experiment): string[] {
  const isCrowded = experiment.treatments.some(
    ({ settings: { pool, actors } }) =>
      pool.strategy === "direct" && pool.reconnect === "never" && clientsOf(actors) > 500,
  );
  return [
    ...lint(experiment).map(({ words }) => words),
    ...(isCrowded
      ? ["more than 500 direct connections: see `npx train-sim doctor` for this machine's limits"]
      : []),
  ];
}

function clientsOf(actors: TreatmentSettings["actors"]): number {
  return Object.values(actors).reduce((sum, { load }) => sum + load.clients, 0);
}

const OF_A_SEARCH =
  "With --find-capacity these trials only confirm the rate found for each treatment, and arrivals come at that rate.\n" +
  "How many trials find the rates, and how long that takes, is not known in advance. Each window lasts at least 2 s.";

/** The plan of an experiment, for people; ends with a line break. `isSearch`: its capacity is to be found. */
export function renderPlan(experiment: Experiment, isSearch = false): string {
  const paths = Object.keys(experiment.treatments[0]?.levels ?? {});
  const treatments = experiment.treatments.map(({ id, levels }) => [
    id,
    ...paths.map((path) => levels[path] ?? ""),
  ]);
  const warnings = planWarnings(experiment);
  const sections: [string, string[]][] = [
    [`${experiment.name} (seed ${experiment.seed})`, [`  ${extentText(experiment)}`]],
    ["Treatments", columns([["id", ...paths], ...treatments])],
    ["Conditions", columns(conditions(experiment))],
    ["Order of trials", order(experiment)],
    [
      "Thresholds",
      [
        ...experiment.thresholds.map(
          ({ metric, expression, abortOnFail }) =>
            `  ${metric}: ${expression}${abortOnFail ? ", aborts" : ""}`,
        ),
        ...experiment.ratioThresholds.map(({ metric, expression }) => `  ${metric}: ${expression}`),
      ],
    ],
    ["Warnings", warnings.map((text) => `  - ${text}`)],
  ];
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines].join("\n"));
  if (isSearch) text.push(OF_A_SEARCH);
  return `${text.join("\n\n")}\n\nTimes exclude start-up, resets and integrity checks. Nothing was run.\n`;
}
