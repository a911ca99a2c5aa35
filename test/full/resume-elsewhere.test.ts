// An experiment whose URL leads to another cluster when it is continued: it is refused, with both identifiers, and the
// directory stays unchanged.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import type { RunningTarget } from "../../src/targets/running-target.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const SCENARIO = `
name: elsewhere
batch: 5
actors: { producers: { load: { clients: 1, thinkTime: 30ms } }, consumers: false, archivers: false }
trial: { warmUp: 0, duration: 1s, drain: 0 }
trials: 3
diagnosis: { ceiling: false }
`;
const OPTIONS = { maxConnectionsNeeded: 20 };

let running: RunningTarget | undefined;
afterAll(async () => {
  vi.unstubAllEnvs();
  await running?.stop();
});

async function identifierOf({ admin }: RunningTarget): Promise<string> {
  const client = await connectAdmin(admin);
  const [row] = await client.query("SELECT system_identifier::text AS id FROM pg_control_system()");
  await client.close();
  return String(row?.["id"]);
}

it("--resume on another cluster is refused with both system identifiers", async () => {
  running = await startEmbedded({ fsync: "off" }, OPTIONS);
  const { port } = running.admin;
  const before = await identifierOf(running);
  const out = join(scratchDirectory(), "results");
  const target = `target: { kind: url, urls: ["${urlOf(running.admin)}"] }\n`;
  const started = startTrainSim(["run", writeScenarioFile(SCENARIO + target), "--out", out, "--quiet"]);
  await untilLogged(out, '"trial":2,');
  started.child.kill("SIGKILL");
  await started.ended;
  const { directory } = onlyResultIn(out);
  const trials = readdirSync(join(directory, "trials"));
  await running.stop();

  // `initdb` makes another cluster without the kept template.
  vi.stubEnv("XDG_CACHE_HOME", scratchDirectory());
  running = await startEmbedded({ fsync: "off" }, { ...OPTIONS, port });
  const now = await identifierOf(running);
  expect(now).not.toBe(before);
  const env = { ...process.env, PGPASSWORD: running.admin.password ?? "" };
  const resumed = await trainSim(["run", "--resume", directory], { env });
  expect(resumed.exitCode, resumed.stderr).toBe(104);
  expect(resumed.stderr).toContain(`the system identifier was ${before}, is ${now}`);
  expect(readdirSync(join(directory, "trials"))).toEqual(trials);
});
