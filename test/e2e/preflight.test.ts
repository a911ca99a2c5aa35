// Problems of a user's server are found before the first trial, all at once, with lines that help: on real servers, through
// real PgBouncers, with a role without rights, and with URLs that lead elsewhere.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { namespaceState } from "../../src/database/postgres/namespace/namespace.js";
import { parseScenario } from "../../src/scenario/loader.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import type { RunningTarget } from "../../src/targets/running-target.js";
import { fullIt } from "../support/lanes.js";
import { testNamespace } from "../support/namespace.js";
import { ownDatabase } from "../support/own-database.js";
import {
  NEWEST_PGBOUNCER,
  pgBouncerEnv,
  startPgBouncers,
  type PgBouncerKind,
} from "../support/pgbouncers.js";
import { urlOf } from "../support/suite-server.js";
import { scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";
import { obstaclesOn, ownServersOf } from "../../src/engine/session/preflight.js";
import type { RunningPooler } from "../../src/pools/running-pooler.js";
import type { Obstacle } from "../../src/database/contract.js";

const server = inject("adminEndpoint");
const own = ownDatabase("preflight");
/** A role whose name needs quotes and which has no right but to log in. */
const poor: Endpoint = {
  ...server,
  user: testNamespace('no "rights'),
  password: "poor",
  database: own.endpoint.database,
};
const quoted = `"${poor.user.replaceAll('"', '""')}"`;
const quotedDatabase = `"${poor.database.replaceAll('"', '""')}"`;

const cleanUps: (() => Promise<unknown>)[] = [];
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(server);
  await admin.query(`CREATE ROLE ${quoted} LOGIN PASSWORD 'poor'`);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(async () => {
  await own.admin.query(`DROP OWNED BY ${quoted}`);
  await admin.query(`DROP ROLE ${quoted}`);
  await admin.close();
});

const url = (endpoint: Endpoint): string =>
  JSON.stringify(
    urlOf({
      ...endpoint,
      user: encodeURIComponent(endpoint.user),
      database: encodeURIComponent(endpoint.database),
    }),
  );

async function pgBouncer(
  kind: PgBouncerKind,
  upstream: Endpoint,
  maxPreparedStatements = 0,
  mode: "statement" | "transaction" = "transaction",
): Promise<RunningPooler> {
  const settings = {
    mode,
    size: 4,
    instances: 1,
    maxPreparedStatements,
    maxClientConnections: 20,
  } as const;
  const pooler = await startPgBouncers(settings, upstream, pgBouncerEnv(kind));
  cleanUps.push(() => pooler.stop());
  return pooler;
}

function entry(pooler: RunningPooler): Endpoint {
  const [endpoint] = pooler.endpoints;
  if (!endpoint) throw new Error("a pooler has an endpoint");
  return endpoint;
}

async function findObstacles(yaml: string): Promise<Obstacle[]> {
  const { treatments } = parseScenario(`name: a\n${yaml}`, "a.yaml");
  return (await Promise.all((await ownServersOf(treatments)).map(obstaclesOn))).flat();
}

/** Obstacles that stop a run. The lack of pg_stat_statements in the suite's database does not stop a run. */
const grave = (obstacles: readonly Obstacle[]): Obstacle[] =>
  obstacles.filter(({ kind }) => kind !== "evidence");

it("a suitable server is accepted, and evidence that it lacks is named with the remedy", async () => {
  const obstacles = await findObstacles(`target: ${url(own.endpoint)}`);
  expect(grave(obstacles)).toEqual([]);
  expect(obstacles.map(({ remedy }) => remedy).join()).toContain("CREATE EXTENSION pg_stat_statements;");
});

it("every right that a role lacks is named with a statement that grants it", async () => {
  const scenario = `target: ${url(poor)}`;
  const obstacles = await findObstacles(scenario);
  expect(obstacles).toMatchObject([
    { kind: "unfit", remedy: `GRANT CREATE ON DATABASE ${quotedDatabase} TO ${quoted};` },
    { kind: "evidence", remedy: `GRANT pg_monitor TO ${quoted};` },
    { kind: "evidence", remedy: expect.stringContaining("CREATE EXTENSION pg_stat_statements;") as string },
  ]);
  for (const { remedy } of obstacles.slice(0, 2)) await own.admin.query(remedy);
  expect(grave(await findObstacles(scenario))).toEqual([]);
  expect(await findObstacles(scenario)).toHaveLength(1);
});

it("a namespace that another role owns is named with the GRANT that gives access", async () => {
  const namespace = testNamespace("left");
  const args = ["schema", "apply", "--url", urlOf(server), "--namespace", namespace];
  const { exitCode, stderr } = await trainSim(args);
  expect(exitCode, stderr).toBe(0);
  cleanUps.push(() => trainSim(["schema", "drop", "--url", urlOf(server), "--namespace", namespace]));
  const obstacles = await findObstacles(
    `namespace: ${namespace}\ntarget: ${url({ ...poor, database: server.database })}`,
  );
  expect(grave(obstacles).map(({ remedy }) => remedy)).toContain(`GRANT "${server.user}" TO ${quoted};`);
});

describe("limits of roles and databases", () => {
  const limited = testNamespace("limited");
  const asLimited = `target: ${url({ ...own.endpoint, user: limited, password: "limited" })}`;
  beforeAll(async () => {
    await own.admin.query(`CREATE ROLE ${limited} LOGIN PASSWORD 'limited' IN ROLE pg_monitor`);
    await own.admin.query(`GRANT CREATE ON DATABASE ${own.endpoint.database} TO ${limited}`);
  });
  afterAll(async () => {
    await own.admin.query(`DROP OWNED BY ${limited}; DROP ROLE ${limited}`);
  });

  it.each([
    ["ROLE", limited, "default_transaction_read_only", "on", "unfit"],
    ["DATABASE", own.endpoint.database, "default_transaction_read_only", "on", "unfit"],
    ["ROLE", limited, "statement_timeout", "30s", "evidence"],
    ["ROLE", limited, "lock_timeout", "1s", "evidence"],
    ["DATABASE", own.endpoint.database, "idle_in_transaction_session_timeout", "5s", "evidence"],
    ["ROLE", limited, "idle_session_timeout", "5min", "evidence"],
  ])(
    "are found with the statement that resets the limit: %s %s, %s = %s",
    async (kind, name, key, value, grade) => {
      await own.admin.query(`ALTER ${kind} ${name} SET ${key} = '${value}'`);
      cleanUps.push(() => own.admin.query(`ALTER ${kind} ${name} RESET ${key}`));
      const obstacles = (await findObstacles(asLimited)).filter(({ words }) => words.includes(key));
      expect(obstacles).toEqual([
        { kind: grade, words: expect.any(String) as string, remedy: `ALTER ${kind} "${name}" RESET ${key};` },
      ]);
    },
  );

  it("are refused if statement_timeout is too short for any statement", async () => {
    await own.admin.query(`ALTER ROLE ${limited} SET statement_timeout = '1ms'`);
    cleanUps.push(() => own.admin.query(`ALTER ROLE ${limited} RESET statement_timeout`));
    const [obstacle, ...others] = grave(await findObstacles(asLimited));
    expect(others).toEqual([]);
    expect(obstacle).toMatchObject({
      kind: "unfit",
      remedy: expect.stringContaining("statement_timeout") as string,
    });
  });

  it.each([
    ["ROLE", limited],
    ["DATABASE", own.endpoint.database],
  ])("are found with a sufficient CONNECTION LIMIT: %s %s", async (kind, name) => {
    await own.admin.query(`ALTER ${kind} ${name} CONNECTION LIMIT 5`);
    cleanUps.push(() => own.admin.query(`ALTER ${kind} ${name} CONNECTION LIMIT -1`));
    const [obstacle, ...others] = grave(await findObstacles(asLimited));
    expect(others).toEqual([]);
    expect(obstacle?.words).toContain("may have 5 connections (CONNECTION LIMIT)");
    await own.admin.query(obstacle?.remedy ?? "");
    expect(grave(await findObstacles(asLimited))).toEqual([]);
  });
});

it.each(["statement", "transaction"] as const)(
  "a target URL that leads to a pooler in %s mode is refused",
  async (mode) => {
    const pooler = entry(await pgBouncer(NEWEST_PGBOUNCER, server, 0, mode));
    const [obstacle, ...others] = await findObstacles(`target: ${url(pooler)}`);
    expect(others).toEqual([]);
    expect(obstacle).toMatchObject({
      kind: "unfit",
      words: expect.stringContaining(`a pooler in ${mode} mode`) as string,
    });
  },
);

describe("URLs of a target and its pool", () => {
  it("are accepted if all reach the same database, directly or through a pooler", async () => {
    const pooler = entry(await pgBouncer(NEWEST_PGBOUNCER, server));
    const target = `target: { urls: [${url(server)}, ${url({ ...server, host: "localhost" })}] }`;
    expect(
      grave(await findObstacles(`${target}\npool: { strategy: pgbouncer, url: ${url(pooler)} }`)),
    ).toEqual([]);
  });

  it("are refused if the pooler leads to another database of the same server", async () => {
    const pooler = entry(await pgBouncer(NEWEST_PGBOUNCER, server));
    const scenario = `target: ${url(own.endpoint)}\npool: { strategy: pgbouncer, url: ${url(pooler)} }`;
    const [stray, ...others] = grave(await findObstacles(scenario));
    expect(others).toEqual([]);
    expect(stray?.words).toContain(`pool.urls: postgresql://${pooler.user}@127.0.0.1:${pooler.port}/`);
    expect(stray?.words).toContain(
      `reaches database "${server.database}" of the server 127.0.0.1:${server.port}`,
    );
    expect(stray?.words).not.toContain(server.password);
  });

  it("are refused if two lead to different servers whose databases have the same name", async () => {
    const other: RunningTarget = await startEmbedded({}, { maxConnectionsNeeded: 10 });
    cleanUps.push(() => other.stop());
    const [stray] = grave(await findObstacles(`target: { urls: [${url(server)}, ${url(other.admin)}] }`));
    expect(stray?.words).toMatch(
      /^target\.urls: .* reaches database .*; train-sim's own connection reaches /,
    );
    expect(stray?.words).toContain(`of the server 127.0.0.1:${other.admin.port}`);
  });

  it("are reported as unreachable if nothing listens there", async () => {
    const gone = { ...poor, port: 1 };
    const obstacles = await findObstacles(`target: { urls: [${url(poor)}, ${url(gone)}] }`);
    expect(obstacles).toContainEqual(
      expect.objectContaining({
        kind: "unreachable",
        words: expect.stringContaining("nothing listens there") as string,
      }),
    );
  });

  it("may include an unreachable URL if another takes writes, and a message says so", async () => {
    const entry = (endpoint: Endpoint): string =>
      JSON.stringify(`${urlOf(endpoint)}?target_session_attrs=read-write`);
    const gone = { ...server, port: 1 };
    const obstacles = await findObstacles(`target: { urls: [${entry(gone)}, ${entry(server)}] }`);
    expect(grave(obstacles)).toEqual([]);
    expect(obstacles).toContainEqual({
      kind: "evidence",
      words: expect.stringMatching(/^target\.urls: .*:1\/.*nothing listens there/) as string,
      remedy: "The run goes on at the one that takes writes.",
    });
    const refused = { ...server, password: "wrong" };
    expect(
      grave(await findObstacles(`target: { urls: [${entry(server)}, ${entry(refused)}] }`)),
    ).toMatchObject([{ kind: "unreachable", words: expect.stringContaining("28P01") as string }]);
    expect(grave(await findObstacles(`target: { urls: [${entry(gone)}, ${entry(gone)}] }`))).toMatchObject([
      { kind: "unreachable" },
    ]);
  });

  it("are refused if their session works as a role that lacks the rights of the load's role", async () => {
    const worker = testNamespace("worker");
    await admin.query(
      `CREATE ROLE ${worker}; GRANT ${worker} TO ${quoted}; ALTER ROLE ${quoted} SET role = ${worker}`,
    );
    cleanUps.push(() => admin.query(`ALTER ROLE ${quoted} RESET role; DROP ROLE ${worker}`));
    const target = `target: { url: ${url({ ...poor, database: server.database })}, adminUrl: ${url(server)} }`;
    const [unfit, ...others] = grave(await findObstacles(target));
    expect(others).toEqual([]);
    expect(unfit?.words).toContain(`works as role "${worker}"; that lacks the rights of role "${poor.user}"`);
    expect(unfit?.remedy).toBe(`GRANT ${quoted} TO "${worker}";`);
  });

  it("are refused if the server lacks the role that a pooler's client logs in as", async () => {
    const pooler = entry(await pgBouncer(NEWEST_PGBOUNCER, { ...poor, database: server.database }));
    // PgBouncer keeps a connection of the role under its new name.
    await (await connectAdmin(pooler)).close();
    await admin.query(`ALTER ROLE ${quoted} RENAME TO renamed`);
    cleanUps.push(() => admin.query(`ALTER ROLE renamed RENAME TO ${quoted}`));
    const scenario = `target: ${url(server)}\npool: { strategy: pgbouncer, url: ${url(pooler)} }`;
    const [unfit] = grave(await findObstacles(scenario));
    expect(unfit?.words).toContain(`the server has no role "${pooler.user}"`);
    expect(unfit?.remedy).toBe(`CREATE ROLE ${quoted}; GRANT ${quoted} TO "renamed";`);
  });
});

describe("prepared statements through a pooler", () => {
  const scenario = (pooler: RunningPooler, more = ""): string =>
    `target: ${url(server)}\npool: { strategy: pgbouncer, url: ${url(entry(pooler))}, maxPreparedStatements: 100${more} }`;
  const withConsole = (pooler: RunningPooler): string => `, adminUrl: ${url(pooler.consoles[0] as Endpoint)}`;

  it("are accepted if the pooler supports prepared statements", async () => {
    const pooler = await pgBouncer(NEWEST_PGBOUNCER, server, 100);
    expect(grave(await findObstacles(scenario(pooler)))).toEqual([]);
    expect(grave(await findObstacles(scenario(pooler, withConsole(pooler))))).toEqual([]);
  });

  it.each([
    ["1.18", "PgBouncer 1.18.0 has no prepared statements outside session mode"],
    [NEWEST_PGBOUNCER, "is set to max_prepared_statements = 0"],
  ] as const)(
    "are refused if the console of PgBouncer %s, or a test through it, shows that PgBouncer keeps none",
    async (kind, words) => {
      const pooler = await pgBouncer(kind, server);
      const problems = grave(await findObstacles(scenario(pooler, withConsole(pooler))));
      expect(problems.map((each) => each.words).join()).toContain(words);
      const tried = grave(await findObstacles(scenario(pooler)));
      expect(tried.map((each) => each.words).join()).toContain("was not there in the next transaction");
      expect(tried[0]?.remedy).toContain("pool.maxPreparedStatements: 0");
      expect(
        grave(await findObstacles(scenario(pooler).replace("Statements: 100", "Statements: 0"))),
      ).toEqual([]);
    },
  );
});

describe("doctor --url", () => {
  const doctor = (endpoint: Endpoint): ReturnType<typeof trainSim> =>
    trainSim(["doctor", "--url", urlOf({ ...endpoint, user: encodeURIComponent(endpoint.user) })]);

  it("names product and version first, and marks missing evidence as optional", async () => {
    await own.admin.query(
      `GRANT CREATE ON DATABASE ${quotedDatabase} TO ${quoted}; REVOKE pg_monitor FROM ${quoted}`,
    );
    const { exitCode, stdout } = await doctor(poor);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toMatch(/^ok +server +PostgreSQL \d+\.\d+ at postgresql:\/\//);
    expect(stdout).toMatch(/\noptional +faults +role .* ends its own sessions only/);
    expect(stdout).toMatch(/\noptional +server +role .* may not read statistics of other roles/);
    expect(stdout).toMatch(/\noptional +server +database .* has no working extension pg_stat_statements/);
    expect(stdout).toMatch(/\nok +connections +at most \d+/);
    expect(stdout).not.toContain("Docker");
  });

  it("refuses a pooler in transaction mode, and a scenario in addition to the URL", async () => {
    const pooler = entry(await pgBouncer(NEWEST_PGBOUNCER, server));
    const { exitCode, stdout } = await doctor(pooler);
    expect(exitCode).toBe(104);
    expect(stdout).toMatch(/\nPROBLEM +server +.* is a pooler in transaction mode/);
    const both = await trainSim(["doctor", "quickstart", "--url", urlOf(server)]);
    expect(both.exitCode).toBe(104);
    expect(both.stderr).toContain("--url checks a server without a scenario");
  });
});

fullIt("a run without pg_stat_statements says which evidence it lacks", async () => {
  const file = writeScenarioFile(
    `name: a\nnamespace: ${testNamespace("lacks")}\nworkload: connections\ntarget: ${url(own.endpoint)}\ntrials: 1\n` +
      "trial: { warmUp: 0s, duration: 1s }\ndiagnosis: { ceiling: false }\nactors: { clients: { workers: 1, load: { clients: 1, thinkTime: 20ms } } }\n",
  );
  const { exitCode, stderr } = await trainSim(["run", file, "--out", scratchDirectory()]);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("evidence will lack the server's time by statement");
  expect(stderr).toContain("CREATE EXTENSION pg_stat_statements;");
});

describe("run and doctor", () => {
  it("name every problem before anything is created", async () => {
    const pooler = entry(await pgBouncer(NEWEST_PGBOUNCER, server));
    const namespace = testNamespace("never");
    await own.admin.query(`REVOKE CREATE ON DATABASE ${quotedDatabase} FROM ${quoted}`);
    const file = writeScenarioFile(
      `name: a\nnamespace: ${namespace}\ntarget: ${url(poor)}\npool: { strategy: pgbouncer, url: ${url(pooler)} }\n`,
    );
    const out = scratchDirectory();
    const run = await trainSim(["run", file, "--out", join(out, "results")]);
    const doctor = await trainSim(["doctor", file]);
    expect([run.exitCode, doctor.exitCode], run.stderr).toEqual([104, 104]);
    for (const text of [run.stderr, doctor.stdout]) {
      expect(text).toContain(`GRANT CREATE ON DATABASE ${quotedDatabase} TO ${quoted};`);
      expect(text).toContain(`reaches database "${server.database}"`);
    }
    expect(run.stderr).toContain("2 problems before the first trial");
    expect(readdirSync(out)).toEqual([]);
    expect((await namespaceState(own.admin, namespace)).kind).toBe("absent");
  });
});
