// A run that is killed (SIGKILL) in each of its phases: no server is left, and every command on the directory either reads
// it or refuses it in words, with the matching exit code.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import { dropNamespace, testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const { password } = inject("adminEndpoint");
const namespace = testNamespace("killed");

/** Load whose events hardly progress, so that the drain takes all of its time, and whose preload makes the reset slow. */
const LOAD = `
name: killed
seed: 3
payload: text
batch: 5
appDelay: 0
preload: 3000
advance: { claim: 0.001, complete: 0.001, fail: 0 }
actors:
  producers: { load: { clients: 1, thinkTime: 60ms } }
  consumers: { load: { clients: 1, thinkTime: 15ms } }
  archivers: false
trial: { warmUp: 500ms, duration: 500ms, drain: 1500ms }
trials: 1
diagnosis: { ceiling: false }
`;
const ON_SUITE_SERVER = `${LOAD}namespace: ${namespace}
target: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }
`;

afterAll(async () => {
  const admin = await connectAdmin(inject("adminEndpoint"));
  await dropNamespace(admin, namespace);
  await admin.close();
});

/** Runs a command on the directory. It may refuse the directory, but then must explain why. */
async function ask(...args: string[]) {
  // Results hold no password, so the continuing command supplies it again.
  const ended = await trainSim(args, { env: { ...process.env, PGPASSWORD: password ?? "" } });
  expect(ended.stderr).not.toMatch(/please report it|^\s+at /m);
  expect(ended.signal).toBeNull();
  return ended;
}

const isRunningIn = (out: string): boolean =>
  existsSync(out) && readdirSync(out).some((name) => existsSync(join(out, name, "running")));

async function killedIn(phase: string): Promise<string> {
  const out = join(scratchDirectory(), "results");
  const { child, ended } = startTrainSim([
    "run",
    writeScenarioFile(ON_SUITE_SERVER),
    "--out",
    out,
    "--quiet",
  ]);
  const admin = await connectAdmin(inject("adminEndpoint"));
  if (phase === "audit") {
    // The audit is too quick to interrupt, unless it waits for a table that no other session needs meanwhile.
    await untilLogged(out, '"phase":"drain"');
    await admin.query(`BEGIN; LOCK TABLE ${namespace}.events_archive IN ACCESS EXCLUSIVE MODE`);
  }
  await untilLogged(out, `"phase":"${phase}"`);
  child.kill("SIGKILL");
  expect((await ended).signal).toBe("SIGKILL");
  await admin.close();
  return onlyResultIn(out).directory;
}

describe("a run that is killed", () => {
  it("leaves no server before its first trial, and a directory that every command refuses with a reason", async () => {
    const out = join(scratchDirectory(), "results");
    const temporary = scratchDirectory();
    chmodSync(temporary, 0o755); // the server runs as another user if root starts it
    const { child, ended } = startTrainSim(["run", writeScenarioFile(LOAD), "--out", out, "--quiet"], {
      env: { ...process.env, TMPDIR: temporary },
    });
    while (child.exitCode === null && !isRunningIn(out)) await systemClock.sleep(5);
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    const [name = ""] = readdirSync(out);
    const directory = join(out, name);
    for (const args of [["report"], ["compare", directory], ["logs"], ["run", "--resume"]]) {
      const answer = await ask(...args, directory);
      expect(answer, args.join()).toMatchObject({ exitCode: 104, stdout: "" });
      expect(answer.stderr).toMatch(
        /before it could write one|compared with itself|before the first trial began/,
      );
    }
    const remainingProcesses = (): string[] => {
      const lines = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
      return lines.filter((line) => line.includes(temporary));
    };
    await expect.poll(remainingProcesses, { timeout: 200_000 }).toEqual([]);
    await expect.poll(() => readdirSync(temporary), { timeout: 200_000 }).toEqual([]);
  });

  it.each(["reset", "warm-up", "measure", "drain", "audit"])(
    "leaves a directory in phase %s that report, logs and compare read and --resume completes",
    async (phase) => {
      const directory = await killedIn(phase);
      const report = await ask("report", directory);
      expect(report.exitCode).toBe(0);
      expect(report.stdout).toMatch(/^ABORTED: .*partial/);
      expect(report.stdout).toContain("0 of 1 trial complete; continue with run --resume");
      const logs = await ask("logs", directory, "--json");
      expect(logs.exitCode).toBe(0);
      const { trials } = JSON.parse(logs.stdout) as { trials: { index: number }[] };
      expect(trials).toHaveLength(1);
      const copy = join(scratchDirectory(), "killed");
      cpSync(directory, copy, { recursive: true });

      const resumed = await ask("run", "--resume", directory, "--json");
      expect(resumed.exitCode, resumed.stderr).toBe(0);
      const { result } = onlyResultIn(join(directory, ".."));
      expect(result.verdict.status).not.toBe("aborted");
      expect(result.treatments[0]?.trials.map(({ status }) => status)).toEqual(["complete"]);
      expect(result.treatments[0]?.trials[0]?.integrity?.verdict).toBe("ok");
      expect(readdirSync(directory)).not.toContain("running");

      // The order of the directories depends on the phase, so that both orders are tested.
      const both = phase === "reset" || phase === "measure" ? [directory, copy] : [copy, directory];
      const compared = await ask("compare", ...both);
      expect(compared).toMatchObject({ exitCode: 104, stdout: "" });
      expect(compared.stderr).toContain(`${copy} holds no complete trial`);
    },
    180_000,
  );
});
