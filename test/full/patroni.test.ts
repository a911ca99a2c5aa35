// scenarios/patroni/ with the real Patroni and etcd, on separate ports and in a separate directory: the scenario's faults,
// shortened, lose only events that no standby had, all explained, and the clients find the new primary. It needs Debian's
// packages; elsewhere it states that it was not run.
import { execFile, execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trialOf } from "../support/lossy-run.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const run = promisify(execFile);
const CLUSTER = join(import.meta.dirname, "..", "..", "scenarios", "patroni", "cluster.sh");
const BASE = 18_100;
const SET_UP_MS = 300_000;

const isThere = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};
const absent = ["patroni", "etcd"].filter((program) => !isThere(program));

if (absent.length > 0)
  process.stderr.write(
    `test/full/patroni.test.ts was NOT RUN: this machine has no ${absent.join(" and no ")}\n`,
  );

describe.skipIf(absent.length > 0)("a cluster under Patroni", () => {
  const env = { ...process.env, PATRONI_PORT: String(BASE) };
  const cluster = (command: string): Promise<unknown> => run("sh", [CLUSTER, command], { env });
  const fault = (seconds: number, command: string, more = ""): string =>
    `{ at: ${seconds}s, kind: command, name: ${command}, run: "sh ${CLUSTER} ${command}"${more} }`;

  beforeAll(async () => {
    const directory = scratchDirectory();
    // The cluster runs as another user if root starts it.
    chmodSync(directory, 0o777);
    Object.assign(env, { PATRONI_LAB: join(directory, "lab") });
    await cluster("start");
  }, SET_UP_MS);
  afterAll(() => cluster("stop"), SET_UP_MS);

  async function runWith(seconds: number, faults: readonly string[], code = 0) {
    const urls = [1, 2, 3].map(
      (member) =>
        `"postgresql://postgres@127.0.0.1:${BASE + member}/postgres?target_session_attrs=read-write"`,
    );
    const out = join(scratchDirectory(), "results");
    const file = writeScenarioFile(`
name: patroni
seed: 7
payload: text
appDelay: 0
batch: { min: 5, max: 20 }
target: { urls: [${urls.join(", ")}] }
integrity: { allow: [lost] }
actors:
  producers: { clients: 2, load: { thinkTime: 50ms } }
  consumers: { clients: 2, load: { thinkTime: 50ms } }
  archivers: { clients: 1, load: { thinkTime: 50ms } }
trial: { warmUp: 0, duration: ${seconds}s, drain: 60s }
trials: 1
diagnosis: { ceiling: false }
faults: [${faults.join(", ")}]
`);
    const { exitCode, stderr } = await trainSim(["run", file, "--out", out], { env });
    expect(exitCode, stderr).toBe(code);
    return { trial: trialOf(onlyResultIn(out).result), stderr };
  }

  it("loses only events that the crashed primary alone had, and goes on while that member is away", async () => {
    const { trial } = await runWith(40, [fault(2, "cut"), fault(3, "crash", ", mayLose: 2s")]);
    const { integrity, faults = [] } = trial;
    expect(integrity).toMatchObject({ verdict: "ok", unexplained: 0 });
    expect(integrity?.lost).toBeGreaterThan(0);
    const crash = faults[1];
    expect(crash?.words).toMatch(/^crash: ran sh, which said: killed member\d and its Patroni$/);
    expect(Object.keys(crash?.errors ?? {})).toContain("ECONNREFUSED");

    const { stderr, trial: without } = await runWith(5, []);
    expect(stderr).toMatch(
      /warning: target\.urls: .*nothing listens there .*The run goes on at the one that takes writes\./,
    );
    expect(without.integrity).toMatchObject({ verdict: "ok", lost: 0 });
    await cluster("start");
  });

  it("violates the audit if the fault that loses events states no mayLose", async () => {
    const { trial } = await runWith(40, [fault(2, "cut"), fault(3, "crash")], 110);
    const { integrity } = trial;
    expect(integrity?.verdict).toBe("violated");
    expect(integrity?.losses?.some(({ unexplained }) => unexplained > 0)).toBe(true);
    await cluster("start");
  });

  it("loses nothing in a crash with synchronous replication", async () => {
    await cluster("sync");
    const { trial } = await runWith(40, [fault(2, "cut"), fault(3, "crash", ", mayLose: 2s")]);
    expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0 });
    await cluster("start");
  });
});
