// Problems of a refused scenario in the form that a user reads, in the order of the file. Any other error is passed on as a
// fault of the program.
import type { Overrides } from "../../src/scenario/plan/overrides.js";
import { parseScenario } from "../../src/scenario/loader.js";
import { problemText, ScenarioError } from "../../src/syntax/problems.js";

/** Problems of a scenario in a file `x.yaml`; empty if it is valid. */
export function scenarioProblems(yaml: string, overrides: Overrides = {}): string[] {
  try {
    parseScenario(yaml, "x.yaml", overrides);
    return [];
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems.map(problemText);
    throw error;
  }
}
