import { expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { busiestServerConnections, loadOfAgents } from "../../scenario/connections.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "../../scenario/settings.js";
import { mostServerConnections, openFilesOf, requireMachineLimits, shortageOf } from "./demand.js";

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
])("pool %s needs %d connections of the server", (pool, connections) => {
  expect(busiestServerConnections(treatment(`pool: ${pool}\n${CYCLE}`).settings)).toBe(connections);
});

it("server connections are spread over the servers of the target", () => {
  const urls =
    'target: { kind: url, urls: ["postgresql://u@a/d", "postgresql://u@b/d", "postgresql://u@c/d"] }';
  expect(busiestServerConnections(treatment(`${urls}\n${CYCLE}`).settings)).toBe(171);
});

it("a managed PgBouncer per server counts with its whole pool", () => {
  const urls =
    'target: { kind: url, urls: ["postgresql://u@a/d", "postgresql://u@b/d", "postgresql://u@c/d"] }';
  const pool = (more: string) => `pool: { strategy: pgbouncer, mode: transaction, size: 60${more} }`;
  const connections = (more: string) =>
    busiestServerConnections(treatment(`${urls}\n${pool(more)}\n${CYCLE}`).settings);
  expect(connections("")).toBe(60);
  expect(connections(", instances: 4")).toBe(120);
  expect(connections(", instances: 40")).toBe(171);
});

it("the demand of PgBouncers on agents is bounded by their pools and by their agent's clients", () => {
  const atAgents = (size: number, agents: number): Treatment =>
    treatment(
      `agents: ${agents}\npool: { strategy: pgbouncer, size: ${size}, instances: 2, placement: agent }\n${CYCLE}`,
    );
  expect(busiestServerConnections(atAgents(10, 2).settings)).toBe(40);
  expect(busiestServerConnections(atAgents(10, 3).settings)).toBe(60);
  // 341 clients are on one agent, 171 on the other.
  expect(busiestServerConnections(atAgents(100, 2).settings)).toBe(371);
  expect(mostServerConnections([atAgents(10, 3)], atAgents(10, 3))).toBeGreaterThan(60);
});

it("server connections are counted for the server of the largest weight", () => {
  const target = 'target: { urls: [{ url: "postgresql://u@a/d", weight: 3 }, "postgresql://u@b/d"] }';
  expect(busiestServerConnections(treatment(`${target}\n${CYCLE}`).settings)).toBe(384);
});

it("counts server connections by the server with the most clients if each worker has an endpoint", () => {
  const connections = (more: string): number =>
    busiestServerConnections(
      treatment(
        `target: { urls: ["postgresql://u@a/d", "postgresql://u@b/d"] }\nendpointPer: worker\n${more}\n${CYCLE}`,
      ).settings,
    );
  // Three workers have 171, 171 and 170 clients. The first and the third worker use the first server.
  expect(connections("")).toBe(341);
  expect(connections("pool: { strategy: pg-pool, size: 10 }")).toBe(7);
  const pooled = "pool: { strategy: pgbouncer, mode: transaction, size: 200, instances: 3 }";
  expect(connections(pooled)).toBe(342);
});

it("an embedded server needs connections of the largest treatment and spare ones", () => {
  const treatments = [treatment(CYCLE), treatment(`pool: { strategy: pg-pool, size: 4 }\n${CYCLE}`)];
  for (const one of treatments) expect(mostServerConnections(treatments, one)).toBeGreaterThan(512);
});

it("a stated max_connections applies only to treatments of that server", () => {
  const stated = "target: { kind: embedded, settings: { Max_Connections: 50 } }";
  const few = treatment(`${stated}\npool: { strategy: pg-pool, size: 4 }\n${CYCLE}`);
  const others = "target: { kind: embedded, settings: { max_connections: 600 } }";
  const many = treatment(`${others}\n${CYCLE}`);
  expect(mostServerConnections([few, many], few)).toBeLessThan(20);
  expect(mostServerConnections([few, many], many)).toBeGreaterThan(512);
});

const ROOM = { openFiles: 10_000, localPorts: 28_000 };

it("more clients than open files are refused with the limit to raise", () => {
  const one = treatment(CYCLE);
  expect(openFilesOf(one.settings)).toBeGreaterThan(512);
  expect(() => requireMachineLimits([one], ROOM)).not.toThrow();
  const refused = shortageOf(one.settings, { ...ROOM, openFiles: 400 });
  expect(refused?.words).toMatch(/^512 clients need about \d+ open files, .* limit of this process is 400$/);
  expect(refused?.remedy).toContain(`\`ulimit -n ${openFilesOf(one.settings)}\``);
  expect(() => requireMachineLimits([one], { ...ROOM, openFiles: 400 })).toThrow(UsageError);
});

it("open files include the server connections of a managed PgBouncer", () => {
  const pool = "pool: { strategy: pgbouncer, mode: transaction, size: 300 }";
  const managed = openFilesOf(treatment(`${pool}\n${CYCLE}`).settings);
  expect(managed).toBeGreaterThan(512 + 300);
  const external = pool.replace("size: 300", 'size: 300, urls: ["postgresql://u@h/d"]');
  expect(openFilesOf(treatment(`${external}\n${CYCLE}`).settings)).toBeLessThan(managed);
});

it("open files include two connections per client of a network fault's proxy", () => {
  const faults = "faults: [{ at: 1s, for: 1s, kind: network-latency, latency: 5ms }]";
  expect(openFilesOf(treatment(`${faults}\n${CYCLE}`).settings)).toBe(
    openFilesOf(treatment(CYCLE).settings) + 2 * 512,
  );
});

it("clients on agents count against their agent's limits", () => {
  const one = treatment(`agents: 2\n${CYCLE}`);
  const small = { ...ROOM, openFiles: 400 };
  expect(() => requireMachineLimits([one], small)).not.toThrow();
  const [first, second] = loadOfAgents(one.settings);
  expect([first, second].map((part) => part?.clients)).toEqual([341, 171]);
  expect(shortageOf(one.settings, small, first, "a")?.words).toMatch(
    /^341 clients .* limit of agent a is 400$/,
  );
  expect(shortageOf(one.settings, small, second, "b")).toBeUndefined();

  const central = treatment(`agents: 2\npool: { strategy: pgbouncer, size: 300 }\n${CYCLE}`);
  expect(() => requireMachineLimits([central], small)).toThrow(/512 clients/);
  const atAgents = treatment(
    `agents: 2\npool: { strategy: pgbouncer, size: 100, placement: agent }\n${CYCLE}`,
  );
  expect(() => requireMachineLimits([atAgents], small)).not.toThrow();
});

it("more connections than local ports to one port are refused, and accepted over several ports", () => {
  const pool = "pool: { strategy: pgbouncer, mode: transaction, size: 8, instances: 1 }";
  const one = treatment(`${pool}\n${CYCLE}`);
  expect(shortageOf(one.settings, { ...ROOM, localPorts: 300 })?.words).toMatch(/need 512 local ports/);
  const two = treatment(`${pool.replace("instances: 1", "instances: 2")}\n${CYCLE}`);
  expect(shortageOf(two.settings, { ...ROOM, localPorts: 300 })).toBeUndefined();
});
