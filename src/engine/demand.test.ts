// What is asked before anything starts: counted right for every pool, refused with the number to raise.
import { expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { parseScenario } from "../scenario/loader.js";
import type { Treatment } from "../scenario/settings.js";
import { mostServerConnections, openFilesOf, requireOpenFiles, serverConnectionsOf } from "./demand.js";

function treatment(more: string): Treatment {
  const [first] = parseScenario(`name: d\ntopology: cycle\n${more}\n`, "d.yaml").treatments;
  if (!first) throw new Error("a scenario has a treatment");
  return first;
}
const CYCLE = "actors: { cycle: { workers: 3, load: { executor: constant-clients, clients: 512 } } }";

it.each([
  ["direct", 512],
  ["{ strategy: pg-pool, size: 64 }", 64],
  ["{ strategy: pg-pool, size: 9000 }", 512],
  ["{ strategy: pgbouncer, mode: transaction, size: 32, instances: 2 }", 64],
])("counts the server's connections of pool %s", (pool, connections) => {
  expect(serverConnectionsOf(treatment(`pool: ${pool}\n${CYCLE}`).settings)).toBe(connections);
});

it("spreads them over the servers of the target", () => {
  const urls =
    'target: { kind: url, urls: ["postgresql://u@a/d", "postgresql://u@b/d", "postgresql://u@c/d"] }';
  expect(serverConnectionsOf(treatment(`${urls}\n${CYCLE}`).settings)).toBe(171);
});

it("asks the server for what the most demanding treatment needs and some for itself", () => {
  const treatments = [treatment(CYCLE), treatment(`pool: { strategy: pg-pool, size: 4 }\n${CYCLE}`)];
  expect(mostServerConnections(treatments)).toBeGreaterThan(512);
});

it("refuses more clients than open files, with the number to raise", () => {
  const one = treatment(CYCLE);
  expect(openFilesOf(one.settings)).toBeGreaterThan(512);
  expect(() => requireOpenFiles([one], 10_000)).not.toThrow();
  expect(() => requireOpenFiles([one], 400)).toThrow(UsageError);
  expect(() => requireOpenFiles([one], 400)).toThrow(/512 clients .* limit of this process is 400/);
});
