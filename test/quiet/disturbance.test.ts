// Trials that are disturbed on purpose on a server that train-sim did not start, and the same trial undisturbed: other
// sessions, a restart, changed settings. Each disturbance begins at the log's line of its phase and lasts until the run has
// ended, so that the tests do not depend on a time.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { PgConnection } from "../../src/database/postgres/connection.js";
import type { Finding, ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import type { RunningTarget } from "../../src/targets/running-target.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const LOAD = `
name: disturbed
seed: 7
actors:
  producers: { load: { clients: 2, thinkTime: 15ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: false
batch: { min: 5, max: 10 }
appDelay: 0
trial: { warmUp: 300ms, duration: 4s, drain: 10s }
diagnosis: { ceiling: false }
`;
/** A slow load of about twenty transactions per second. */
const SLOW = LOAD.replaceAll("clients: 2, thinkTime: 15ms", "clients: 1, thinkTime: 100ms").replace(
  "4s",
  "12s",
);
const ROLE = "plain_role";
const OF_DISTURBANCE = ["foreign-sessions", "foreign-transactions", "server-change", "table-change"];

let server: RunningTarget;
let admin: AdminClient;
let app: Endpoint;
beforeAll(async () => {
  server = await startEmbedded({ fsync: "off" }, { maxConnectionsNeeded: 40 });
  admin = await connectAdmin(server.admin, { reopensLostSession: true });
  for (const database of ["app", "bench"]) await admin.query(`CREATE DATABASE ${database}`);
  await admin.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'plain'; GRANT CREATE ON DATABASE app TO ${ROLE}`);
  app = { ...server.admin, database: "app" };
});
afterAll(async () => {
  await admin.close();
  await server.stop();
});

/**
 * SQL of three sessions that disturb a run until its end: the first commits many transactions, the others are always
 * active.
 */
const COMMITS =
  "DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM sum(g) FROM generate_series(1, 100) AS g; COMMIT; END LOOP; PERFORM pg_sleep(0.1); END $$";
const WORK = [COMMITS, "SELECT pg_sleep(0.2)", "SELECT pg_sleep(0.2)"];

async function disturb(endpoint: Endpoint, run: Promise<unknown>, work = WORK, pauseMs = 0): Promise<void> {
  let isOver = false;
  void run.finally(() => (isOver = true));
  await Promise.all(
    work.map(async (statement) => {
      const session = await new PgConnection({
        endpoint,
        applicationName: "batch-job",
        prepared: false,
      }).connect();
      while (!isOver) {
        await session.query(statement);
        await systemClock.sleep(pauseMs);
      }
      await session.end();
    }),
  );
}

interface Ran {
  readonly result: ResultDocument;
  readonly trials: readonly TrialResult[];
  readonly stdout: string;
}

interface Disturbed {
  readonly load?: string;
  readonly trials?: number;
  readonly at?: Endpoint;
  readonly during: string;
  readonly happens: (run: Promise<unknown>) => Promise<unknown>;
}

async function ranWith({ load = LOAD, trials = 1, at = app, during, happens }: Disturbed): Promise<Ran> {
  const out = join(scratchDirectory(), "results");
  const target = `target: { kind: url, urls: ["${urlOf(at)}"] }`;
  const scenario = writeScenarioFile(`${load}trials: ${trials}\n${target}\n`);
  const { ended } = startTrainSim(["run", scenario, "--out", out, "--verbose"]);
  await untilLogged(out, during);
  await happens(ended);
  const { stdout } = await ended;
  const { result } = onlyResultIn(out);
  return {
    result,
    trials: result.treatments.flatMap((each) => each.trials),
    stdout: stdout.replace(/\s+/g, " "),
  };
}

const MEASURING = '"phase":"measure"';

/** Findings of a trial about the server. Findings about this machine are left out, since other tests keep it busy. */
function findingsOf({ diagnosis = [] }: TrialResult): Finding[] {
  return diagnosis.filter(({ check }) => OF_DISTURBANCE.includes(check));
}

describe("an undisturbed trial on a local server that train-sim did not start", () => {
  it("has no finding, names the server, and does not count its processes as other programs", async () => {
    const { trials, result } = await ranWith({
      trials: 2,
      during: MEASURING,
      happens: () => Promise.resolve(),
    });
    expect(trials.flatMap(findingsOf)).toEqual([]);
    const [row] = await admin.query("SELECT system_identifier::text AS id FROM pg_control_system()");
    for (const trial of trials) {
      expect(trial.servers).toEqual([
        expect.objectContaining({
          systemIdentifier: row?.["id"],
          settings: expect.objectContaining({ fsync: "off" }) as object,
        }),
      ]);
      expect(trial.servers?.[0]?.changes).toBeUndefined();
      expect(trial.database.foreign).toMatchObject({
        sessionsActive: { mean: 0 },
        sessionsActiveHere: { mean: 0 },
      });
      if (process.platform !== "linux") continue;
      expect(trial.machine?.otherCpuRatio).not.toBeNull();
      expect(trial.database.serverCpuSeconds).toBeGreaterThan(0);
    }
    expect(JSON.stringify(result)).not.toContain(app.password);
  });
});

describe("sessions of other programs", () => {
  it("invalidate timings but not counts if they use another database, and are named by user and application", async () => {
    const bench = { ...app, database: "bench" };
    const ran = await ranWith({ during: MEASURING, happens: (run) => disturb(bench, run) });
    const [trial] = ran.trials;
    expect(trial && findingsOf(trial).map(({ check, invalidates }) => [check, ...invalidates])).toEqual([
      ["foreign-sessions", "timings"],
      ["foreign-transactions", "timings"],
    ]);
    expect(ran.result.verdict).toMatchObject({ counts: { isValid: true }, timings: { isValid: false } });
    expect(ran.stdout).toMatch(/sessions of others were active on the server .* bench\/postgres\/batch-job /);
    if (process.platform === "linux") expect(trial?.database.foreign?.cpuSeconds).toBeGreaterThan(0);
  });

  it("are found in the load's database by the transactions that exceed train-sim's", async () => {
    const { trials } = await ranWith({ during: MEASURING, happens: (run) => disturb(app, run) });
    const [trial] = trials;
    expect(trial && findingsOf(trial).map(({ check }) => check)).toEqual([
      "foreign-sessions",
      "foreign-transactions",
    ]);
    expect(trial?.database.foreign?.transactionsHere).toBeGreaterThan(0);
    expect(trial?.database.foreign?.sessionsActiveHere?.mean).toBeGreaterThan(0.5);
  });

  it("are found by their share of a slow load, even at a few transactions per second", async () => {
    const slow = { load: SLOW, during: MEASURING };
    const disturbed = await ranWith({
      ...slow,
      happens: (run) => disturb(app, run, ["SELECT count(*) FROM pg_am"], 60),
    });
    expect(disturbed.trials.flatMap(findingsOf).map(({ check }) => check)).toContain("foreign-transactions");
    const alone = await ranWith({ ...slow, happens: () => Promise.resolve() });
    expect(alone.trials.flatMap(findingsOf)).toEqual([]);
    expect(alone.trials[0]?.database.foreign).toMatchObject({ transactionsHere: 0 });
  });

  it("are not assessed if the role may not see other sessions, and a remedy is named", async () => {
    const plain = { ...app, user: ROLE, password: "plain" };
    const bench = { ...app, database: "bench" };
    const { trials, stdout } = await ranWith({
      at: plain,
      during: MEASURING,
      happens: (run) => disturb(bench, run),
    });
    const [trial] = trials;
    expect(trial && findingsOf(trial).map(({ check }) => check)).toEqual(["foreign-transactions"]);
    expect(trial?.notAssessed?.map(({ what }) => what)).toContain("sessions of others on the server");
    expect(stdout).toMatch(/not assessed: sessions of others on the server: .* GRANT pg_monitor to it/);
  });
});

describe("a finding about a changed server", () => {
  const change = async (...statements: string[]): Promise<void> => {
    for (const statement of statements) await admin.query(statement);
  };

  it("names a restart from outside during a trial", async () => {
    const { trials } = await ranWith({
      during: MEASURING,
      happens: async () => {
        await server.control?.shutDown("fast");
        await server.control?.start();
      },
    });
    expect(trials[0]?.servers?.[0]?.changes?.map(({ what }) => what)).toContain("startedAt");
    const restart = trials.flatMap(findingsOf).find(({ check }) => check === "server-change");
    expect(restart).toMatchObject({
      invalidates: ["timings"],
      words: expect.stringMatching(/postmaster start: .*within the trial/) as string,
    });
  });

  it("names a setting that changed between trials, with both values", async () => {
    try {
      const { trials, result } = await ranWith({
        ...{ trials: 2, during: '"phase":"audit"' },
        happens: () => change("ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()"),
      });
      const found = trials.flatMap(findingsOf).filter(({ check }) => check === "server-change");
      expect(found).toMatchObject([
        { invalidates: ["timings"], words: expect.stringMatching(/synchronous_commit: on -> off/) as string },
      ]);
      expect(result.verdict.timings.isValid).toBe(false);
    } finally {
      await change("ALTER SYSTEM RESET synchronous_commit", "SELECT pg_reload_conf()");
    }
  });

  it("names an index that another session dropped during a trial", async () => {
    const { trials } = await ranWith({
      during: MEASURING,
      happens: async () => {
        const session = await connectAdmin(app);
        await session.query("DROP INDEX train_sim.event_status_status_updated_at_idx");
        await session.close();
      },
    });
    expect(trials.flatMap(findingsOf).filter(({ check }) => check === "table-change")).toMatchObject([
      { invalidates: ["timings"], words: expect.stringMatching(/index \S+ of \S+ is gone/) as string },
    ]);
  });

  it("names a setting of the database or role that changed during a trial", async () => {
    try {
      const { trials } = await ranWith({
        during: MEASURING,
        happens: () => change("ALTER DATABASE app SET work_mem = '7MB'", "ALTER ROLE postgres SET jit = off"),
      });
      expect(trials[0]?.servers?.[0]?.changes).toEqual(
        expect.arrayContaining([
          { what: "work_mem", before: "4MB", after: "7MB" },
          expect.objectContaining({ what: "jit", after: "off" }),
        ]),
      );
      expect(trials.flatMap(findingsOf).map(({ check }) => check)).toContain("server-change");
    } finally {
      await change("ALTER DATABASE app RESET work_mem", "ALTER ROLE postgres RESET jit");
    }
  });
});
