// `train-sim run` of the built program on real servers: its output, its result directory, its end, and that it leaves
// nothing else.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { casesOf, fullIt } from "../support/lanes.js";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { ResultDocument } from "../../src/results/result-schema.js";
import { trialPath } from "../../src/results/directory.js";
import { readTrialHistograms } from "../../src/results/reader.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import { resetNamespace, testNamespace } from "../support/namespace.js";
import { PGBOUNCER_KINDS, pgBouncerEnv } from "../support/pgbouncers.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
  type Ended,
} from "../support/train-sim.js";

const ROLES = `
actors:
  producers: { workers: 1, load: { executor: constant-clients, clients: 3, thinkTime: 60ms } }
  consumers: { workers: 2, load: { executor: constant-clients, clients: 4, thinkTime: 15ms } }
  archivers: { workers: 1, load: { executor: constant-clients, clients: 2, thinkTime: 15ms } }
batch: { min: 5, max: 20 }
appDelay: 0
diagnosis: { ceiling: false }
`;
/** Roles with one worker each. Every further thread costs as much processor time as a second of its load. */
const FEW = ROLES.replace("workers: 2", "workers: 1");
const SHORT = "trial: { warmUp: 200ms, duration: 1s, drain: 10s }\ntrials: 1\n";
const LONG = "trial: { warmUp: 300ms, duration: 60s, drain: 60s }\ntrials: 2\n";

/** A scenario on the suite's server, in a separate namespace. The load logs in as `role` if given. */
function onSuiteServer(rest: string, role: Partial<Endpoint> = {}): { yaml: string; namespace: string } {
  const namespace = testNamespace("run");
  const admin = inject("adminEndpoint");
  const target = `target: { kind: url, urls: ["${urlOf({ ...admin, ...role })}"], adminUrl: "${urlOf(admin)}" }`;
  return { namespace, yaml: `name: t\nseed: 1\nnamespace: ${namespace}\n${target}\n${rest}` };
}

async function withAdmin<T>(work: (admin: AdminClient) => Promise<T>): Promise<T> {
  const admin = await connectAdmin(inject("adminEndpoint"));
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** Directories of the servers that the train-sim with that process id has started. */
function serversOf(pid: number | undefined): string[] {
  const lines = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(`train-sim-postgres-${pid ?? "?"}-`));
}

describe("a run", () => {
  const out = scratchDirectory();
  const role = { user: testNamespace("load"), password: "of-the-load" };
  const { yaml, namespace } = onSuiteServer(`factors: { payload: [jsonb, text] }\n${ROLES}${SHORT}`, role);
  let ended: Ended;
  beforeAll(async () => {
    await withAdmin((client) => client.query(`CREATE ROLE ${role.user} LOGIN PASSWORD '${role.password}'`));
    ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out, "--json"]);
  });

  afterAll(() => withAdmin((client) => client.query(`DROP ROLE ${role.user}`)));

  it("prints only the result document on standard output with --json, and fills the result directory", async () => {
    expect(ended.stderr).toContain("trial 2/2");
    expect(ended.exitCode).toBe(0);
    const printed = ResultDocument.parse(JSON.parse(ended.stdout));
    const { directory, result } = onlyResultIn(out);
    expect(printed).toEqual(result);
    expect(result.verdict.status).not.toBe("aborted");
    expect(readdirSync(directory)).toEqual(
      expect.arrayContaining(["result.json", "scenario.yaml", "summary.txt", "trials"]),
    );
    expect(result.treatments.map(({ id }) => id)).toEqual(["jsonb", "text"]);
    for (const treatment of result.treatments) {
      const [trial] = treatment.trials;
      expect(trial?.status).toBe("complete");
      expect(trial?.windowSeconds).toBeCloseTo(1, 1);
      for (const operation of ["add", "process", "archive"] as const) {
        const measured = trial?.operations[operation];
        expect(measured?.transactions).toBeGreaterThan(0);
        expect(measured?.failures).toEqual({});
        expect(measured?.responseTimeMs).toEqual(measured?.serviceTimeMs); // a closed loop
      }
      const { integrity } = trial ?? {};
      expect(integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, drained: true, pending: 0 });
      expect(integrity?.archived).toBe(integrity?.published);
    }
    expect(
      await withAdmin((admin) => admin.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [namespace])),
    ).toEqual([]);
  });

  it.each(["jsonb", "text"])(
    "writes histograms, time series and a log that agree with the result of treatment %s",
    async (id) => {
      const { directory, result } = onlyResultIn(out);
      const trial = result.treatments.find((treatment) => treatment.id === id)?.trials[0];
      if (!trial) throw new Error(`there is no trial of ${id}`);
      const add = trial.operations.add;
      const histograms = await readTrialHistograms(directory, trial.number, id);
      expect(histograms.get("add.response")?.totalCount).toBe(add?.transactions);
      const trialDirectory = trialPath(directory, trial.number, id);
      const rows = readFileSync(join(trialDirectory, "timeseries.csv"), "utf8").trim().split("\n").slice(1);
      const addRows = rows.map((row) => row.split(",")).filter(([, operation]) => operation === "add");
      expect(addRows.reduce((sum, row) => sum + Number(row[2]), 0)).toBe(add?.transactions);
      const lines = readFileSync(join(trialDirectory, "log.ndjson"), "utf8").trim().split("\n");
      const log = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      for (const line of log)
        expect(Object.keys(line)).toEqual(
          expect.arrayContaining(["trial", "treatment", "actor", "worker", "operation"]),
        );
      const summaries = log.filter((line) => line["event"] === "summary" && line["operation"] === "add");
      expect(summaries.reduce((sum, line) => sum + Number(line["transactions"]), 0)).toBe(add?.transactions);
      expect(
        log
          .filter((line) => line["event"] === "phase" && line["actor"] === "coordinator")
          .map((line) => line["phase"]),
      ).toEqual(["reset", "warm-up", "measure", "drain", "audit"]);
      expect(log.filter((line) => line["event"] === "step").map((line) => line["step"])).toEqual([
        "tables",
        "preload",
        "clean-up",
      ]);
      const ready = log.filter((line) => line["event"] === "start" && line["actor"] !== "coordinator");
      expect(ready.map((line) => line["connectSeconds"])).toEqual(
        ready.map(() => expect.any(Number) as number),
      );
    },
  );

  it("states figures of each worker that add up to the operations' figures", () => {
    const { directory, result } = onlyResultIn(out);
    const trials = result.treatments.flatMap((treatment) => treatment.trials);
    for (const { operations, workers = [] } of trials) {
      expect(workers.map(({ worker, clients }) => [worker, clients])).toEqual([
        ["producers/0", 3],
        ["consumers/0", 2],
        ["consumers/1", 2],
        ["archivers/0", 2],
      ]);
      for (const [operation, total] of Object.entries(operations)) {
        const rows = workers.flatMap((worker) => worker.operations[operation] ?? []);
        const sum = (field: "transactions" | "events" | "retries") =>
          rows.reduce((all, row) => all + row[field], 0);
        expect(sum("transactions")).toBe(total.transactions);
        expect(sum("events")).toBe(total.events);
        expect(sum("retries")).toBe(total.retries);
        expect(Math.max(...rows.map((row) => row.responseTimeMs?.max ?? 0))).toBe(total.responseTimeMs?.max);
      }
    }
    const consumers = trials[0]?.workers?.filter(({ worker }) => worker.startsWith("consumers/"));
    expect(consumers?.map(({ operations }) => (operations.process?.transactions ?? 0) > 0)).toEqual([
      true,
      true,
    ]);
    const summary = readFileSync(join(directory, "summary.txt"), "utf8");
    expect(summary).toMatch(
      /^by worker, trial 1:\nelapsed +worker +id +clients +tot_ops +tot_ops\/s +mean\(ms\)/m,
    );
    expect(summary).toMatch(/^ +1 +consumers\/1 +process +2 +\d+/m);
    expect(summary).not.toContain("--actor");
    expect(ended.stderr).not.toContain("by worker");
  });

  fullIt("executes an iteration budget exactly that its workers cannot share evenly", async () => {
    const out = scratchDirectory();
    const { yaml } = onSuiteServer(`payload: text
topology: cycle
actors: { cycle: { workers: 3, load: { executor: shared-iterations, clients: 7, iterations: 103 } } }
batch: { min: 2, max: 4 }
appDelay: 0
diagnosis: { ceiling: false }
trial: { warmUp: 200ms, drain: 10s }
trials: 1
`);
    expect((await trainSim(["run", writeScenarioFile(yaml), "--out", out])).exitCode).toBe(0);
    const operations = onlyResultIn(out).result.treatments[0]?.trials[0]?.operations;
    expect(operations?.__cycle__?.transactions).toBe(103);
    expect(operations?.__cycle__?.events).toBe(operations?.archive?.events);
    expect(operations?.add?.transactions).toBe(103);
    expect((operations?.process?.transactions ?? 0) + (operations?.process?.emptyPolls ?? 0)).toBe(103);
  });

  it.each(casesOf(PGBOUNCER_KINDS, 0))(
    "succeeds through managed PgBouncers %s in transaction mode",
    async (kind) => {
      const out = scratchDirectory();
      const { yaml } = onSuiteServer(
        `payload: text\npool: { strategy: pgbouncer, mode: transaction, size: 3, instances: 2 }\n${FEW}${SHORT}`,
      );
      const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], {
        env: pgBouncerEnv(kind),
      });
      expect(ended.stderr).toContain("integrity ok");
      expect(ended.exitCode).toBe(0);
      const { result } = onlyResultIn(out);
      expect(result.environment.versions["PgBouncer"]).toMatch(new RegExp(`^${kind}`));
    },
  );

  it("may use a role for its load that does not own the namespace", () => {
    expect(ended.stderr.match(/integrity ok/g)).toHaveLength(2);
    expect(ended.exitCode).toBe(0);
  });

  fullIt("counts the retries that locking nowait causes, and loses no event", async () => {
    const out = scratchDirectory();
    const { yaml } = onSuiteServer(
      `payload: text\nlocking: nowait\nappDelay: 2ms\nretry: { attempts: 50 }\n${ROLES.replace("appDelay: 0\n", "")}${SHORT}`,
    );
    expect((await trainSim(["run", writeScenarioFile(yaml), "--out", out])).exitCode).toBe(0);
    const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
    expect(trial?.operations.process?.retriesBySqlstate["55P03"]).toBeGreaterThan(0);
    expect(trial?.integrity?.verdict).toBe("ok");
  });
});

describe("a run that cannot start", () => {
  const suite = (rest = ""): string => onSuiteServer(`${rest}${ROLES}${SHORT}`).yaml;
  const without = (key: "password" | "port"): string => {
    const endpoint = inject("adminEndpoint");
    const changed = key === "port" ? { ...endpoint, port: 1 } : { ...endpoint, password: "hunter2-wrong" };
    return `name: t\ntarget: { kind: url, urls: ["${urlOf(changed)}"] }\n${ROLES}${SHORT}`;
  };

  async function expectRefusal(
    yaml: string,
    exitCode: number,
    words: RegExp,
    more: { args?: string[]; shellPrefix?: string } = {},
  ): Promise<Ended> {
    const out = scratchDirectory();
    const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out, ...(more.args ?? [])], {
      ...(more.shellPrefix !== undefined && { shellPrefix: more.shellPrefix }),
    });
    expect(ended.stderr).toMatch(words);
    expect(ended.stderr).not.toMatch(/^\s+at .*\.js/m);
    expect(ended.exitCode).toBe(exitCode);
    expect(readdirSync(out)).toEqual([]);
    return ended;
  }

  it("names all problems of the scenario at once", async () => {
    await expectRefusal(`${suite("payload: jsnob\n")}trils: 3\n`, 104, /jsnob[\s\S]*trils[\s\S]*trials/);
  });

  it("names the quickstart if no scenario is given, and accepts the name quickstart", async () => {
    const ended = await trainSim(["run"]);
    expect(ended).toMatchObject({ exitCode: 104, stdout: "" });
    expect(ended.stderr).toMatch(/^train-sim: no scenario is named\n.*npx train-sim run quickstart\n/);
    const planned = await trainSim(["run", "quickstart", "--plan"], { cwd: scratchDirectory() });
    expect(planned).toMatchObject({ exitCode: 0, stderr: "" });
    expect(planned.stdout).toContain("3 treatments x 5 trials = 15 trials");
  });

  it("names the refused login without its password", async () => {
    const ended = await expectRefusal(without("password"), 111, /password|authentication/i);
    expect(ended.stderr + ended.stdout).not.toContain("hunter2");
  });

  it("names the address at which nothing listens", async () => {
    await expectRefusal(without("port"), 111, /127\.0\.0\.1:1\b/);
  });

  it("refuses a namespace that train-sim did not make", async () => {
    const { yaml, namespace } = onSuiteServer(`${ROLES}${SHORT}`);
    await withAdmin((admin) => admin.query(`CREATE SCHEMA ${namespace}`));
    await expectRefusal(yaml, 104, /not made by train-sim/);
    await withAdmin((admin) => admin.query(`DROP SCHEMA ${namespace}`));
  });

  it("refuses more clients than the server has connections", async () => {
    await expectRefusal(suite().replace("clients: 4", "clients: 400"), 104, /max_connections/);
  });

  fullIt("refuses more clients than the process may open files, as doctor does", async () => {
    const yaml = suite().replace("clients: 4", "clients: 200");
    const shellPrefix = "ulimit -n 200";
    await expectRefusal(yaml, 104, /open files/, { shellPrefix });
    const doctor = await trainSim(["doctor", writeScenarioFile(yaml)], { shellPrefix });
    expect(doctor.exitCode).not.toBe(0);
    expect(doctor.stdout).toMatch(/PROBLEM +open files .*\d+ clients need about \d+ open files, .* is 200\n/);
  });

  it("refuses a managed PgBouncer that is not installed, before anything starts", async () => {
    const env = { ...process.env, PATH: "/nonexistent", TRAIN_SIM_PGBOUNCER: "/nonexistent/pgbouncer" };
    const out = scratchDirectory();
    const yaml = suite("pool: { strategy: pgbouncer, mode: transaction, size: 4 }\n");
    const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], { env });
    expect(ended.stderr).toMatch(/PgBouncer|pgbouncer/);
    expect(ended.exitCode).toBe(111);
    expect(readdirSync(out)).toEqual([]);
  });

  it("names the port that is in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await expectRefusal(
      `name: t\ntarget: { kind: embedded, port: ${port} }\n${ROLES}${SHORT}`,
      111,
      new RegExp(String(port)),
    );
    await new Promise((resolve) => server.close(resolve));
  });

  fullIt("refuses a result directory below a file", async () => {
    const out = scratchDirectory();
    writeFileSync(join(out, "file"), "");
    const ended = await trainSim(["run", writeScenarioFile(suite()), "--out", join(out, "file", "results")]);
    expect(ended.exitCode).toBe(104);
    expect(ended.stderr).toContain(join(out, "file"));
  });

  fullIt("can print its plan without connecting to the database", async () => {
    const ended = await trainSim(["run", writeScenarioFile(without("port")), "--plan"]);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/trial/);
  });

  it("can print its plan as JSON, identical to the output of validate --json", async () => {
    const file = writeScenarioFile(without("port"));
    const { exitCode, stdout } = await trainSim(["run", file, "--plan", "--json", "--trials", "2"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, trials: 2 });
    const validated = await trainSim(["validate", file, "--json", "--set", "trials=2"]);
    expect(stdout).toBe(validated.stdout);
  });
});

describe("a run that is stopped", () => {
  // test/e2e/unread.test.ts stops a run in phase measure.
  it.each(casesOf(["measure", "drain", "warm-up"], 0))(
    "keeps results marked as partial after Ctrl-C in phase %s",
    async (phase) => {
      const out = scratchDirectory();
      // Consumers that never complete make the drain last until it is stopped.
      const never = phase === "drain" ? "advance: { claim: 0.001, complete: 0.001, fail: 0 }\n" : "";
      const phases = phase === "drain" ? LONG.replace("duration: 60s", "duration: 500ms") : LONG;
      const { yaml } = onSuiteServer(
        `${never}${FEW}${phase === "warm-up" ? LONG.replace("300ms", "60s") : phases}`,
      );
      const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out]);
      await untilLogged(out, `"phase":"${phase}"`);
      started.child.kill("SIGINT");
      const ended = await started.ended;
      expect(ended.exitCode).toBe(105);
      const { result } = onlyResultIn(out);
      expect(result.verdict.status).toBe("aborted");
      expect(result.verdict.reasons.join()).toContain("SIGINT");
      const [trial] = result.treatments[0]?.trials ?? [];
      expect(trial?.status).toBe("partial");
      expect(trial?.integrity?.verdict).toBe("ok");
    },
  );

  /** The test locks a table that the phase needs, so that the phase lasts until the signal is handled. */
  it.each(
    casesOf(
      [
        { phase: "audit", holdsIn: "drain", published: { least: 3_000, most: Number.POSITIVE_INFINITY } },
        { phase: "reset", holdsIn: undefined, published: { least: 0, most: 0 } },
      ],
      1,
    ),
  )("keeps results marked as partial after Ctrl-C in phase $phase", async ({ phase, holdsIn, published }) => {
    const out = scratchDirectory();
    const never = "advance: { claim: 0.001, complete: 0.001, fail: 0 }\npreload: 3000\n";
    const short = "trial: { warmUp: 200ms, duration: 500ms, drain: 1s }\ntrials: 2\n";
    // The trial has no archivers: an archiver with something to copy would wait for the lock, and the audit for the
    // archiver.
    const actors = FEW.replace(/^  archivers.*\n/m, "  archivers: false\n");
    const { yaml, namespace } = onSuiteServer(`payload: text\n${never}${actors}${short}`);
    const holder = await connectAdmin(inject("adminEndpoint"));
    if (!holdsIn) await resetNamespace(holder, { namespace, payload: "text" });
    const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out]);
    if (holdsIn) await untilLogged(out, `"phase":"${holdsIn}"`);
    await holder.query(`BEGIN; LOCK TABLE ${namespace}.events_archive IN ACCESS EXCLUSIVE MODE`);
    await untilLogged(out, `"phase":"${phase}"`);
    const heard = outputMatch(started, /SIGINT: transactions in progress finish/);
    started.child.kill("SIGINT");
    await heard;
    await holder.close();
    expect((await started.ended).exitCode).toBe(105);
    const { result } = onlyResultIn(out);
    expect(result.verdict.reasons.join()).toContain("stopped by SIGINT after 0 of 2 trials");
    const trials = result.treatments.flatMap((treatment) => treatment.trials);
    expect(trials).toMatchObject([{ status: "partial", integrity: { verdict: "ok" } }]);
    expect(trials[0]?.integrity?.published).toBeGreaterThanOrEqual(published.least);
    expect(trials[0]?.integrity?.published).toBeLessThanOrEqual(published.most);
  });

  it("ends at once on a second signal, and leaves no server", async () => {
    const out = scratchDirectory();
    const started = startTrainSim([
      "run",
      writeScenarioFile(`name: t\nappDelay: 30s\n${FEW.replace("appDelay: 0\n", "")}${LONG}`),
      "--out",
      out,
    ]);
    await untilLogged(out, `"phase":"measure"`);
    expect(serversOf(started.child.pid)).not.toEqual([]);
    started.child.kill("SIGTERM");
    let hasEnded = false;
    void started.ended.then(() => (hasEnded = true));
    // Two signals close together count as one, since npx makes two of a key that was pressed once.
    const askAgain = (): boolean => {
      started.child.kill("SIGTERM");
      return hasEnded;
    };
    await expect.poll(askAgain, { timeout: 200_000 }).toBe(true);
    expect((await started.ended).exitCode).toBe(105);
    await expect.poll(() => serversOf(started.child.pid), { timeout: 200_000 }).toEqual([]);
  });

  fullIt(
    "ends with 111 if the server goes away during a trial, and keeps the figures measured before",
    async () => {
      const server = await startEmbedded({ fsync: "off" }, { maxConnectionsNeeded: 50 });
      const out = scratchDirectory();
      const yaml = `name: t\ntarget: { kind: url, urls: ["${urlOf(server.admin)}"] }\nretry: { attempts: 2 }\n${FEW}${LONG}`;
      const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out]);
      await untilLogged(out, `"event":"summary","phase":"measure","operation"`);
      await server.stop();
      const ended = await started.ended;
      expect(ended.exitCode).toBe(111);
      expect(ended.stderr).toMatch(/partial results are in/i);
      const { result } = onlyResultIn(out);
      expect(result.verdict.status).toBe("aborted");
      expect(result.treatments[0]?.trials[0]).toMatchObject({ status: "failed", integrity: null });
      expect(result.treatments[0]?.trials[0]?.operations.add?.transactions).toBeGreaterThan(0);
    },
  );

  it("fails the trial with the statement's name on a non-retryable error", async () => {
    const out = scratchDirectory();
    const { yaml, namespace } = onSuiteServer(`${FEW}${LONG}`);
    const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out]);
    await untilLogged(out, `"phase":"measure"`);
    await withAdmin((admin) => admin.query(`ALTER TABLE ${namespace}.events_archive RENAME TO elsewhere`));
    const ended = await started.ended;
    expect(ended.exitCode).toBe(107);
    expect(ended.stderr).toMatch(/archive\.copy.*events_archive/);
    await withAdmin((admin) => admin.query(`DROP SCHEMA ${namespace} CASCADE`));
  });

  it("ends with 110 if acknowledged events are missing, and names these events", async () => {
    const out = scratchDirectory();
    const { yaml, namespace } = onSuiteServer(`${FEW}${SHORT.replace("1s", "3s")}`);
    const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out]);
    await untilLogged(out, `"event":"summary","phase":"measure","operation"`);
    const gone = await withAdmin((admin) =>
      admin.query(
        `DELETE FROM ${namespace}.events_archive WHERE id IN (SELECT id FROM ${namespace}.events_archive LIMIT 3) RETURNING id`,
      ),
    );
    const ended = await started.ended;
    expect(ended.exitCode).toBe(110);
    const { result } = onlyResultIn(out);
    const integrity = result.treatments[0]?.trials[0]?.integrity;
    expect(integrity).toMatchObject({ verdict: "violated", lost: 3 });
    const ids = gone.map(({ id }) => id as string).sort();
    expect(ids).toHaveLength(3);
    expect(integrity?.named?.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual(
      ids.map((id) => `lost ${id}`),
    );
    for (const id of ids) expect(ended.stdout).toContain(`lost ${id}`);
    expect(result.verdict.status).not.toBe("ok");
    expect(ended.stdout).toMatch(/3 of \d+ acknowledged events are in no table/);
  });
});

it("a run without a trial creates no default result directory", async () => {
  const cwd = scratchDirectory();
  expect((await trainSim(["run", "missing.yaml"], { cwd })).exitCode).toBe(104);
  expect(existsSync(join(cwd, "results"))).toBe(false);
});
