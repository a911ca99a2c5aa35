// Peer `dbworkload`: the tool from PyPI, in a virtual environment that is made once below .cache/, with a workload in its
// users' style. It runs its default number of processes, one for each processor. Without Python or the package it is
// reported as missing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./child.mjs";
import { CHANCES } from "./statements.mjs";

const PACKAGES = ["dbworkload==0.16.0", "psycopg[binary]==3.3.9"];
const HOME = fileURLToPath(new URL("../../.cache/peers/dbworkload", import.meta.url));
const WORKLOAD = fileURLToPath(new URL("train_events.py", import.meta.url));
const PATIENCE_MS = 300_000;
/** Seconds added for the start of its processes, one after the other. It ends by itself shortly after its duration. */
const STARTING_SECONDS = 5;

function run(command, args) {
  const done = spawnSync(command, args, { encoding: "utf8", timeout: PATIENCE_MS });
  if (done.status === 0) return done.stdout;
  throw new Error(`${command} ${args[0]} failed: ${done.error?.message ?? done.stderr.trim().slice(-300)}`);
}

/**
 * Python code that makes dbworkload serve its metrics on loopback only. It has no option for this and serves them on all
 * interfaces.
 */
const ON_LOOPBACK = `
import functools, sys, prometheus_client
prometheus_client.start_http_server = functools.partial(prometheus_client.start_http_server, addr="127.0.0.1")
from dbworkload.cli.main import app
sys.argv[0] = "dbworkload"
app()
`;

/** Installs dbworkload if needed; returns the path of its Python. An interrupted installation is begun again. */
function setUp() {
  const program = join(HOME, "bin", "python");
  const marker = join(HOME, "complete");
  if (existsSync(marker)) return program;
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(dirname(HOME), { recursive: true });
  run("python3", ["-m", "venv", HOME]);
  run(program, ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...PACKAGES]);
  mkdirSync(`${marker}.draft`);
  renameSync(`${marker}.draft`, marker);
  return program;
}

export async function prepare() {
  const program = setUp();
  return { version: PACKAGES.join(", "), start: (server, setting) => start(program, server, setting) };
}

function start(program, server, { payload, clients, loadSeconds }) {
  const args = [
    "-c",
    ON_LOOPBACK,
    "run",
    "-p",
    "0",
    "-w",
    WORKLOAD,
    "--uri",
    server.url,
    "-c",
    String(clients),
  ];
  const workload = JSON.stringify({ payload, ...CHANCES });
  const duration = String(loadSeconds + STARTING_SECONDS);
  return runChild(program, [...args, "-d", duration, "--args", workload, "-q"], { env: server.environment });
}
