// Requirements on a scenario for a duet.
import { expect, it } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { renderPlan } from "../cli/plan.js";
import { extentText } from "../cli/validate.js";
import { parseScenario } from "./loader.js";

const DUET = "name: x\nseed: 3\norder: duet\ntrial: { warmUp: 2s, duration: 8s, drain: false }\n";
const TWO = "factors: { payload: [text, jsonb] }\n";

it("a duet takes as long as one of its treatments", () => {
  const experiment = parseScenario(`${DUET}${TWO}trials: 6`, "x.yaml");
  expect(extentText(experiment)).toBe("2 treatments x 6 trials = 12 trials, load of 1m");
  expect(renderPlan(experiment)).toMatch(/block 1: (text beside jsonb|jsonb beside text)\n/);
});

it.each([
  [
    "factors: { payload: [text, jsonb, jsonb-manual] }",
    "x.yaml:3:8 order: a duet has two treatments, not 3; leave the others out",
  ],
  [
    `${TWO}target: postgresql://u@db:5432/d`,
    "x.yaml:6:9 target: a duet needs two servers of the same kind at once; leave target out, or name a container",
  ],
  [`${TWO}agents: 2`, "x.yaml:6:9 agents: a duet runs in this process alone; leave agents out"],
  [
    `${TWO}faults: [{ at: 1s, kind: postgres-kill }]`,
    "x.yaml:6:9 faults: a fault would disturb both sides of a duet; use order: interleaved",
  ],
  [
    `${TWO}actors: { producers: { load: { executor: shared-iterations, iterations: 80, clients: 4 } } }`,
    "x.yaml:6:9 actors: windows of a duet end at the same moment, not with iterations; use clients or a rate",
  ],
])("a duet with %j is refused", (keys, problem) => {
  expect(scenarioProblems(DUET + keys)).toEqual([problem]);
});
