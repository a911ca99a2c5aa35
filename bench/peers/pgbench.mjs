// Peer `pgbench`: a custom script with train-sim's own statements, prepared, one thread. It makes no documents and throws
// away what comes back, so its client cost is about the least that a client can have.
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
 * One pgbench. With `rate`, transactions a second of a Poisson process; without, one after the other.
 *
 * @param {any} server
 * @param {{ script: string, clients: number, seconds: number, seed: number, rate?: number }} load
 */
export async function startScript(server, { script, clients, seconds, seed, rate }) {
  const program = await findPgbench();
  const directory = mkdtempSync(join(tmpdir(), "train-sim-peers-"));
  const file = join(directory, "script.sql");
  writeFileSync(file, script);
  const args = ["-n", "-M", "prepared", "-j", "1", "-c", String(clients), "-T", String(seconds)];
  const pace = rate === undefined ? [] : ["-R", String(rate)];
  const running = runChild(program, [...args, ...pace, `--random-seed=${seed}`, "-f", file], {
    env: server.environment,
  });
  return {
    ...running,
    async stop() {
      await running.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
