// Workload calls on the built program: each storage, index, way of insertion and size of a transaction loads exactly the
// calls of its batches, even while connections break.
import { expect, it } from "vitest";
import { PROBES, resultOf } from "../support/day-of-calls.js";

it("workload calls loads the same day with each storage, set of indexes and way of insertion", async () => {
  const result = await resultOf(`
factors: { storage: [default, unlogged, partitioned], indexes: [none, five, brin] }
include:
  - { storage: default, indexes: five, ingest: insert }
  - { storage: unlogged, indexes: none, ingest: insert }
  - { storage: partitioned, indexes: brin, ingest: insert }
actors:
  loaders: { load: { executor: shared-iterations, clients: 1, iterations: 24 } }
  probes: { load: { executor: per-client-iterations, clients: 2, iterations: 4, thinkTime: 5ms } }
`);
  expect(result.treatments).toHaveLength(9);
  const loaded = new Set<number>();
  for (const { levels, trials } of result.treatments) {
    const [{ operations, integrity, database } = expect.fail("no trial")] = trials;
    const { load } = operations;
    expect(load?.transactions, JSON.stringify(levels)).toBe(24);
    expect(integrity).toMatchObject({
      verdict: "ok",
      published: load?.events,
      lost: 0,
      unexpected: 0,
      damaged: 0,
    });
    for (const probe of PROBES) expect(operations[probe]?.transactions, probe).toBe(2);
    loaded.add(load?.events ?? 0);
    expect(database.tableBytes, JSON.stringify(levels)).toBeGreaterThan(100_000);
  }
  expect(loaded.size).toBe(1);
}, 180_000);

it("workload calls commits a day in one transaction, after the batches of the day before", async () => {
  const result = await resultOf(`
factors: { commit: [per-batch, once], ingest: [copy, insert] }
include: [{ commit: once, actors.loaders.load.iterations: 1 }]
batchesBefore: 24
actors:
  loaders: { load: { executor: per-client-iterations, clients: 2, iterations: 24 } }
  probes: false
`);
  const [first, ...others] = result.treatments.map(({ trials: [trial] }) => trial);
  expect(others).toHaveLength(3);
  expect(result.treatments.map(({ trials: [trial] }) => trial?.operations.load?.transactions)).toEqual([
    48, 48, 2, 2,
  ]);
  for (const other of others) expect(other?.integrity?.published).toBe(first?.integrity?.published);
  expect(first?.integrity?.published).toBeGreaterThan(first?.operations.load?.events ?? Infinity);
}, 120_000);

it("workload calls accounts for all batches of a daily profile and all scheduled probes through PgBouncer", async () => {
  const result = await resultOf(
    `
pool: { strategy: pgbouncer, mode: transaction, size: 4 }
actors:
  loaders:
    workers: 2
    load:
      executor: daily-arrival-rate
      rate: 40
      maxClients: 4
      profile: { name: streaming-insert, sizes: { small: 3, medium: 30, large: 100 } }
  probes: { load: { executor: constant-arrival-rate, rate: 20, maxClients: 2 } }
`,
    "warmUp: 300ms, duration: 3s",
  );
  const [trial] = result.treatments[0]?.trials ?? [];
  expect(trial?.integrity).toMatchObject({ verdict: "ok", lost: 0, unexpected: 0, damaged: 0 });
  for (const name of ["load", ...PROBES]) {
    const { offered = 0, dropped = 0, unfinished = 0, transactions = 0 } = trial?.operations[name] ?? {};
    expect(transactions, name).toBeGreaterThan(0);
    expect(offered, name).toBe(transactions + dropped + unfinished);
  }
}, 120_000);

it("workload calls loses and duplicates no batch when connections break, and settles commits in doubt", async () => {
  const result = await resultOf(
    `
factors: { ingest: [copy, insert], commit: [per-batch, once] }
actors: { loaders: { load: { clients: 4, thinkTime: 5ms } } }
faults:
  - { at: 500ms, kind: backend-terminate, sessions: 3 }
  - { at: 1s, kind: network-reset-commits, commits: 30%, for: 1500ms }
`,
    "warmUp: 0, duration: 3s",
  );
  expect(result.treatments).toHaveLength(4);
  for (const { levels, trials } of result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    expect(integrity, JSON.stringify(levels)).toMatchObject({
      verdict: "ok",
      lost: 0,
      unexpected: 0,
      damaged: 0,
    });
    expect(operations.load?.retries).toBeGreaterThan(0);
    expect(operations.load?.unansweredCommits).toBeGreaterThan(0);
  }
}, 180_000);
