// The time of a transaction as stacked bars. The parts of a bar add up to the mean response time.
import type { LatencyPart, OperationResults } from "../../../../results/result-schema.js";
import { plotBars, type Bar, type BarPanel } from "./bar-panels.js";
import { chosenValue, type Chart, type Control, type View } from "./drawing.js";
import { commonPartColour } from "./theme.js";
import { whyNoValues } from "./trial-values.js";
import { operationName } from "./view.js";

const TRANSACTIONS_CONTROL: Control = {
  id: "of",
  label: "Of",
  choices: [
    ["mean", "all transactions"],
    ["slow", "the slowest of each second"],
  ],
};

/** Parts of every operation in the order of the bar: FIRST, then the operation's statements, then LAST. */
const PARTS_BEFORE_STATEMENTS = ["startDelay", "poolWait", "begin"];
const PARTS_AFTER_STATEMENTS = ["appDelay", "commit", "rollback", "release", "backoff", "program"];
const PART_NAMES: Readonly<Record<string, string>> = {
  startDelay: "start delay",
  poolWait: "pool wait",
  begin: "begin",
  appDelay: "app delay",
  program: "train-sim itself",
};

function operationResultsOf(view: View, treatment: string): OperationResults | undefined {
  const treatmentResult = view.report.result.treatments.find(({ id }) => id === treatment);
  if (typeof view.trials !== "number") return treatmentResult?.merged?.operations;
  return treatmentResult?.trials.find(({ number }) => number === view.trials)?.operations;
}

function partsOf(view: View, treatment: string, operation: string): readonly LatencyPart[] {
  return operationResultsOf(view, treatment)?.[operation]?.parts ?? [];
}

/** Names of all parts in the order of a transaction; statements stand in the order in which they first occur. */
function partNamesIn(view: View): string[] {
  const all = new Set(
    view.report.result.treatments.flatMap(({ id }) =>
      view.operations.flatMap((operation) => partsOf(view, id, operation).map(({ name }) => name)),
    ),
  );
  const statements = [...all].filter(
    (name) => !PARTS_BEFORE_STATEMENTS.includes(name) && !PARTS_AFTER_STATEMENTS.includes(name),
  );
  return [...PARTS_BEFORE_STATEMENTS, ...statements, ...PARTS_AFTER_STATEMENTS].filter((name) =>
    all.has(name),
  );
}

/** Names of the parts that share a bar with `name`, in any treatment and operation. */
function neighbours(view: View, name: string): Set<string> {
  const bars = view.report.result.treatments.flatMap(({ id }) =>
    view.operations.map((operation) => partsOf(view, id, operation).map((part) => part.name)),
  );
  return new Set(bars.filter((names) => names.includes(name)).flat());
}

/**
 * Colours by name. Parts of every operation have fixed colours. Two statements may share a colour unless a bar has both of
 * them.
 */
function coloursByPart(view: View, names: readonly string[]): Map<string, string> {
  const common = [...PARTS_BEFORE_STATEMENTS, ...PARTS_AFTER_STATEMENTS];
  const colours = new Map(common.map((name, i) => [name, commonPartColour(view.theme, i)]));
  for (const name of names.filter((each) => !common.includes(each))) {
    const usedColours = new Set([...neighbours(view, name)].map((each) => colours.get(each)));
    const freeColour = view.theme.parts.find((colour) => !usedColours.has(colour));
    colours.set(name, freeColour ?? view.theme.rest);
  }
  return new Map(names.map((name) => [PART_NAMES[name] ?? name, colours.get(name) ?? view.theme.rest]));
}

function panelOf(
  view: View,
  operation: string,
  names: readonly string[],
  isSlowestChosen: boolean,
): BarPanel {
  const parts = new Map<string, Map<string, Bar>>();
  for (const name of names) {
    const bars = new Map<string, Bar>();
    for (const { id } of view.treatments) {
      const part = partsOf(view, id, operation).find((each) => each.name === name);
      const value = isSlowestChosen ? part?.slowMeanMs : part?.meanMs;
      if (value !== undefined) bars.set(id, { value });
    }
    if (bars.size > 0) parts.set(PART_NAMES[name] ?? name, bars);
  }
  return { title: operationName(operation), unit: "ms", parts };
}

export const parts: Chart = {
  id: "parts",
  title: "Latency breakdown",
  lead: "Response time cut into its parts. Waiting for a connection is the pool's, a statement's time is the database's or its locks', app delay is what the scenario asked for. Behind a pooler, the wait for a server connection is in the first call of a transaction.",
  controls: () => [TRANSACTIONS_CONTROL],
  draw: (view) => {
    const isSlowestChosen = chosenValue(view, TRANSACTIONS_CONTROL) === "slow";
    const names = partNamesIn(view);
    const panels = view.operations
      .map((operation) => panelOf(view, operation, names, isSlowestChosen))
      .filter((panel) => panel.parts.size > 0);
    if (panels.length === 0)
      return whyNoValues(view, "", "the parts of response times were not kept for what is shown.");
    const partColours = coloursByPart(view, names);
    const which = isSlowestChosen
      ? "Means over the slowest transaction of each second and worker: what the tail is made of."
      : "Means over all committed transactions of complete trials; the parts add up to the mean response time.";
    return plotBars(
      {
        caption: "Parts of the response time, by operation and treatment",
        panels,
        partColours,
        hasOneScale: true,
        note: which,
      },
      view,
      360,
    );
  },
};
