// A run leaks none of its passwords: real runs in several modes, failures included, whose every file, output, page, command
// line and environment is searched. Its processes listen on loopback only, and only the owner can read files that must hold
// a password.
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { casesOf, fullIt } from "../support/lanes.js";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { testNamespace } from "../support/namespace.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { listeningAddresses, seenProcesses } from "../support/proc.js";
import { filesBelow, formsOf, leaksIn, testSecret } from "../support/secrets.js";
import {
  waitUntilAnnounced,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
  type Ended,
} from "../support/train-sim.js";

const LOAD = `
actors:
  producers: { load: { executor: constant-clients, clients: 2, thinkTime: 60ms } }
  consumers: { load: { executor: constant-clients, clients: 2, thinkTime: 15ms } }
  archivers: { load: { executor: constant-clients, clients: 1, thinkTime: 15ms } }
batch: 5
trial: { warmUp: 200ms, duration: 2s, drain: 10s }
trials: 1
seed: 1
log: { level: debug, slowTransaction: 1ms }
diagnosis: { ceiling: false }
`;
const POOLS = "factors: { pool: [direct, { strategy: pgbouncer, mode: transaction, size: 3 }] }\n";

/** True on Linux, where other users see command lines and environments in /proc. */
const isLinux = process.platform === "linux";
const secret = testSecret();
const role = testNamespace("teller");
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
  const quoted = `'${secret.password.replaceAll("'", "''")}'`;
  await admin.query(`SET standard_conforming_strings = on`);
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD ${quoted}`);
  await admin.query(`CREATE DATABASE ${role} OWNER ${role}`);
});
afterAll(async () => {
  await admin.query(`DROP DATABASE ${role} WITH (FORCE)`);
  await admin.query(`DROP ROLE ${role}`);
  await admin.close();
});

function urlWith(password: string | undefined, more: { user?: string; port?: number } = {}): string {
  const { host, port } = inject("adminEndpoint");
  const login = password === undefined ? "" : `:${password}`;
  return `postgresql://${more.user ?? role}${login}@${host}:${more.port ?? port}/${role}`;
}

function onUrl(url: string, rest = POOLS + LOAD): string {
  return `name: secrets\ntarget: { kind: url, urls: [${JSON.stringify(url)}] }\n${rest}`;
}

function textsOf(what: string, { stdout, stderr }: Ended): Record<string, string> {
  return { [`stdout of ${what}`]: stdout, [`stderr of ${what}`]: stderr };
}

function filesIn(directory: string): Record<string, string> {
  return Object.fromEntries(filesBelow(directory).map(({ path, content }) => [path, content]));
}

/** Private directories of the servers that the train-sim with that process id has started. */
function privateDirectories(pid: number | undefined): string[] {
  const names = readdirSync(tmpdir()).filter((name) => new RegExp(`^train-sim-[a-z]+-${pid}-`).test(name));
  return names.map((name) => join(tmpdir(), name));
}

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

async function pageOf(address: string): Promise<string> {
  return (await fetch(address)).text();
}

/** SQL of an event trigger that makes every archiving fail with a DETAIL that quotes the row. */
const SPOIL = `CREATE FUNCTION public.spoil() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE made record;
BEGIN
  FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE '%.events_archive' LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT spoilt CHECK (attempts < 0)', made.object_identity);
  END LOOP;
END $$;
CREATE EVENT TRIGGER spoil ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.spoil()`;

describe("passwords", () => {
  it.runIf(isLinux)("a generated password is only in files that its user alone can read", async () => {
    const out = scratchDirectory();
    // The load lasts long enough for all checks during the run.
    const load = LOAD.replace("duration: 2s", "duration: 8s");
    const yaml = `name: secrets\npool: { strategy: pgbouncer, mode: transaction, size: 3 }\n${load}`;
    const args = ["--out", out, "--dashboard", "0", "--prometheus", "0"];
    const started = startTrainSim(["run", writeScenarioFile(yaml), ...args], { env: pgBouncerEnv() });
    const [page, metrics] = await Promise.all([
      waitUntilAnnounced(started, "live page"),
      waitUntilAnnounced(started, "metrics for Prometheus"),
    ]);
    await untilLogged(out, '"phase":"measure"');

    const directories = privateDirectories(started.child.pid);
    const userList = directories.flatMap(filesBelow).find(({ path }) => path.endsWith("/userlist.txt"));
    const passwords = [...(userList?.content ?? "").matchAll(/" "(\w{36})"/g)].map(([, word]) => word ?? "");
    expect(passwords).toHaveLength(2);
    const forms = passwords.flatMap(formsOf);

    expect(directories.map(modeOf)).toEqual(["700", "700"]);
    const holders = directories
      .flatMap(filesBelow)
      .filter(({ content }) => forms.some((form) => content.includes(form)));
    expect(holders.map(({ path }) => [path, modeOf(path)])).toEqual([[userList?.path, "600"]]);
    const open = directories.flatMap(filesBelow).filter(({ path }) => !/00$/.test(modeOf(path)));
    expect(open.map(({ path }) => path)).toEqual([]);
    const hba =
      directories.flatMap(filesBelow).find(({ path }) => path.endsWith("/pg_hba.conf"))?.content ?? "";
    const methods = hba.split("\n").flatMap((line) => /^[a-z]\S+ .*\s(\S+)$/.exec(line.trim())?.[1] ?? []);
    expect(new Set(methods)).toEqual(new Set(["scram-sha-256"]));

    const addresses = listeningAddresses(started.child.pid ?? 0);
    // The addresses are PostgreSQL's, PgBouncer's, the live page's and the metrics'.
    expect(new Set(addresses).size).toBe(4);
    expect(addresses.filter((address) => !address.startsWith("127.0.0.1:"))).toEqual([]);

    const seen = seenProcesses(started.child.pid ?? 0);
    expect(seen.length).toBeGreaterThan(5);
    const pages = { page: await pageOf(page), metrics: await pageOf(`${metrics}metrics`) };
    const ended = await started.ended;
    expect(ended.exitCode).toBe(0);
    const processes = Object.fromEntries(
      seen.map(({ pid, commandLine, environment }) => [`process ${pid}`, commandLine + environment]),
    );
    expect(leaksIn({ ...processes, ...pages, ...textsOf("run", ended), ...filesIn(out) }, forms)).toEqual([]);
    expect(privateDirectories(started.child.pid)).toEqual([]);
  });

  fullIt("a password in a URL reaches no file, output or later command", async () => {
    const out = scratchDirectory();
    const url = urlWith(secret.encoded);
    const file = writeScenarioFile(onUrl(url));
    const env = pgBouncerEnv();
    const ended = await trainSim(["run", file, "--out", out, "--json", "--duration", "1s"], { env });
    expect(ended.stderr).toContain("trial 2/2");
    expect(ended.exitCode).toBe(0);
    const [name = ""] = readdirSync(out);
    const directory = join(out, name);
    const commands = [
      ["run", file, "--plan"],
      ["validate", file, "--json"],
      ["report", directory],
      ["logs", directory],
      ["logs", directory, "--json"],
      ["doctor", file],
      ["run", "--resume", directory],
      ["schema", "apply", "--url", url, "--namespace", "told"],
      ["schema", "drop", "--url", url, "--namespace", "told"],
    ];
    const texts: Record<string, string> = textsOf("run --json", ended);
    for (const command of commands) {
      const answer = await trainSim(command, { env: { ...env, PGPASSWORD: secret.password } });
      expect(answer.stdout.length + answer.stderr.length, command.join(" ")).toBeGreaterThan(10);
      Object.assign(texts, textsOf(command.join(" ").replace(secret.encoded, "..."), answer));
    }
    expect(leaksIn({ ...texts, ...filesIn(out) }, secret.forms)).toEqual([]);
    expect(readFileSync(join(directory, "scenario.yaml"), "utf8")).toContain(urlWith(undefined));
  });

  fullIt(
    "a password from passwordCommand reaches no file or output, whether the run succeeds or fails",
    async () => {
      const out = scratchDirectory();
      const token = join(scratchDirectory(), "token");
      writeFileSync(token, `${secret.password}\n`);
      const target = JSON.stringify({ urls: [urlWith(undefined)], passwordCommand: ["cat", token] });
      const file = writeScenarioFile(
        `name: secrets\ntarget: ${target}\npool: { strategy: pg-pool, size: 6 }\n${LOAD}`,
      );
      const env = { PGPASSWORD: "not the password" };
      const ended = await trainSim(["run", file, "--out", out, "--json"], { env });
      expect(ended.exitCode).toBe(0);
      writeFileSync(token, `${secret.password}\n${secret.password}\n`);
      const refused = await trainSim(["run", file, "--out", out], { env });
      expect(refused.stderr).toContain("target.passwordCommand (cat) printed more than one line");
      expect(refused.exitCode).toBe(111);
      const texts = { ...textsOf("run", ended), ...textsOf("refused", refused), ...filesIn(out) };
      expect(Object.keys(texts).length).toBeGreaterThan(8);
      expect(leaksIn(texts, secret.forms)).toEqual([]);
    },
  );

  it.runIf(isLinux)("a password in the environment reaches no child process and no file", async () => {
    const out = scratchDirectory();
    const yaml = onUrl(
      urlWith(undefined),
      `pool: { strategy: pgbouncer, mode: transaction, size: 3 }\n${LOAD}`,
    );
    const env = { ...pgBouncerEnv(), PGPASSWORD: secret.password };
    const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out], { env });
    await untilLogged(out, '"phase":"measure"');
    const [own, ...children] = seenProcesses(started.child.pid ?? 0);
    expect(leaksIn({ own: own?.commandLine ?? "" }, secret.forms)).toEqual([]);
    expect(children.length).toBeGreaterThan(1);
    const processes = Object.fromEntries(
      children.map(({ commandLine, environment }) => [commandLine, commandLine + environment]),
    );
    const ended = await started.ended;
    expect(ended.exitCode).toBe(0);
    expect(leaksIn({ ...processes, ...textsOf("run", ended), ...filesIn(out) }, secret.forms)).toEqual([]);
  });

  it.each(
    casesOf(
      [
        ["wrong password", urlWith(secret.encoded, { user: "postgres" }), 111],
        ["nothing listens there", urlWith(secret.encoded, { port: 1 }), 111],
        ["password not encoded", urlWith(secret.password), 104],
        ["unknown parameter", `${urlWith(secret.encoded)}?pasword=${secret.encoded}`, 104],
        ["malformed parameter", `${urlWith(undefined)}?password=${secret.encoded}&sslmode=x`, 104],
      ],
      1,
    ),
  )("a refused URL does not reveal its password: %s", async (_, url, exitCode) => {
    const texts: Record<string, string> = {};
    const out = scratchDirectory();
    for (const yaml of [onUrl(url), onUrl(url, `wrong: 1\n${LOAD}`)]) {
      const file = writeScenarioFile(yaml);
      const env = pgBouncerEnv();
      for (const command of [
        ["run", file, "--out", out],
        ["validate", file, "--json"],
      ])
        Object.assign(texts, textsOf(`${command[0] ?? ""} ${yaml.length}`, await trainSim(command, { env })));
    }
    const applied = await trainSim(["schema", "apply", "--url", url, "--namespace", "told"]);
    expect(applied.exitCode).toBe(exitCode);
    const set = await trainSim([
      "run",
      writeScenarioFile(`name: x\n${LOAD}`),
      "--set",
      `target=${url}`,
      "--plan",
    ]);
    expect(Object.values(texts).join("")).toContain("wrong");
    expect(
      leaksIn(
        { ...texts, ...textsOf("schema", applied), ...textsOf("--set", set), ...filesIn(out) },
        secret.forms,
      ),
    ).toEqual([]);
  });

  fullIt(
    "the message of a failed run contains neither the password nor a row that the server quotes",
    async () => {
      const inside = await connectAdmin({ ...inject("adminEndpoint"), database: role });
      await inside.query(SPOIL);
      const out = scratchDirectory();
      const url = urlWith(secret.encoded);
      let ended: Awaited<ReturnType<typeof trainSim>>;
      try {
        ended = await trainSim(["run", writeScenarioFile(onUrl(url, LOAD)), "--out", out]);
      } finally {
        await inside.query("DROP EVENT TRIGGER spoil; DROP FUNCTION public.spoil");
        await inside.close();
      }
      const texts = { ...textsOf("run", ended), ...filesIn(out) };
      expect(Object.values(texts).join("")).toContain("23514");
      expect(leaksIn(texts, [...secret.forms, "Failing row", "authorityId", "logicalPos"])).toEqual([]);
    },
  );
});
