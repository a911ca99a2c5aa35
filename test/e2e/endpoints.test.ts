// A trial on two endpoints of one server, of which one is cut off in the middle of the window. Clients go on at the other,
// nothing is lost, and the split by endpoint and region sums to the operations' figures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, inject, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import { Prng } from "../../src/foundation/prng.js";
import { TcpProxy } from "../../src/faults/means/tcp-proxy.js";
import { testNamespace } from "../support/namespace.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const admin = inject("adminEndpoint");
const proxies: TcpProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

async function openProxy(): Promise<TcpProxy> {
  const proxy = await TcpProxy.open({ host: admin.host, port: admin.port }, systemClock, new Prng(5));
  proxies.push(proxy);
  return proxy;
}

it("clients of an endpoint that is cut off go on at the other, and figures are split by endpoint", async () => {
  const [east, west] = [await openProxy(), await openProxy()];
  const urlAt = (port: number): string =>
    `postgresql://${admin.user}:${admin.password ?? ""}@127.0.0.1:${port}/${admin.database}`;
  const file = writeScenarioFile(`name: endpoints
target:
  urls:
    - { url: "${urlAt(east.port)}", region: east, weight: 3 }
    - { url: "${urlAt(west.port)}", region: west }
  adminUrl: "${urlAt(admin.port)}"
namespace: ${testNamespace("endpoints")}
payload: text
diagnosis: { ceiling: false }
batch: { min: 2, max: 5 }
clients: 4
trials: 1
trial: { warmUp: 0s, duration: 2500ms, drain: 30s }
`);
  const out = join(scratchDirectory(), "results");
  const env = { ...process.env, TRAIN_SIM_ADMIN_PASSWORD: admin.password };
  const { ended } = startTrainSim(["run", file, "--out", out, "--verbose"], { env });
  await untilLogged(out, '"phase":"measure"');
  await east.apply({ kind: "refuse", drop: true });
  const { exitCode, stdout, stderr } = await ended;
  expect(exitCode, stderr).toBe(0);

  const { result } = onlyResultIn(out);
  const treatment = result.treatments[0];
  const trial = treatment?.trials[0];
  expect(trial?.integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, drained: true });
  const { endpoints = [], regions = [], operations = {} } = trial ?? {};
  expect(endpoints).toMatchObject([
    { endpoint: `127.0.0.1:${east.port}`, region: "east", weight: 3, clients: 9 },
    { endpoint: `127.0.0.1:${west.port}`, region: "west", weight: 1, clients: 3 },
  ]);
  expect((endpoints[0]?.lost ?? 0) + (endpoints[0]?.refused ?? 0)).toBeGreaterThan(0);
  expect(endpoints[1]).toMatchObject({ lost: 0, refused: 0 });
  expect(endpoints[1]?.connects).toBeGreaterThan(3);
  expect(regions.map(({ region }) => region)).toEqual(["east", "west"]);

  for (const split of [endpoints, regions, treatment?.merged?.endpoints, treatment?.merged?.regions]) {
    for (const [operation, whole] of Object.entries(operations)) {
      const parts = split?.flatMap((part) => part.operations[operation] ?? []);
      const sum = (of: "transactions" | "events" | "retries" | "failures"): number =>
        parts?.reduce((all, part) => all + part[of], 0) ?? 0;
      const failures = Object.values(whole.failures).reduce((all, count) => all + count, 0);
      expect(sum("transactions"), operation).toBe(whole.transactions);
      expect(sum("events"), operation).toBe(whole.events);
      expect(sum("retries"), operation).toBe(whole.retries);
      expect(sum("failures"), operation).toBe(failures);
      const most = Math.max(...(parts ?? []).map(({ responseTimeMs }) => responseTimeMs?.max ?? 0));
      expect(most, operation).toBe(whole.responseTimeMs?.max ?? 0);
    }
  }
  expect(stdout).toContain(`127.0.0.1:${west.port}`);
  expect(stdout).not.toContain("responseHistogram");
});

it("each worker uses one endpoint with endpointPer: worker, and results split rounds by endpoint", async () => {
  const ports = [(await openProxy()).port, (await openProxy()).port];
  const urls = ports.map(
    (port) => `postgresql://${admin.user}:${admin.password ?? ""}@127.0.0.1:${port}/${admin.database}`,
  );
  const file = writeScenarioFile(`name: pinned
target: { urls: ${JSON.stringify(urls)} }
namespace: ${testNamespace("pinned")}
endpointPer: worker
topology: cycle
payload: text
diagnosis: { ceiling: false }
batch: { min: 2, max: 5 }
actors: { cycle: { workers: 2, load: { clients: 4 } } }
trials: 1
trial: { warmUp: 0s, duration: 1s }
`);
  const out = join(scratchDirectory(), "results");
  const { exitCode, stderr } = await startTrainSim(["run", file, "--out", out]).ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const { workers = [], endpoints = [] } = result.treatments[0]?.trials[0] ?? {};
  expect(workers.map(({ worker, endpoint }) => [worker, endpoint])).toEqual([
    ["cycle/0", `127.0.0.1:${ports[0]}`],
    ["cycle/1", `127.0.0.1:${ports[1]}`],
  ]);
  const countsOf = (parts: readonly { operations: Record<string, { transactions: number }> }[]) =>
    parts.map(({ operations }) =>
      ["add", "process", "archive", "__cycle__"].map((operation) => operations[operation]?.transactions ?? 0),
    );
  expect(countsOf(endpoints)).toEqual(countsOf(workers));
  for (const counts of countsOf(endpoints)) expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(endpoints.map(({ clients }) => clients)).toEqual([2, 2]);
  const summary = readFileSync(join(directory, "summary.txt"), "utf8");
  expect(summary).toMatch(new RegExp(`cycle/1 +127\\.0\\.0\\.1:${ports[1]} +__cycle__ `));
});
