// `agents` in a scenario: a number, or a number with roles that have separate agents.
import { describe, expect, it } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { parseScenario } from "./loader.js";
import { conditions } from "./plan/conditions.js";

const PLACED = "name: x\nagents: { count: 4, place: { producers: 2, consumers: 1 } }\n";

describe("agents of a scenario", () => {
  it("have a count, and a role with separate agents has a thread on each of them", () => {
    const [treatment] = parseScenario(PLACED, "scenario.yaml").treatments;
    const { agents, agentPlace, actors } = treatment?.settings ?? expect.fail("no treatment");
    expect([agents, agentPlace]).toEqual([4, { producers: 2, consumers: 1 }]);
    expect(Object.values(actors).map(({ workers }) => workers)).toEqual([2, 1, 1]);
  });

  it("are among the experiment's conditions", () => {
    const findingsOf = (yaml: string): string[][] =>
      conditions(parseScenario(yaml, "scenario.yaml")).filter(([name]) => name === "agents");
    expect(findingsOf(PLACED)).toEqual([["agents", "4 (2 for producers, 1 for consumers)"]]);
    expect(findingsOf("name: x\nagents: 2\n")).toEqual([["agents", "2"]]);
    expect(findingsOf("name: x\n")).toEqual([]);
  });

  it("have a number of poolers each, which the conditions state", () => {
    const findingsOf = (placement: string): string[][] =>
      conditions(
        parseScenario(
          `name: x\nagents: 2\npool: { strategy: pgbouncer, size: 8, instances: 3, placement: ${placement} }\n`,
          "scenario.yaml",
        ),
      ).filter(([name]) => name === "pool");
    const each = "pgbouncer, transaction mode, 8 server connections each";
    expect(findingsOf("agent")).toEqual([["pool", `${each}, 3 managed with each of 2 agents`]]);
    expect(findingsOf("central")).toEqual([["pool", `${each}, 3 managed`]]);
  });

  it("keep their placement if a flag changes their number", () => {
    const countOf = (yaml: string, set: string[] = []): unknown => {
      const [treatment] = parseScenario(yaml, "scenario.yaml", { agents: 3, set }).treatments;
      return [treatment?.settings.agents, treatment?.settings.agentPlace];
    };
    expect(countOf(PLACED)).toEqual([3, { producers: 2, consumers: 1 }]);
    expect(countOf("name: x\n", ["agents={ count: 9, place: { archivers: 1 } }"])).toEqual([
      3,
      { archivers: 1 },
    ]);
    expect(countOf("name: x\nagents: 9\n")).toEqual([3, undefined]);
  });

  it("keep their placement if the hosts of ssh change their number", () => {
    const [treatment] = parseScenario(PLACED, "scenario.yaml", { agentHosts: 3 }).treatments;
    expect(treatment?.settings).toMatchObject({ agents: 3, agentPlace: { producers: 2, consumers: 1 } });
  });

  it.each([
    [
      "{ count: 2, place: { readers: 1 } }",
      "agents.place.readers: there is no such role; there are: producers,",
    ],
    [
      "{ count: 2, place: { producers: 2, consumers: 1 } }",
      "agents.place: 3 agents for the roles, and there are 2",
    ],
    ["{ count: 2, place: { producers: 0 } }", "agents.place.producers"],
    ["{ place: { producers: 1 } }", "agents.count"],
    ["9", "agents: 9 agents for 7 worker threads"],
    ["many", "agents"],
  ])("are refused if they are %s", (agents, message) => {
    const problems = scenarioProblems(`name: x\nactors: { producers: { workers: 1 } }\nagents: ${agents}\n`);
    expect(problems.join("\n")).toContain(message);
    expect(problems).toHaveLength(1);
  });
});
