// A password in ~/.pgpass of a separate home, for the built program: it is found, and the driver prints nothing about it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const { host, port, database, user, password = "" } = inject("adminEndpoint");
const url = urlOf({ scheme: "postgresql", host, port, database, user }).replace(":@", "@");
const namespace = testNamespace("pgpass");

function home(line: string): NodeJS.ProcessEnv {
  const HOME = scratchDirectory();
  writeFileSync(join(HOME, ".pgpass"), `# of the test\n${line}\n`, { mode: 0o600 });
  const { PGPASSWORD: _, PGPASSFILE: __, ...env } = process.env;
  return { ...env, HOME };
}

const scenario = `name: pgpass
namespace: ${namespace}
target: "${url}"
clients: 1
trials: 1
diagnosis: { ceiling: false }
trial: { warmUp: 0s, duration: 500ms, drain: 30s }
`;

it("the coordinator and its threads use a password in ~/.pgpass, without a warning of the driver", async () => {
  const out = join(scratchDirectory(), "results");
  const args = ["run", writeScenarioFile(scenario), "--out", out, "--quiet"];
  const { exitCode, stderr } = await trainSim(args, { env: home(`${host}:${port}:*:${user}:${password}`) });
  expect(exitCode, stderr).toBe(0);
  expect(stderr).not.toMatch(/deprecat|\(node:\d+\)/i);
  expect(onlyResultIn(out).result.verdict).not.toBe("aborted");
});

it("a run ends with 111 and asks for a password if ~/.pgpass has a line for another server only", async () => {
  const args = ["run", writeScenarioFile(scenario), "--out", join(scratchDirectory(), "results"), "--quiet"];
  const { exitCode, stderr } = await trainSim(args, { env: home(`elsewhere:${port}:*:${user}:${password}`) });
  expect(exitCode).toBe(111);
  expect(stderr).toContain("the server asks for a password and none was given");
});
