// The reader's choice in the address after `#`: `#hide=text&trials=3&latency.percentile=p50`. Unknown parts are ignored, so
// that an old address never breaks a new report.

export interface FilterState {
  readonly hiddenTreatments: readonly string[];
  readonly hiddenOperations: readonly string[];
  readonly trials: "all" | "each" | number;
  /** Choices that differ from the defaults, by chart and then by control. */
  readonly choices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const DEFAULT_FILTER_STATE: FilterState = {
  hiddenTreatments: [],
  hiddenOperations: [],
  trials: "all",
  choices: {},
};

const TREATMENT_PARAMETER = "hide";
const OPERATION_PARAMETER = "hide-operation";
const TRIALS_PARAMETER = "trials";

/** Hash of an address, without the `#`, for these choices; empty if all are the defaults. */
export function stateToHash(state: FilterState): string {
  const parameters = new URLSearchParams();
  for (const id of state.hiddenTreatments) parameters.append(TREATMENT_PARAMETER, id);
  for (const operation of state.hiddenOperations) parameters.append(OPERATION_PARAMETER, operation);
  if (state.trials !== "all") parameters.set(TRIALS_PARAMETER, String(state.trials));
  for (const [chart, controls] of Object.entries(state.choices))
    for (const [control, value] of Object.entries(controls)) parameters.set(`${chart}.${control}`, value);
  return parameters.toString();
}

/** Choices in the hash of an address, with or without `#`. A plain anchor such as `#numbers` has none. */
export function stateFromHash(hash: string): FilterState {
  const text = hash.replace(/^#/, "");
  if (!text.includes("=")) return DEFAULT_FILTER_STATE;
  const parameters = new URLSearchParams(text);
  const choices: Record<string, Record<string, string>> = {};
  for (const [key, value] of parameters) {
    const match = /^([a-z][a-z-]*)\.([a-z]+)$/.exec(key);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    choices[match[1]] = { ...choices[match[1]], [match[2]]: value };
  }
  const trials = parameters.get(TRIALS_PARAMETER) ?? "all";
  return {
    hiddenTreatments: parameters.getAll(TREATMENT_PARAMETER),
    hiddenOperations: parameters.getAll(OPERATION_PARAMETER),
    trials: trials === "each" ? "each" : /^\d+$/.test(trials) ? Number(trials) : "all",
    choices,
  };
}

export function stateWithChoice(
  state: FilterState,
  chart: string,
  control: string,
  value: string,
): FilterState {
  return {
    ...state,
    choices: { ...state.choices, [chart]: { ...state.choices[chart], [control]: value } },
  };
}
