import { expect, it } from "vitest";
import { distributeWorkers, rolesOfWorkers } from "./deal.js";

const GROUPS = rolesOfWorkers({
  producers: { workers: 4 },
  consumers: { workers: 3 },
  archivers: { workers: 1 },
});

it.each([
  ["in turns to all", 3, {}, ["ppc", "pca", "pc"]],
  ["all to a single agent", 1, {}, ["ppppccca"]],
  ["by role, as the scenario states", 3, { producers: 2, consumers: 1 }, ["ppa", "pp", "ccc"]],
  ["by role, other roles to the other agents", 3, { consumers: 1 }, ["ccc", "ppa", "pp"]],
])("workers are distributed over agents: %s", (_, agents, place, expected) => {
  const names = distributeWorkers(GROUPS, agents, place).map((workers) =>
    workers.map((worker) => GROUPS[worker]?.[0]).join(""),
  );
  expect(names.map(sortLetters)).toEqual(expected.map(sortLetters));
  expect(distributeWorkers(GROUPS, agents, place).flat().sort()).toEqual(GROUPS.map((__, worker) => worker));
});

const sortLetters = (letters: string): string => Array.from(letters).sort().join("");
