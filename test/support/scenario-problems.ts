// What a user would read of a scenario that is refused: every problem as it is printed, in the order of the file. Anything
// else that is thrown is a fault of the program, and passed on.
import type { Overrides } from "../../src/scenario/plan/overrides.js";
import { parseScenario } from "../../src/scenario/loader.js";
import { problemText, ScenarioError } from "../../src/syntax/problems.js";

/** None where it is valid; the text stands in a file `x.yaml`. */
export function scenarioProblems(yaml: string, overrides: Overrides = {}): string[] {
  try {
    parseScenario(yaml, "x.yaml", overrides);
    return [];
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems.map(problemText);
    throw error;
  }
}
