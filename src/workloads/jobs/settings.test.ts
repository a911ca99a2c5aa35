import { expect, it } from "vitest";
import { parseScenario } from "../../scenario/loader.js";
import { startMessage } from "./queue-program.js";
import { mayLeaseEnd, type Treatment } from "./settings.js";

const KEYS = "name: x\nworkload: jobs\npool: { strategy: own, size: 4 }\n";
const PLACE = {
  endpoint: { scheme: "postgresql", host: "127.0.0.1", port: 5432, user: "u", database: "d" },
  applicationName: "test",
  directory: "/",
};

const settingsOf = (queue: string, rest = ""): Treatment =>
  parseScenario(`${KEYS}queue: ${queue}\n${rest}`, "/x.yaml").treatments[0]?.settings as unknown as Treatment;

it.each(["lease", "pg-boss"])("sends a lease to queue %s only if the scenario names it", async (queue) => {
  const sent = async (rest: string): Promise<unknown> => {
    const share = { role: "work", worker: 0, connections: 2, concurrency: 1 } as const;
    const start = await startMessage(settingsOf(queue, rest), PLACE, share);
    return (JSON.parse(JSON.stringify(start)) as typeof start).settings["leaseMs"];
  };
  expect(await sent("")).toBeUndefined();
  expect(await sent("claim: { batch: 2 }")).toBeUndefined();
  expect(await sent("claim: { lease: 5s }")).toBe(5_000);
});

it.each([
  ["lease", "handler: 29s", false],
  ["lease", "handler: 30s", true],
  ["lease", "handler: 10s\nclaim: { batch: 3 }", true],
  ["pg-boss", "handler: 60s", false],
  ["pg-boss", "handler: 90ms\nclaim: { lease: 5s }", false],
  ["pg-boss", "handler: 100ms\nclaim: { lease: 5s }", true],
])("lets a job run twice if its lease may end during its run: queue %s, %s, %s", (queue, rest, expected) => {
  expect(mayLeaseEnd(settingsOf(queue, rest))).toBe(expected);
});
