// docker/cockroachdb/ without any server: its scripts work with stand-ins of `docker` and `cockroach`, and its scenario is
// the reference experiment on the servers of compose.yaml and pgbouncer.ini. docker-files.test.ts checks its compose.yaml.
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { messageOf } from "../../src/foundation/errors.js";
import { loadScenario } from "../../src/scenario/loader.js";
import { totalClients } from "../../src/scenario/settings.js";
import { makeCockroachCertificates, type CockroachCertificates } from "../support/cockroachdb-stack.js";
import { DOCKER, DOCKER_COCKROACHDB, readCompose, type Compose } from "../support/docker-compose.js";

const run = promisify(execFile);
const SCENARIO = join(DOCKER_COCKROACHDB, "train-events.cockroachdb.yaml");
const REFERENCE = join(DOCKER, "..", "scenarios", "train-events.yaml");

let compose: Compose;
let certificates: CockroachCertificates;

beforeAll(async () => {
  compose = await readCompose(DOCKER_COCKROACHDB);
  certificates = await makeCockroachCertificates();
});

afterAll(async () => {
  await (certificates as CockroachCertificates | undefined)?.remove();
});

const readCommitted = (name: string): Promise<string> => readFile(join(DOCKER_COCKROACHDB, name), "utf8");

async function pgbouncerSetting(name: string): Promise<string> {
  return new RegExp(`^${name} = (.+)$`, "m").exec(await readCommitted("pgbouncer.ini"))?.[1] ?? "";
}

/** Standard error and exit code of a script, whether it works or not. */
async function outcome(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return run("sh", [join(DOCKER_COCKROACHDB, script), ...args], { env }).then(() => "0", messageOf);
}

test("every shell script of the stack parses in bash and in sh", async () => {
  const scripts = (await readdir(DOCKER_COCKROACHDB)).filter((name) => name.endsWith(".sh"));
  expect(scripts.sort()).toEqual(["init.sh", "make-certificates.sh", "stack.sh"]);
  for (const shell of ["bash", "sh"])
    for (const name of scripts) await run(shell, ["-n", join(DOCKER_COCKROACHDB, name)]);
});

describe("train-events.cockroachdb.yaml", () => {
  interface Reference {
    dialect?: string;
    name?: string;
    target?: unknown;
    factors: { clients?: number[]; pool: { strategy: string; mode?: string; size?: number }[] };
    exclude?: unknown;
  }
  const read = async (file: string) => parse(await readFile(file, "utf8")) as Reference;
  const poolers = ["pgbouncer-1", "pgbouncer-2", "pgbouncer-3"];

  test("equals the reference experiment except for dialect, target, pools and clients of the control", async () => {
    const [here, reference] = [await read(SCENARIO), await read(REFERENCE)];
    expect(here.dialect).toBe("cockroachdb");
    for (const each of [here, reference]) {
      for (const key of ["name", "dialect", "target", "exclude", "isolation", "published"] as const)
        Reflect.deleteProperty(each, key);
      delete each.factors.clients;
      each.factors.pool = each.factors.pool.map(({ strategy, ...keys }) =>
        keys.mode ? { strategy, mode: keys.mode } : { strategy },
      );
    }
    expect(here).toEqual(reference);
  });

  test("has the reference's treatments, with as many control clients as PgBouncers have connections", async () => {
    const ways = async (file: string) =>
      (await loadScenario(file)).treatments.map(({ settings }) => {
        const { payload, pool } = settings;
        return { payload, strategy: pool.strategy, clients: totalClients(settings) };
      });
    const together = poolers.length * Number(await pgbouncerSetting("default_pool_size"));
    const reference = (await ways(REFERENCE)).map((way) =>
      way.clients === 64 ? { ...way, clients: together } : way,
    );
    expect(await ways(SCENARIO)).toEqual(reference);
  });

  test("names servers, ports, pool sizes and authorities as the stack configures them", async () => {
    const seen = new Set<string>();
    for (const { settings } of (await loadScenario(SCENARIO)).treatments) {
      const { target, pool, dialect } = settings;
      if (target.kind !== "url") throw new Error(`unexpected target ${target.kind}`);
      expect(dialect).toBe("cockroachdb");
      expect([target.sslmode, target.ca]).toEqual(["verify-full", "/certs/ca.crt"]);
      const external = pool.strategy === "pgbouncer" ? pool.urls : [];
      for (const { url } of [...target.urls, ...external]) {
        const { hostname, port, username, pathname, search } = new URL(url);
        expect(compose.services[hostname]?.ports?.[0]).toMatch(new RegExp(`:${port}$`));
        expect([username, pathname]).toEqual(["pgb", "/train_sim"]);
        if (hostname.startsWith("pgbouncer-"))
          expect(search).toBe("?sslmode=verify-full&sslrootcert=/certs/pgbouncer-ca.crt");
        seen.add(hostname);
      }
      if (pool.strategy !== "pgbouncer") continue;
      expect(String(pool.size)).toBe(await pgbouncerSetting("default_pool_size"));
      expect(String(pool.maxPreparedStatements)).toBe(await pgbouncerSetting("max_prepared_statements"));
    }
    expect([...seen].sort()).toEqual(["haproxy", ...poolers]);
  });

  test("has no more clients than each PgBouncer and HAProxy accept", async () => {
    const { treatments } = await loadScenario(SCENARIO);
    const clients = Math.max(...treatments.map(({ settings }) => totalClients(settings)));
    expect(Number(await pgbouncerSetting("max_client_conn"))).toBeGreaterThan(clients);
    expect(Number(/^ +maxconn (\d+)$/m.exec(await readCommitted("haproxy.cfg"))?.[1])).toBeGreaterThan(
      clients,
    );
    for (const name of [...poolers, "haproxy", "train-sim", "cockroach-1"])
      expect(compose.services[name]?.ulimits?.nofile, name).toBeGreaterThan(2 * clients);
  });
});

describe("make-certificates.sh", () => {
  const path = (name: string) => join(certificates.directory, "certs", name);

  test("gives every service the files that it reads and no other key", async () => {
    const files = async (name: string) => (await readdir(path(name))).sort();
    expect(await files("node")).toEqual(["ca.crt", "node.crt", "node.key"]);
    expect(await files("root")).toEqual(["ca.crt", "client.root.crt", "client.root.key"]);
    expect(await files("pgbouncer")).toEqual([
      ...["ca.crt", "pgbouncer-ca.crt", "pgbouncer.crt", "pgbouncer.key", "userlist.txt"],
    ]);
    expect(await files("public")).toEqual(["ca.crt", "complete", "pgbouncer-ca.crt"]);
    for (const name of [
      "node/node.key",
      "root/client.root.key",
      "pgbouncer/pgbouncer.key",
      "pgbouncer/userlist.txt",
    ])
      expect((await stat(path(name))).mode & 0o777, name).toBe(0o600);
    for (const name of ["public/ca.crt", "public/pgbouncer-ca.crt"])
      expect((await stat(path(name))).mode & 0o777, name).toBe(0o644);
  });

  test("makes certificates for the names in compose.yaml", async () => {
    const node = new X509Certificate(await certificates.read("node/node.crt"));
    const pgbouncer = new X509Certificate(await certificates.read("pgbouncer/pgbouncer.crt"));
    for (const name of Object.keys(compose.services)) {
      const isNode = /^(cockroach-\d|haproxy)$/.test(name);
      expect(node.checkHost(name), name).toBe(isNode ? name : undefined);
      expect(pgbouncer.checkHost(name), name).toBe(name.includes("pgbouncer") ? name : undefined);
    }
  });

  test("signs PgBouncers' certificates with an authority that nodes do not trust", async () => {
    const cluster = new X509Certificate(await certificates.read("node/ca.crt"));
    const trusts = async (name: string) =>
      new X509Certificate(await certificates.read(name)).verify(cluster.publicKey);
    expect(await trusts("node/node.crt")).toBe(true);
    expect(await trusts("root/client.root.crt")).toBe(true);
    expect(await trusts("pgbouncer/pgbouncer.crt")).toBe(false);
  });

  test("keeps a complete set of certificates, and makes an incomplete set again", async () => {
    const before = await certificates.read("node/node.crt");
    await certificates.makeAgain();
    expect(await certificates.read("node/node.crt")).toBe(before);
    await rm(path("public/complete"));
    await certificates.makeAgain();
    expect(await certificates.read("node/node.crt")).not.toBe(before);
    expect(existsSync(path("public/complete"))).toBe(true);
    expect(await certificates.read("pgbouncer/userlist.txt")).toBe(`"pgb" "${certificates.password}"\n`);
  });

  test("refuses to make certificates without a password", async () => {
    const env = { ...certificates.env, TRAIN_SIM_PASSWORD: "" };
    expect(await outcome("make-certificates.sh", [certificates.directory], env)).toMatch(/not set/);
    expect(await outcome("make-certificates.sh", [], env)).toMatch(/usage/);
  });
});

describe("init.sh", () => {
  const log = (name: string) => readFile(join(certificates.directory, "log", name), "utf8");
  const args = ["cockroach-1", "/certs", join(DOCKER_COCKROACHDB, "init.sql")];

  test("initialises one cluster, and runs init.sql and the password's statement on it", async () => {
    expect(await outcome("init.sh", args, certificates.env)).toBe("0");
    expect(await log("init")).toBe("/certs cockroach-1\n");
    expect(await log("stdin")).toBe(
      `${await readCommitted("init.sql")}ALTER ROLE pgb WITH PASSWORD '${certificates.password}';\n`,
    );
  });

  test("changes only the password of an existing cluster", async () => {
    const env = { ...certificates.env, TRAIN_SIM_PASSWORD: "another1" };
    expect(await outcome("init.sh", args, env)).toBe("0");
    expect(await log("stdin")).toContain("PASSWORD 'another1'");
  });

  test("keeps the password out of command lines", async () => {
    expect(await log("executed")).not.toContain(certificates.password);
  });

  test.each([
    ["", /not set/],
    ["a' OR", /letters and digits only/],
  ])("refuses the password %j", async (password, message) => {
    expect(await outcome("init.sh", args, { ...certificates.env, TRAIN_SIM_PASSWORD: password })).toMatch(
      message,
    );
  });

  test("makes the database and role that pgbouncer.ini and the scenario use", async () => {
    const sql = await readCommitted("init.sql");
    expect(sql).toContain("CREATE DATABASE IF NOT EXISTS train_sim;");
    expect(sql).toContain("CREATE ROLE IF NOT EXISTS pgb WITH LOGIN;");
    expect(await pgbouncerSetting("train_sim")).toBe("host=haproxy port=26257 dbname=train_sim");
    expect(await pgbouncerSetting("stats_users")).toBe("pgb");
  });
});

describe("stack.sh", () => {
  let copy: string;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "train-sim-stack-"));
    await cp(DOCKER, join(copy, "docker"), { recursive: true });
    for (const home of ["docker", "docker/cockroachdb"]) await rm(join(copy, home, ".env"), { force: true });
    await mkdir(join(copy, "bin"));
    // Stand-in of docker, which prints its arguments.
    await writeFile(join(copy, "bin", "docker"), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 });
  });

  afterAll(async () => {
    await rm(copy, { recursive: true, force: true });
  });

  async function stack(...args: string[]): Promise<string> {
    const env = { ...process.env, PATH: `${join(copy, "bin")}:${process.env["PATH"] ?? ""}` };
    const { stdout } = await run("sh", [join(copy, "docker", "cockroachdb", "stack.sh"), ...args], { env });
    return stdout.replace(`compose|--file|${join(copy, "docker", "cockroachdb", "compose.yaml")}|`, "");
  }

  test("starts with a new password, and waits until all services are ready", async () => {
    expect(await stack("start")).toBe("up|--build|--detach|--wait|");
    expect(existsSync(join(copy, "docker", "cockroachdb", ".env"))).toBe(true);
    expect(existsSync(join(copy, "docker", ".env"))).toBe(false);
  });

  test("runs the reference experiment, or another scenario with its options", async () => {
    expect(await stack("run")).toBe("run|--build|--rm|train-sim|");
    expect(await stack("run", "scenarios/quickstart.yaml", "--set", "factors.payload=[text, jsonb]")).toBe(
      "run|--build|--rm|train-sim|run|scenarios/quickstart.yaml|--set|factors.payload=[text, jsonb]|",
    );
  });

  test("stops and removes all stored data", async () => {
    expect(await stack("stop")).toBe("--profile|run|down|--volumes|");
  });

  test.each([[[]], [["restart"]], [["stop", "now"]]])("prints its usage when given %j", async (args) => {
    await expect(stack(...args)).rejects.toThrow(/usage: stack.sh start \| run/);
  });
});

describe("docker/cockroachdb/README.md", () => {
  const page = (): Promise<string> => readFile(join(DOCKER_COCKROACHDB, "README.md"), "utf8");

  test("quotes the statements of init.sql for an existing cluster", async () => {
    const text = await page();
    const statements = (await readCommitted("init.sql"))
      .split("\n")
      .filter((line) => /^[A-Z].*;$/.test(line));
    expect(statements).toHaveLength(4);
    for (const statement of statements) expect(text).toContain(`   ${statement}\n`);
  });

  test("shows YAML that loads as a scenario", async () => {
    const blocks = [...(await page()).matchAll(/```yaml\n(.*?)```/gs)].map(([, block = ""]) => block);
    expect(blocks).toHaveLength(2);
    const directory = await mkdtemp(join(tmpdir(), "train-sim-page-"));
    try {
      const file = join(directory, "scenario.yaml");
      await writeFile(
        file,
        ["name: page", ...blocks.map((block) => block.replace(/^ {3}/gm, ""))].join("\n"),
      );
      const [treatment] = (await loadScenario(file)).treatments;
      expect(treatment?.settings).toMatchObject({
        dialect: "cockroachdb",
        target: { kind: "url", sslmode: "verify-full" },
        pool: { strategy: "pgbouncer", size: 22 },
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("names every file and port of the stack", async () => {
    const text = await page();
    for (const name of await readdir(DOCKER_COCKROACHDB))
      if (name !== ".env" && name !== "README.md") expect(text).toContain(`\`${name}\``);
    const ports = Object.values(compose.services).flatMap(({ ports: published = [] }) => published);
    for (const port of ports) expect(text).toContain(port.split(":")[1]);
  });
});
