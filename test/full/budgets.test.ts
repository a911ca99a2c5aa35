// A budget that ends before the coordinator's first reading of the window, such as on a distant server: the window ends
// with it nevertheless.
import { afterAll, expect, inject, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import { Prng } from "../../src/foundation/prng.js";
import { TcpProxy } from "../../src/faults/means/tcp-proxy.js";
import { testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

let proxy: TcpProxy | undefined;
afterAll(() => proxy?.close());

it("the window ends with an iteration budget that is used up before the coordinator first reads it", async () => {
  const server = inject("adminEndpoint");
  proxy = await TcpProxy.open({ host: server.host, port: server.port }, systemClock, new Prng(1));
  await proxy.apply({ kind: "latency", latencyMs: 30, jitterMs: 0 });
  const out = scratchDirectory();
  const yaml = `
name: t
namespace: ${testNamespace("budget")}
target: "${urlOf({ ...server, host: "127.0.0.1", port: proxy.port })}"
payload: text
statementShape: single-statement
actors:
  producers: false
  consumers:
    { workers: 1, load: { executor: per-client-iterations, clients: 1, iterations: 1, maxDuration: 20s } }
  archivers: false
appDelay: 0
diagnosis: { ceiling: false }
trial: { warmUp: 0, drain: false }
trials: 1
`;
  const { stderr } = await trainSim(["run", writeScenarioFile(yaml), "--out", out]);
  expect(stderr).not.toContain("was not used up");
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "complete", operations: { process: { emptyPolls: 1 } } });
  expect(trial?.windowSeconds).toBeLessThan(5);
});
