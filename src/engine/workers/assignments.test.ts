import fc from "fast-check";
import { expect, it } from "vitest";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { distributeWorkers } from "../../clients/deal.js";
import { renumberClients, assignmentsOf, workersToRestart } from "./assignments.js";
import type { Assignment } from "./protocol.js";
import { threadAssignmentsOf } from "./worker-memory.js";

interface Group {
  readonly workers: number;
  readonly clients: number;
  readonly [key: string]: string | number;
}

function settingsWith(groups: Record<string, Group>): TreatmentSettings {
  const actors = Object.fromEntries(
    Object.entries(groups).map(([role, { workers, clients, ...load }]) => [
      role,
      {
        workers,
        load: {
          executor: "constant-clients",
          clients,
          thinkTimeMs: { min: 0, max: 0 },
          rampUpMs: 0,
          ...load,
        },
      },
    ]),
  );
  return { actors } as unknown as TreatmentSettings;
}

const trial = { number: 1, block: 0, treatmentId: "text", seed: 7 };
const endpoints = [{ scheme: "postgresql", host: "127.0.0.1", port: 5432, database: "d", user: "u" }];
const rest = { trial, endpoints, prepared: true, logFile: "log.ndjson", directory: "trial" };

it("every client of every group is assigned to exactly one worker", () => {
  const group = fc
    .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 100 }))
    .map(([workers, more]) => ({ workers, clients: workers + more }));
  fc.assert(
    fc.property(group, group, (producers, consumers) => {
      const assignments = assignmentsOf({ ...rest, settings: settingsWith({ producers, consumers }) });
      expect(assignments).toHaveLength(producers.workers + consumers.workers);
      const numbers = assignments.flatMap((each) =>
        Array.from({ length: each.clients }, (_, client) => each.firstClientOfTrial + client),
      );
      expect(numbers).toEqual(Array.from({ length: producers.clients + consumers.clients }, (_, i) => i));
      const sizes = assignments.filter((each) => each.role === "producers").map((each) => each.clients);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

it("workers are assigned to endpoints by weight if each worker has an endpoint", () => {
  const homesOf = (more: object): (number | undefined)[] =>
    assignmentsOf({
      ...rest,
      settings: {
        ...settingsWith({ producers: { workers: 2, clients: 3 }, consumers: { workers: 2, clients: 2 } }),
        target: { kind: "url", urls: [{ url: "a", weight: 3 }, { url: "b" }] },
        pool: { strategy: "direct", reconnect: "never" },
        ...more,
      },
    }).map(({ homeEndpoint }) => homeEndpoint);
  expect(homesOf({})).toEqual([undefined, undefined, undefined, undefined]);
  expect(homesOf({ endpointPer: "worker" })).toEqual([0, 0, 1, 0]);
});

it("publishing workers alone have a ring of publish times, which every worker reads", () => {
  const settings = settingsWith({
    producers: { workers: 2, clients: 2 },
    consumers: { workers: 1, clients: 1 },
  });
  const assignments = threadAssignmentsOf(assignmentsOf({ ...rest, settings }));
  expect([...(assignments[2]?.shared.keys() ?? [])]).toEqual([0, 1]);
  expect(assignments[0]?.shared).toBe(assignments[2]?.shared);
});

it("a shared budget is divided among processes without a rest", () => {
  const load = { executor: "shared-iterations", iterations: 50, maxDuration: "1m" };
  const all = assignmentsOf({
    ...rest,
    settings: settingsWith({ producers: { workers: 3, clients: 7, ...load } }),
  });
  const remainingIterations = (workers: typeof all): number =>
    50 - (threadAssignmentsOf(workers)[0]?.sharedCounter[0] as number);
  expect(remainingIterations(all)).toBe(50);
  for (const agents of [2, 3]) {
    const parts = distributeWorkers(
      all.map(({ role }) => role),
      agents,
    ).map((dealt) => remainingIterations(dealt.map((worker) => all[worker] as Assignment)));
    expect(parts.reduce((sum, part) => sum + part)).toBe(50);
    expect(Math.min(...parts)).toBeGreaterThan(10);
  }
});

it("workers with iterations or arrivals are stopped before the window", () => {
  const settings = settingsWith({
    producers: { workers: 2, clients: 4, executor: "constant-arrival-rate" },
    consumers: { workers: 1, clients: 2 },
    archivers: { workers: 1, clients: 2, executor: "shared-iterations", iterations: 5, maxDurationMs: 1000 },
  });
  const assignments = assignmentsOf({ ...rest, settings });
  expect(workersToRestart(assignments)).toEqual([0, 1, 3]);
});

it("clients of workers with separate endpoints are numbered among themselves", () => {
  const group = { workers: 4, clients: 10 };
  const all = assignmentsOf({ ...rest, settings: settingsWith({ producers: group }) });
  const own = renumberClients(all.filter(({ ordinal }) => ordinal % 2 === 1));
  const numbers = own.map((each) => [
    each.ordinal,
    each.firstClientOfTrial,
    each.clients,
    each.clientsOfTrial,
  ]);
  expect(numbers).toEqual([
    [1, 0, 3, 5],
    [3, 3, 2, 5],
  ]);
});
