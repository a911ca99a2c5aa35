// A running FerretDB on loopback, with its data in a scratch directory.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildFerretDb } from "./build.js";

const START_MS = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

function isListening(port: number): Promise<boolean> {
  const socket = createConnection({ host: "127.0.0.1", port });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

async function awaitListener(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    if (await isListening(port)) return;
    await sleep(50);
  }
  throw new Error("FerretDB does not listen");
}

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export class FerretDb {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly tlsPort: number,
    private readonly directory: string,
    private readonly tls: TlsFiles | undefined,
  ) {}

  static async start(tls?: TlsFiles): Promise<FerretDb> {
    const directory = mkdtempSync(join(tmpdir(), "train-sim-ferretdb-"));
    const server = new FerretDb(await freePort(), await freePort(), directory, tls);
    await server.startAgain();
    return server;
  }

  async startAgain(): Promise<void> {
    const { port, tlsPort, directory, tls } = this;
    const tlsArguments = tls ? [`127.0.0.1:${tlsPort}`, tls.cert, tls.key] : [];
    // FerretDB writes a file with its state into the working directory.
    const args = [`127.0.0.1:${port}`, directory, ...tlsArguments];
    this.child = spawn(buildFerretDb(), args, { cwd: directory, stdio: "ignore" });
    await awaitListener(port, this.child);
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
