// Settings of the embedded server as a factor: each level runs on a server that was started with it, one server at
// a time.
import type { AdminClient } from "../../database/postgres/admin.js";
import { afterEach, expect, inject, it } from "vitest";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "../../scenario/settings.js";
import { urlOf } from "../../../test/support/suite-server.js";
import { environmentOf } from "./environment.js";
import { TargetKeeper, type OpenTarget } from "./target-keeper.js";

const SCENARIO = `
name: settings
seed: 1
factors: { target.settings.work_mem: [4MB, 8MB], payload: [text, jsonb] }
`;

let keeper: TargetKeeper | undefined;
afterEach(() => keeper?.release());

async function workMemOf({ admin }: OpenTarget): Promise<unknown> {
  const client = admin as AdminClient;
  const [row] = await client.query("SELECT current_setting('work_mem') AS value");
  return row?.["value"];
}

function isAlive(pid: number | undefined): boolean {
  try {
    process.kill(pid ?? Number.NaN, 0);
    return true;
  } catch {
    return false;
  }
}

it("a server is started for each level of its settings, reused within the level, and stopped before the next", async () => {
  const { treatments } = parseScenario(SCENARIO, "scenario.yaml");
  const started: OpenTarget[] = [];
  const ended: OpenTarget[] = [];
  const onEnd = async (target: OpenTarget): Promise<void> => {
    expect(await workMemOf(target)).not.toBe("");
    ended.push(target);
  };
  keeper = new TargetKeeper(treatments, (target) => started.push(target), onEnd);
  const treatment = (workMem: string, payload: string): Treatment => {
    const found = treatments.find(
      ({ levels }) => levels["target.settings.work_mem"] === workMem && levels["payload"] === payload,
    );
    if (!found) throw new Error(`no treatment ${workMem} ${payload}`);
    return found;
  };

  const small = await keeper.provide(treatment("4MB", "text"));
  expect(await workMemOf(small)).toBe("4MB");
  expect((await keeper.provide(treatment("4MB", "jsonb"))).target).toBe(small.target);

  const large = await keeper.provide(treatment("8MB", "text"));
  expect(await workMemOf(large)).toBe("8MB");
  expect(isAlive(small.target.serverPid)).toBe(false);
  expect(isAlive(large.target.serverPid)).toBe(true);

  const again = await keeper.provide(treatment("4MB", "text"));
  expect(await workMemOf(again)).toBe("4MB");
  expect(started).toHaveLength(3);
  expect(environmentOf("1.0.0", started, []).settings["work_mem"]).toBe("4MB | 8MB");

  await keeper.release();
  expect(isAlive(again.target.serverPid)).toBe(false);
  expect(ended).toEqual(started);
});

it("a treatment that needs more connections than the server has is refused before the first trial", async () => {
  const url = urlOf(inject("adminEndpoint"));
  const { treatments } = parseScenario(
    `name: many\ntarget: { kind: url, url: "${url}" }\nfactors: { actors.consumers.load.clients: [2, 9000] }\n`,
    "scenario.yaml",
  );
  const started: OpenTarget[] = [];
  keeper = new TargetKeeper(
    treatments,
    (target) => started.push(target),
    () => Promise.resolve(),
  );
  const [few] = treatments;
  if (!few) throw new Error("no treatment");
  await expect(keeper.provide(few)).rejects.toThrow(
    /^treatment \S*9000 needs 9\d\d\d connections, but the server has/,
  );
  expect(started).toEqual([]);
});
