// Real servers of MySQL and MariaDB for tests, unpacked from Debian's packages and run as the user of servers. Their data
// directory is made once and then copied. A program that is not available is an error with the reason, never a skipped test.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import type { Endpoint } from "../../src/database/endpoint.js";
import { systemClock } from "../../src/foundation/clock.js";
import {
  makePrivateDirectory,
  type PrivateDirectory,
} from "../../src/foundation/process/private-directory.js";
import { freePort, startProcess, type ServerProcess } from "../../src/foundation/process/server-process.js";
import { connectMySqlAdmin } from "../../src/database/mysql/admin.js";
import { debianProgram, type DebianProgram } from "./debian-program.js";
import { oneAtATime } from "./one-at-a-time.js";

const run = promisify(execFile);

interface Wanted extends DebianProgram {
  readonly scheme: string;
  /** Options of initialisation, and its input; MySQL needs none. */
  readonly initialize: { readonly options: readonly string[]; readonly scripts: readonly string[] };
  readonly options: readonly string[];
}

/** The servers by the names that tests use. */
const SERVERS = {
  mysql: {
    ...{ suite: "sid", packageName: "mysql-server-core", program: "usr/sbin/mysqld", scheme: "mysql" },
    initialize: { options: ["--initialize-insecure", "--innodb-redo-log-capacity=8M"], scripts: [] },
    options: [
      ...["--secure-file-priv=", "--mysqlx=0", "--skip-log-bin", "--innodb-redo-log-capacity=8M"],
      ...["--innodb-flush-method=nosync"],
    ],
  },
  mariadb: {
    ...{
      suite: "bookworm",
      packageName: "mariadb-server-core",
      program: "usr/sbin/mariadbd",
      scheme: "mariadb",
    },
    initialize: {
      options: ["--bootstrap", "--innodb-log-file-size=8M"],
      scripts: ["mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql"],
    },
    options: [
      ...["--performance-schema=ON", "--innodb-log-file-size=8M", "--skip-log-bin"],
      ...["--innodb-flush-method=nosync"],
    ],
  },
} as const satisfies Record<string, Wanted>;

export type MySqlServerName = keyof typeof SERVERS;

/** Account of the tests: an administrator. */
const USER = "train";
const PASSWORD = "siding 4/0";
export const DATABASE = "trains";
const START_PATIENCE_MS = 120_000;

export interface MySqlServer {
  readonly endpoint: Endpoint;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Unpacks a server and makes the data directory from which all starts copy. */
export async function prepareMySqlServer(name: MySqlServerName): Promise<string> {
  const wanted: Wanted = SERVERS[name];
  const program = await debianProgram(wanted);
  const template = join(dirname(program), "data");
  await oneAtATime(`${template}.lock`, async () => {
    if (!(await isThere(template))) await makeTemplate(name, program, template);
  });
  return program;
}

async function makeTemplate(name: MySqlServerName, program: string, template: string): Promise<void> {
  const wanted: Wanted = SERVERS[name];
  const directory = await makePrivateDirectory(name);
  try {
    const data = await dataDirectory(directory, wanted);
    const input = await bootstrapText(wanted, program);
    const file = input === undefined ? undefined : await directory.write("bootstrap.sql", input);
    const options = [...commonOptions(program, data), ...wanted.initialize.options];
    const server = await startProcess(name, directory, program, options, file);
    const how = await server.waitForExit();
    if (how !== "exit code 0")
      throw new Error(`${name} made no data directory (${how}): ${await server.log()}`);
    const draft = `${template}.${process.pid}`;
    await cp(data, draft, { recursive: true });
    await rename(draft, template);
  } finally {
    await directory.remove();
  }
}

/** Makes all servers ready while other tests run. Tests that need a server see the reason of a failure. */
export async function prepareMySqlServers(): Promise<void> {
  for (const name of Object.keys(SERVERS) as MySqlServerName[])
    await prepareMySqlServer(name).catch(() => undefined);
}

async function bootstrapText({ initialize }: Wanted, program: string): Promise<string | undefined> {
  if (initialize.scripts.length === 0) return undefined;
  const share = join(dirname(program), "root/usr/share/mysql");
  const scripts = initialize.scripts.map((script) => readFile(join(share, script), "utf8"));
  return ["USE mysql;", ...(await Promise.all(scripts))].join("\n");
}

async function dataDirectory(directory: PrivateDirectory, { initialize }: Wanted): Promise<string> {
  const data = join(directory.path, "data");
  // MySQL makes this directory itself, and refuses to work with one; the scripts of MariaDB need it.
  await mkdir(initialize.scripts.length > 0 ? join(data, "mysql") : data, { recursive: true });
  await own(directory, data);
  return data;
}

async function own({ user }: PrivateDirectory, path: string): Promise<void> {
  if (user) await run("chown", ["-R", `${user.uid}:${user.gid}`, path]);
}

function commonOptions(program: string, data: string): string[] {
  const usr = join(dirname(program), "root/usr");
  return [
    ...["--no-defaults", `--basedir=${usr}`, `--datadir=${data}`],
    ...[`--lc-messages-dir=${usr}/share/mysql`, `--character-sets-dir=${usr}/share/mysql/charsets`],
    `--plugin-dir=${usr}/lib/mysql/plugin`,
  ];
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startMySqlServer(
  name: MySqlServerName,
  options: readonly string[] = [],
): Promise<MySqlServer> {
  const program = await prepareMySqlServer(name);
  const directory = await makePrivateDirectory(name);
  const data = join(directory.path, "data");
  await cp(join(dirname(program), "data"), data, { recursive: true });
  await own(directory, directory.path);
  const port = await freePort();
  const account = `'${USER}'@'127.0.0.1'`;
  const initFile = await directory.write(
    "init.sql",
    [
      `CREATE DATABASE IF NOT EXISTS ${DATABASE};`,
      `CREATE USER IF NOT EXISTS ${account} IDENTIFIED BY '${PASSWORD}';`,
      `GRANT ALL ON *.* TO ${account} WITH GRANT OPTION;`,
      "",
    ].join("\n"),
  );
  const server = await startProcess(name, directory, program, [
    ...commonOptions(program, data),
    ...["--bind-address=127.0.0.1", `--port=${port}`, `--socket=${directory.path}/s`, "--skip-name-resolve"],
    ...[`--pid-file=${directory.path}/pid`, `--tmpdir=${directory.path}`, `--init-file=${initFile}`],
    ...["--max-connections=150", "--innodb-buffer-pool-size=32M"],
    ...SERVERS[name].options,
    ...options,
  ]);
  const stop = async (): Promise<void> => {
    await server.stop([{ signal: "SIGTERM", patienceMs: 20_000 }]);
    await directory.remove();
  };
  const endpoint: Endpoint = {
    ...{ scheme: SERVERS[name].scheme, host: "127.0.0.1", port },
    ...{ database: DATABASE, user: USER, password: PASSWORD },
  };
  const untilMs = systemClock.nowMs() + START_PATIENCE_MS;
  for (;;) {
    try {
      await (await connectMySqlAdmin(endpoint)).close();
      return { endpoint, process: server, stop };
    } catch (error) {
      if (server.hasExited || systemClock.nowMs() > untilMs) {
        const log = await server.log();
        await stop();
        throw new Error(`${name} does not start: ${log}`, { cause: error });
      }
      await systemClock.sleep(50);
    }
  }
}

/** Starts a server before the tests of a file or `describe` block, and stops it after them. */
export function useMySqlServer(name: MySqlServerName, options: readonly string[] = []): () => MySqlServer {
  let server: MySqlServer | undefined;
  beforeAll(async () => {
    server = await startMySqlServer(name, options);
  });
  afterAll(() => server?.stop());
  return () => {
    if (!server) throw new Error(`${name} has not been started`);
    return server;
  };
}

/** URL of an endpoint, as a scenario has it. */
export const mySqlUrlOf = ({ scheme, user, password = "", host, port, database }: Endpoint): string =>
  `${scheme}://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
