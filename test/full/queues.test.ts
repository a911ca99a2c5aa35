// Queues in the manner of public libraries, as SQL files: two trials, each with a fault, are audited on a server that
// train-sim starts and on a server by its URL. The second trial shows that objects of the first were dropped with all
// dependent objects.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { namespaceState } from "../../src/database/postgres/namespace/namespace.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const own = ownDatabase("queues");

const KILLED = { at: "1s", kind: "postgres-kill" };
const TERMINATED = { at: "1s", kind: "backend-terminate" };
const CASES = [
  ["partitioned", "by its URL", TERMINATED],
  ["named", "by its URL", TERMINATED],
  ["visible", "by its URL", TERMINATED],
  ["partitioned", "that train-sim starts", KILLED],
  ["named", "that train-sim starts", KILLED],
  ["visible", "that train-sim starts", KILLED],
] as const;

it.each(CASES)(
  "the queue %s loses nothing in two trials with a fault, on a server %s",
  async (queue, where, fault) => {
    const file = `${queue}.sql`;
    const sql = readFileSync(new URL(`../support/queues/${file}`, import.meta.url), "utf8");
    const scenario = {
      ...{ name: "queues", seed: 3, trials: 2, namespace: "queues", workload: { file, sql } },
      target: where === "by its URL" ? urlOf(own.endpoint) : { kind: "embedded" },
      actors: { clients: { load: { clients: 4 } } },
      ...{ retry: { attempts: 100 }, faults: [fault], diagnosis: { ceiling: false } },
      trial: { warmUp: 0, duration: "3s", drain: false },
    };
    const out = join(scratchDirectory(), "results");
    const ended = await trainSim([
      "run",
      writeScenarioFile(JSON.stringify(scenario)),
      "--out",
      out,
      "--quiet",
    ]);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const trials = onlyResultIn(out).result.treatments[0]?.trials ?? [];
    expect(trials).toHaveLength(2);
    for (const { status, integrity, operations, faults } of trials) {
      expect(status).toBe("complete");
      expect(integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, unexpected: 0 });
      expect(integrity?.invariants?.map(({ holds }) => holds)).toEqual([true, true]);
      expect(operations["work"]?.transactions).toBeGreaterThan(0);
      expect(faults).toMatchObject([{ kind: fault.kind }]);
    }
    expect(await namespaceState(own.admin, "queues")).toEqual({ kind: "absent" });
  },
);
