// docker/ without any server: the compose.yaml of both stacks is well formed and refers only to existing files, ports stay
// on loopback, the script makes every required variable, and images are pinned and do not run as root.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadScenario } from "../../src/scenario/loader.js";
import { totalClients } from "../../src/scenario/settings.js";
import {
  DOCKER,
  DOCKER_COCKROACHDB,
  parseCompose,
  readCompose,
  type Compose,
} from "../support/docker-compose.js";

const run = promisify(execFile);
const ROOT = join(DOCKER, "..");
const OWN_IMAGES = ["train-sim", "train-sim-pgbouncer"];
/** Pattern of an image whose tag is a version with at least two numbers, or a name with a date, and not `latest`. */
const PINNED = /^[\w./-]+:(v?\d+\.\d+(\.\d+)?|[a-z]+-\d{8})(-[\w.-]+)?$/;

/** Keys of the compared scenarios. The loader checks all keys. */
interface ReferenceScenario {
  name?: string;
  target?: unknown;
  published?: unknown;
  factors: { pool: { strategy: string; mode?: string | undefined; size?: number | undefined }[] };
}

const STACKS = [
  {
    file: "compose.yaml",
    home: DOCKER,
    names: ["certificates", "postgres", "pgbouncer-1", "pgbouncer-2", "haproxy", "train-sim"],
  },
  {
    file: "cockroachdb/compose.yaml",
    home: DOCKER_COCKROACHDB,
    names: [
      ...["certificates", "cockroach-1", "cockroach-2", "cockroach-3", "init", "haproxy"],
      ...["pgbouncer-1", "pgbouncer-2", "pgbouncer-3", "haproxy-pgbouncers", "train-sim"],
    ],
  },
];

/** A copy of docker/ in which make-env.sh has run for both stacks. */
let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "train-sim-docker-"));
  await mkdir(join(copy, "docker"));
  await cp(DOCKER, join(copy, "docker"), { recursive: true });
  for (const { home } of STACKS) {
    await rm(join(pathOfCopy(home), ".env"), { force: true });
    // The script needs no argument for its own stack.
    await run("sh", [join(copy, "docker", "make-env.sh"), ...(home === DOCKER ? [] : [pathOfCopy(home)])]);
  }
});

afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
});

function pathOfCopy(home: string): string {
  return join(copy, relative(ROOT, home));
}

async function environment(home = DOCKER): Promise<Map<string, string>> {
  const text = await readFile(join(pathOfCopy(home), ".env"), "utf8");
  return new Map(text.split("\n").flatMap((line) => (line ? [line.split("=") as [string, string]] : [])));
}

describe.each(STACKS)("$file", ({ home, names }) => {
  let compose: Compose;

  beforeAll(async () => {
    compose = await readCompose(home);
  });

  function services(): [string, Compose["services"][string]][] {
    return Object.entries(compose.services);
  }

  test("is accepted by the strict schema, and by Docker Compose if it is installed", async () => {
    expect(Object.keys(compose.services)).toEqual(names);
    const hasCompose = await run("docker", ["compose", "version"]).then(
      () => true,
      () => false,
    );
    if (hasCompose)
      await run("docker", ["compose", "-f", join(pathOfCopy(home), "compose.yaml"), "config", "-q"]);
  });

  test("is refused by the strict schema with a misspelt or duplicate key", async () => {
    const text = await readFile(join(home, "compose.yaml"), "utf8");
    expect(() => parseCompose(text.replace("stop_signal:", "stop_signals:"))).toThrow(/stop_signals/);
    expect(() => parseCompose(`${text}\nvolumes: {}\n`)).toThrow(/unique/);
  });

  test("publishes ports on the loopback address only", () => {
    const ports = services().flatMap(([, service]) => service.ports ?? []);
    expect(ports).not.toHaveLength(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test("pins every image that it does not build", () => {
    for (const [name, { image, build }] of services()) {
      if (build) expect(OWN_IMAGES, name).toContain(image);
      else expect(image, name).toMatch(PINNED);
    }
  });

  test("mounts existing files and declared volumes, and declares no unused volume", () => {
    const used = new Set<string>();
    for (const volume of services().flatMap(([, service]) => service.volumes ?? [])) {
      const [source = "", target = "", mode] = volume.split(":");
      expect(target).toMatch(/^\//);
      expect([undefined, "ro"]).toContain(mode);
      if (!source.startsWith(".")) used.add(source);
      // make-env.sh makes the directory results. All other mounted sources are committed and must be read-only.
      else if (source.endsWith("/results")) {
        expect(join(pathOfCopy(home), source)).toBe(join(copy, "results"));
        expect(existsSync(join(copy, "results"))).toBe(true);
      } else {
        expect(existsSync(join(home, source)), source).toBe(true);
        expect(mode, source).toBe("ro");
      }
    }
    expect([...used].sort()).toEqual(Object.keys(compose.volumes).sort());
  });

  test("builds stages that the Dockerfile has", async () => {
    const dockerfile = await readFile(join(DOCKER, "Dockerfile"), "utf8");
    for (const [, { build }] of services()) {
      if (!build) continue;
      expect(join(home, build.context, build.dockerfile)).toBe(join(DOCKER, "Dockerfile"));
      expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${build.target}$`, "m"));
    }
  });

  test("waits only for services that it has, and for health only of services with a health check", () => {
    for (const [name, service] of services()) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(Object.keys(compose.services), name).toContain(other);
        if (condition === "service_healthy") expect(compose.services[other]?.healthcheck).toBeDefined();
      }
    }
  });

  test("starts the load only on request", () => {
    expect(
      services()
        .filter(([, service]) => service.profiles)
        .map(([name]) => name),
    ).toEqual(["train-sim"]);
  });

  test("requires exactly the variables that make-env.sh makes", async () => {
    const text = await readFile(join(home, "compose.yaml"), "utf8");
    const asked = [...text.matchAll(/\$\{(\w+)(:\?[^}]+)?\}/g)];
    expect(new Set(asked.map(([, name]) => name))).toEqual(new Set((await environment(home)).keys()));
    for (const [reference, , message] of asked) expect(message, reference).toContain("make-env.sh");
  });
});

describe("train-events.docker.yaml", () => {
  let compose: Compose;

  beforeAll(async () => {
    compose = await readCompose();
  });

  const scenario = join(DOCKER, "train-events.docker.yaml");
  const read = async (file: string) => parse(await readFile(file, "utf8")) as ReferenceScenario;

  test("is the reference experiment with another target and other pools", async () => {
    const [here, reference] = [
      await read(scenario),
      await read(join(ROOT, "scenarios", "train-events.yaml")),
    ];
    for (const each of [here, reference]) {
      delete each.name;
      delete each.target;
      delete each.published;
      each.factors.pool = each.factors.pool.map(({ strategy, mode, size }) => ({ strategy, mode, size }));
    }
    expect(here).toEqual(reference);
  });

  test("names servers, pool sizes and certificates as the stack configures them", async () => {
    const { treatments } = await loadScenario(scenario);
    const ini = await readFile(join(DOCKER, "pgbouncer", "pgbouncer.ini"), "utf8");
    const setting = (name: string) => Number(new RegExp(`^${name} = (\\d+)$`, "m").exec(ini)?.[1]);
    const poolers = Object.keys(compose.services).filter((name) => name.startsWith("pgbouncer-"));
    const seen = new Set<string>();
    for (const { settings } of treatments) {
      const { target, pool } = settings;
      if (target.kind !== "url") throw new Error(`unexpected target ${target.kind}`);
      for (const { url } of [...target.urls, ...("urls" in pool ? pool.urls : [])]) {
        const { hostname, port, username, pathname, searchParams } = new URL(url);
        const service = compose.services[hostname];
        expect(service?.ports?.[0]).toMatch(new RegExp(`:${port}$`));
        expect([username, pathname]).toEqual(["train_sim", "/train_sim"]);
        // Certificates must be mounted where the URLs of train-sim's service expect them, in both forms of URL.
        expect([target.ca, searchParams.get("sslrootcert") ?? target.ca]).toEqual([
          "/certs/ca.crt",
          "/certs/ca.crt",
        ]);
        expect(searchParams.get("sslmode") ?? target.sslmode).toBe("verify-full");
        seen.add(hostname);
      }
      if (pool.strategy !== "pgbouncer") continue;
      expect(pool.size).toBe(poolers.length * setting("default_pool_size"));
      expect(pool.maxPreparedStatements).toBe(setting("max_prepared_statements"));
    }
    expect([...seen].sort()).toEqual(["haproxy", "postgres"]);
  });

  test("has no more clients than PostgreSQL and each PgBouncer accept", async () => {
    const { treatments } = await loadScenario(scenario);
    const clients = Math.max(...treatments.map(({ settings }) => totalClients(settings)));
    const words = compose.services["postgres"]?.command ?? [];
    const maxConnections = words.find((word) => word.startsWith("max_connections="))?.split("=")[1];
    expect(Number(maxConnections)).toBeGreaterThan(clients + 64);
    const ini = await readFile(join(DOCKER, "pgbouncer", "pgbouncer.ini"), "utf8");
    expect(Number(/^max_client_conn = (\d+)$/m.exec(ini)?.[1])).toBeGreaterThan(clients);
    for (const name of ["pgbouncer-1", "pgbouncer-2", "haproxy", "train-sim"])
      expect(compose.services[name]?.ulimits?.nofile, name).toBeGreaterThan(2 * clients);
  });
});

describe("make-env.sh", () => {
  test("makes a different password for each stack", async () => {
    const [postgres, cockroachdb] = [await environment(), await environment(DOCKER_COCKROACHDB)];
    expect([...cockroachdb.keys()]).toEqual([...postgres.keys()]);
    expect(cockroachdb.get("TRAIN_SIM_PASSWORD")).not.toBe(postgres.get("TRAIN_SIM_PASSWORD"));
  });

  test("makes a long password in a file that only its owner can read", async () => {
    const values = await environment();
    expect(values.get("TRAIN_SIM_PASSWORD")).toMatch(/^[0-9a-f]{48}$/);
    expect((await stat(join(copy, "docker", ".env"))).mode & 0o777).toBe(0o600);
  });

  test("sets a user other than root for the load", async () => {
    const values = await environment();
    expect(Number(values.get("TRAIN_SIM_UID"))).toBeGreaterThan(0);
    expect((await stat(join(copy, "results"))).uid).toBe(Number(values.get("TRAIN_SIM_UID")));
  });

  test("keeps an existing password", async () => {
    const before = await environment();
    const { stderr } = await run("sh", [join(copy, "docker", "make-env.sh")]);
    expect(stderr).toContain("left as it is");
    expect(await environment()).toEqual(before);
  });

  test("makes a file that git ignores", async () => {
    const ignored = await readFile(join(DOCKER, ".gitignore"), "utf8");
    expect(ignored.split("\n")).toContain(".env");
  });
});

describe("make-certificates.sh", () => {
  test("refuses to make certificates without a password", async () => {
    const { TRAIN_SIM_PASSWORD, ...env } = process.env;
    expect(TRAIN_SIM_PASSWORD).toBeUndefined();
    const script = join(DOCKER, "make-certificates.sh");
    await expect(run("sh", [script, copy], { env })).rejects.toThrow(/TRAIN_SIM_PASSWORD is not set/);
    await expect(run("sh", [script], { env })).rejects.toThrow(/usage/);
  });

  test("deletes the authority's key, and makes other keys readable only by their owners", async () => {
    const directory = join(copy, "certs");
    await mkdir(directory);
    const env = { ...process.env, TRAIN_SIM_PASSWORD: "secret" };
    await run("sh", [join(DOCKER, "make-certificates.sh"), directory], { env });
    expect(existsSync(join(directory, "ca.key"))).toBe(false);
    for (const file of ["postgres.key", "pgbouncer.key", "userlist.txt"])
      expect((await stat(join(directory, file))).mode & 0o777, file).toBe(0o600);
    const before = await readFile(join(directory, "ca.crt"), "utf8");
    await run("sh", [join(DOCKER, "make-certificates.sh"), directory], { env });
    expect(await readFile(join(directory, "ca.crt"), "utf8")).toBe(before);
  });
});

describe("Dockerfile", () => {
  /** Instructions in order, with continued lines joined. */
  async function instructions(): Promise<string[][]> {
    const text = await readFile(join(DOCKER, "Dockerfile"), "utf8");
    const lines = text.replace(/\\\n/g, " ").split("\n");
    return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/\s+/));
  }

  test("builds on pinned images", async () => {
    const bases = (await instructions()).filter(([word]) => word === "FROM").map(([, image = ""]) => image);
    expect(bases).toHaveLength(3);
    for (const base of bases) expect(base).toMatch(PINNED);
  });

  test("copies exactly the files that its .dockerignore lets through", async () => {
    const seen = (await readFile(join(DOCKER, "Dockerfile.dockerignore"), "utf8"))
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const sources = (await instructions())
      .filter(([word, flag]) => word === "COPY" && !flag?.startsWith("--from"))
      .flatMap((words) => words.slice(1, -1));
    expect(new Set(sources)).toEqual(new Set(seen));
    for (const source of sources) expect(existsSync(join(ROOT, source)), source).toBe(true);
  });

  test("copies all TypeScript projects of the build", async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
      scripts: { build: string };
    };
    const projects = [...scripts.build.matchAll(/tsc -p (\S+)/g)].map(([, project]) => project);
    expect(projects.length).toBeGreaterThan(1);
    expect((await instructions()).flat()).toEqual(expect.arrayContaining(projects));
  });

  test("runs the programs of its images as users other than root", async () => {
    const all = await instructions();
    const last = (word: string, from: number, to: number) =>
      all
        .slice(from, to)
        .filter(([first]) => first === word)
        .at(-1)
        ?.slice(1)
        .join(" ");
    const starts = all.flatMap(([word], index) => (word === "FROM" ? [index] : []));
    const [, pgbouncer = 0, trainSim = 0] = starts;
    expect(last("USER", pgbouncer, trainSim)).toBe("10001:10001");
    expect(last("ENTRYPOINT", pgbouncer, trainSim)).toBe('["pgbouncer"]');
    expect(last("USER", trainSim, all.length)).toBe("node");
    expect(last("ENTRYPOINT", trainSim, all.length)).toBe('["train-sim"]');
  });

  test("links the program that package.json names", async () => {
    const { bin } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
      bin: Record<string, string>;
    };
    const text = await readFile(join(DOCKER, "Dockerfile"), "utf8");
    expect(text).toContain(`ln -s /opt/train-sim/${bin["train-sim"] ?? "?"} /usr/local/bin/train-sim`);
  });
});
