// Real PgBouncers and HAProxies on loopback that read the committed configuration files of docker/ themselves. Only
// addresses and the places of certificates are overridden, in a file of its own that comes before (HAProxy) or
// includes (PgBouncer) the committed one: a file that its program does not take fails the test. What is started is
// guarded like a server of a run, and stopped by whoever started it.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { systemClock } from "../../src/foundation/clock.js";
import { makePrivateDirectory } from "../../src/foundation/process/private-directory.js";
import { startProcess, type ServerProcess } from "../../src/foundation/process/server-process.js";
import { debianProgram } from "./debian-program.js";

const READY_ATTEMPTS = 500;
const POLL_MS = 20;

export interface Started {
  readonly process: ServerProcess;
  /** Stops it at once and removes its directory. */
  readonly stop: () => Promise<void>;
}

/** Path of HAProxy: the machine's own, else Debian's package. */
export async function findHaproxy(): Promise<string> {
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const installed = directories
    .map((directory) => join(directory, "haproxy"))
    .find((file) => existsSync(file));
  return installed ?? debianProgram({ suite: "trixie", packageName: "haproxy", program: "usr/sbin/haproxy" });
}

/** A PgBouncer on `port`. `files` are what it reads below /certs, by name; `database` is its line of [databases]. */
export async function startCommittedPgBouncer(
  program: string,
  port: number,
  { ini, files, database }: { ini: string; files: Readonly<Record<string, string>>; database: string },
): Promise<Started> {
  const directory = await makePrivateDirectory("pgbouncer");
  for (const [name, text] of Object.entries(files)) await directory.write(name, text);
  const included = await directory.write("pgbouncer.ini", await readFile(ini, "utf8"));
  // The committed file ends inside [pgbouncer]. A second [pgbouncer] would set everything back to its default.
  const overrides = await directory.write(
    "addresses.ini",
    [
      `%include ${included}`,
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      ...["auth_file = userlist.txt", "server_tls_ca_file = ca.crt"],
      ...["client_tls_cert_file = pgbouncer.crt", "client_tls_key_file = pgbouncer.key"],
      "[databases]",
      database,
      "",
    ].join("\n"),
  );
  return supervise(await startProcess("PgBouncer", directory, program, [overrides]), port, () =>
    directory.remove(),
  );
}

/** An HAProxy that listens on `port`, as `addresses` says, a configuration file that is read before `cfg`. */
export async function startCommittedHaproxy(
  program: string,
  port: number,
  { cfg, addresses }: { cfg: string; addresses: string },
): Promise<Started> {
  const directory = await makePrivateDirectory("pgbouncer");
  const args = ["-db", "-f", await directory.write("addresses.cfg", addresses), "-f", cfg];
  // As whoever runs the tests: it needs no other user, and reads the committed file where it lies.
  const started = await startProcess("HAProxy", { ...directory, user: undefined }, program, args);
  return supervise(started, port, () => directory.remove());
}

/** Waits until the process accepts connections; stops it when it does not. */
async function supervise(
  started: ServerProcess,
  port: number,
  remove: () => Promise<void>,
): Promise<Started> {
  const stop = async (): Promise<void> => {
    await started.stop([{ signal: "SIGQUIT", patienceMs: 2000 }]);
    await remove();
  };
  try {
    for (let attempt = 1; !(await accepts(port)); attempt++) {
      if (started.hasExited || attempt === READY_ATTEMPTS)
        throw new Error(`nothing listens on port ${port}: ${await started.log()}`);
      await systemClock.sleep(POLL_MS);
    }
    return { process: started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Resolves once the process has written a line that matches; rejects with its log after a bounded time. */
export async function hasLogged(process: ServerProcess, line: RegExp): Promise<void> {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
    if (line.test(await process.log())) return;
    await systemClock.sleep(POLL_MS);
  }
  throw new Error(`not logged: ${String(line)}\n${await process.log()}`);
}
