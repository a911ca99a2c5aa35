// One managed PgBouncer: its directory with configuration and secrets, its port, and the process that runs it, which can
// be taken down and up again with all of that the same. Whoever takes it down expects it to be away; an end of its own
// is told. Stopped for good, it leaves neither process nor directory.
import { join } from "node:path";
import { systemClock } from "../../foundation/clock.js";
import { TargetError } from "../../foundation/errors.js";
import { generateSecret } from "../../foundation/prng.js";
import { addressOf, type Endpoint } from "../../database/endpoint/endpoint.js";
import { isVersionAtLeast, type PgBouncerProgram } from "./find-pgbouncer.js";
import {
  ADMIN_DATABASE,
  ADMIN_USER,
  CLIENT_DATABASE,
  pgBouncerIni,
  pgBouncerUserList,
  type PgBouncerSettings,
} from "./pgbouncer-config.js";
import { makePrivateDirectory, type PrivateDirectory } from "../../foundation/process/private-directory.js";
import {
  complaintIn,
  freePort,
  startProcess,
  type ServerProcess,
} from "../../foundation/process/server-process.js";
import type { PoolerInstance } from "../running-pooler.js";

const START_PATIENCE_MS = 15_000;
const POLL_MS = 5;
const PORT_ATTEMPTS = 5;
/** What 1.19 and later end with, and those before; the address in use is a warning before that. */
const PORT_TAKEN = /failed to listen on any address|nowhere to listen on/;

/** The first version that follows named prepared statements through transaction pooling. */
const PREPARED_STATEMENTS_SINCE = "1.21";

export function hasPreparedStatements(version: string): boolean {
  return isVersionAtLeast(version, PREPARED_STATEMENTS_SINCE);
}

export class PgBouncerInstance implements PoolerInstance {
  /** Settles when it ended without having been told to, with how and the last lines of its log. */
  readonly lost: Promise<string>;
  private declareLost: (words: string) => void = () => undefined;
  private process: ServerProcess | undefined;

  private constructor(
    private readonly program: PgBouncerProgram,
    private readonly directory: PrivateDirectory,
    readonly client: Endpoint,
    readonly console: Endpoint,
  ) {
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
  }

  /** Resolves once it listens; where a port turns out to be taken, on another. On rejection nothing is left. */
  static async start(
    program: PgBouncerProgram,
    settings: PgBouncerSettings,
    upstream: Endpoint,
    choosePort: () => Promise<number> = freePort,
  ): Promise<PgBouncerInstance> {
    const directory = await makePrivateDirectory("pgbouncer");
    try {
      const password = upstream.password ?? generateSecret();
      const adminPassword = generateSecret();
      const writeIni = await writeFiles(program, settings, upstream, directory, [password, adminPassword]);
      for (let attempt = 1; ; attempt++) {
        const port = await choosePort();
        await writeIni(port);
        const client = { host: "127.0.0.1", port, database: CLIENT_DATABASE, user: upstream.user, password };
        const console = { ...client, database: ADMIN_DATABASE, user: ADMIN_USER, password: adminPassword };
        const instance = new PgBouncerInstance(program, directory, client, console);
        const failure = await instance.launch();
        if (failure === undefined) return instance;
        if (!PORT_TAKEN.test(failure) || attempt >= PORT_ATTEMPTS) throw instance.refusal(failure);
      }
    } catch (error) {
      await directory.remove();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  async shutDown(how: "at-once" | "kill"): Promise<void> {
    const { process } = this;
    this.process = undefined;
    // Without a step before it, SIGKILL comes first.
    await process?.stop(how === "kill" ? [] : [{ signal: "SIGQUIT", patienceMs: 3_000 }]);
  }

  async up(): Promise<void> {
    const failure = await this.launch();
    if (failure !== undefined) throw this.refusal(failure);
  }

  async stop(): Promise<void> {
    await this.shutDown("at-once");
    await this.directory.remove();
  }

  /** Undefined once it listens; otherwise why it does not, and then it does not run. */
  private async launch(): Promise<string | undefined> {
    const { directory, program } = this;
    const ini = join(directory.path, "pgbouncer.ini");
    const title = `PgBouncer at ${addressOf(this.client)}`;
    const process = await startProcess(title, directory, program.path, [ini]);
    const failure = await whenUp(process);
    if (failure === undefined) {
      this.process = process;
      void process.lost.then((words) => this.declareLost(words));
    } else await process.stop([{ signal: "SIGQUIT", patienceMs: 3_000 }]);
    return failure;
  }

  private refusal(failure: string): TargetError {
    return new TargetError(
      `PgBouncer ${this.program.version} (${this.program.path}) does not start: ${failure}`,
      `Its configuration was ${join(this.directory.path, "pgbouncer.ini")}.`,
    );
  }
}

/** Writes secrets and certificates; resolves to what writes the configuration for a port. */
async function writeFiles(
  program: PgBouncerProgram,
  settings: PgBouncerSettings,
  upstream: Endpoint,
  directory: PrivateDirectory,
  [password, adminPassword]: readonly [string, string],
): Promise<(port: number) => Promise<unknown>> {
  const userListFile = await directory.write(
    "userlist.txt",
    pgBouncerUserList(upstream, password, adminPassword),
  );
  const { ca, cert, key } = upstream.tls ?? {};
  const tlsFiles = {
    ...(ca !== undefined && { caFile: await directory.write("ca.crt", ca) }),
    ...(cert !== undefined && { certFile: await directory.write("client.crt", cert) }),
    ...(key !== undefined && { keyFile: await directory.write("client.key", key) }),
  };
  const isPreparing = hasPreparedStatements(program.version);
  return (port) =>
    directory.write(
      "pgbouncer.ini",
      pgBouncerIni(settings, upstream, { port, userListFile, ...tlsFiles }, isPreparing),
    );
}

/** Undefined once it listens: it says `process up` after it bound its port. Otherwise why it does not. */
async function whenUp(process: ServerProcess): Promise<string | undefined> {
  const deadlineMs = systemClock.nowMs() + START_PATIENCE_MS;
  const ended = new AbortController();
  void process.exited.then(() => ended.abort());
  while (systemClock.nowMs() < deadlineMs) {
    const log = await process.log();
    if (process.hasExited) return complaintIn(log);
    if (/process up: /.test(log)) return undefined;
    await systemClock.sleep(POLL_MS, ended.signal);
  }
  return `it did not listen within ${START_PATIENCE_MS / 1000} s: ${complaintIn(await process.log())}`;
}
