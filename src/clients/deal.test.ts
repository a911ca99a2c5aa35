import { expect, it } from "vitest";
import { deal, groupsOfWorkers } from "./deal.js";

const GROUPS = groupsOfWorkers({
  producers: { workers: 4 },
  consumers: { workers: 3 },
  archivers: { workers: 1 },
});

it.each([
  ["to all in turns", 3, {}, ["ppc", "pca", "pc"]],
  ["to one", 1, {}, ["ppppccca"]],
  ["by group", 3, { producers: 2, consumers: 1 }, ["ppa", "pp", "ccc"]],
  ["by group, the others to those that are left", 3, { consumers: 1 }, ["ccc", "ppa", "pp"]],
])("are dealt %s", (_, agents, place, expected) => {
  const names = deal(GROUPS, agents, place).map((workers) =>
    workers.map((worker) => GROUPS[worker]?.[0]).join(""),
  );
  expect(names.map(sorted)).toEqual(expected.map(sorted));
  expect(deal(GROUPS, agents, place).flat().sort()).toEqual(GROUPS.map((__, worker) => worker));
});

const sorted = (letters: string): string => Array.from(letters).sort().join("");
