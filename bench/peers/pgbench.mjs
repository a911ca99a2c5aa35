// Peer `pgbench`: a custom script with train-sim's own statements, prepared, in one thread. It makes no documents and
// discards its answers, so its client cost is about the least that a client can have.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { findPgbench } from "./find-pgbench.mjs";
import { BATCH, LAST_FIRST_DOCUMENT, sameStatements } from "./statements.mjs";

function script(payload) {
  const { add, process, archive } = sameStatements(payload, {
    size: ":size::integer",
    first: ":first::integer",
  });
  const size = `\\set size random(${BATCH.min}, ${BATCH.max})`;
  const first = `\\set first random(0, ${LAST_FIRST_DOCUMENT})`;
  return [first, size, `${add};`, size, `${process};`, size, `${archive};`, ""].join("\n");
}

export async function prepare() {
  const program = await findPgbench();
  const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
  return { version, start };
}

function start(server, { payload, clients, loadSeconds, seed }) {
  return startScript(server, { script: script(payload), clients, seconds: loadSeconds, seed });
}

/**
 * Starts one pgbench with one script. With `rate` (transactions per second) its arrivals are a Poisson process, without it
 * a closed loop.
 *
 * @param {any} server
 * @param {{ script: string, clients: number, seconds: number, seed: number, rate?: number }} load
 */
export function startScript(server, { script, clients, seconds, seed, rate }) {
  const pace = rate === undefined ? [] : ["-R", String(rate)];
  const args = ["-c", String(clients), "-T", String(seconds), ...pace, `--random-seed=${seed}`];
  return startPgbench(server, [{ name: "script", weight: 1, text: script }], args);
}

/**
 * Starts one pgbench in one thread with prepared statements and weighted scripts. `directory` exists until it is stopped
 * and holds its log of transactions.
 *
 * @param {{ environment: NodeJS.ProcessEnv }} server
 * @param {readonly { name: string, weight: number, text: string }[]} scripts
 * @param {readonly string[]} args
 */
export async function startPgbench(server, scripts, args) {
  const program = await findPgbench();
  const directory = mkdtempSync(join(tmpdir(), "train-sim-peers-"));
  const files = scripts.flatMap(({ name, weight, text }) => {
    const file = join(directory, `${name}.sql`);
    writeFileSync(file, text);
    return ["-f", `${file}@${weight}`];
  });
  const running = runChild(program, ["-n", "-M", "prepared", "-j", "1", ...args, ...files], {
    env: server.environment,
    cwd: directory,
  });
  return {
    ...running,
    directory,
    async stop() {
      await running.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
