import { expect, it } from "vitest";
import { parseScenario } from "../scenario/loader.js";
import type { Role } from "../scenario/settings.js";
import { keepsTime } from "./phase.js";

function worker(role: Role, groupClients: number, load: string, appDelay = "0") {
  const yaml = `name: t\npayload: text\nappDelay: ${appDelay}\nactors: { ${role}: { load: { ${load} } } }\n`;
  const [treatment] = parseScenario(
    role === "cycle" ? `${yaml}topology: cycle\n` : yaml,
    "a test's own",
  ).treatments;
  if (!treatment) throw new Error("no treatment");
  return { role, groupClients, settings: treatment.settings };
}

it.each([
  ["arrivals", worker("producers", 8, "executor: constant-arrival-rate, rate: 4000, maxClients: 8"), true],
  ["think times", worker("producers", 8, "clients: 8, thinkTime: 100ms"), true],
  ["random think times", worker("readers", 8, "clients: 8, thinkTime: { min: 0, max: 8ms }"), true],
  ["those of a cycle", worker("cycle", 8, "clients: 8"), true],
  ["delays inside of a transaction alone", worker("consumers", 8, "clients: 8", "5ms"), false],
  ["no pauses", worker("consumers", 8, "clients: 8"), false],
  ["more pauses than can be told apart", worker("producers", 512, "clients: 512, thinkTime: 100ms"), false],
])("keeps time for %s", (_, assignment, isKept) => {
  expect(keepsTime(assignment)).toBe(isKept);
});
