// Starts real PgBouncers and HAProxies on loopback that read the committed configuration files of docker/. Only addresses
// and paths of certificates are overridden, in a separate file that comes before (HAProxy) or includes (PgBouncer) the
// committed one: a file that its program refuses fails the test. The processes are guarded like a server of a run; the
// caller stops them.
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
  /** Stops the process at once and removes its directory. */
  readonly stop: () => Promise<void>;
}

/** Path of HAProxy: the machine's own, otherwise Debian's. */
export async function findHaproxy(): Promise<string> {
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const installed = directories
    .map((directory) => join(directory, "haproxy"))
    .find((file) => existsSync(file));
  return installed ?? debianProgram({ suite: "trixie", packageName: "haproxy", program: "usr/sbin/haproxy" });
}

/**
 * Starts a PgBouncer with the committed configuration on `port`. `files` has the files below /certs by name; `database` is
 * the line in [databases].
 */
export async function startCommittedPgBouncer(
  program: string,
  port: number,
  { ini, files, database }: { ini: string; files: Readonly<Record<string, string>>; database: string },
): Promise<Started> {
  const directory = await makePrivateDirectory("pgbouncer");
  for (const [name, text] of Object.entries(files)) await directory.write(name, text);
  const included = await directory.write("pgbouncer.ini", await readFile(ini, "utf8"));
  // The committed file ends inside [pgbouncer]. A second [pgbouncer] would reset every setting to its default.
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

/** Starts an HAProxy with the committed configuration on `port`. It reads the text `addresses` before the file `cfg`. */
export async function startCommittedHaproxy(
  program: string,
  port: number,
  { cfg, addresses }: { cfg: string; addresses: string },
): Promise<Started> {
  const directory = await makePrivateDirectory("pgbouncer");
  const args = ["-db", "-f", await directory.write("addresses.cfg", addresses), "-f", cfg];
  // HAProxy needs no other user than the tests' own, who can read the committed file in place.
  const started = await startProcess("HAProxy", { ...directory, user: undefined }, program, args);
  return supervise(started, port, () => directory.remove());
}

/** Waits until the process accepts connections. Stops it if it does not. */
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

/** Resolves once the process has logged a matching line. Rejects with its log after a bounded time. */
export async function waitUntilLogged(process: ServerProcess, line: RegExp): Promise<void> {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
    if (line.test(await process.log())) return;
    await systemClock.sleep(POLL_MS);
  }
  throw new Error(`not logged: ${String(line)}\n${await process.log()}`);
}
