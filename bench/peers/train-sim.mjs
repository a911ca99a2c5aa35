// Peer `train-sim`: the built program like its users run it, with one worker thread and default logging and sampling, on
// the bench's server by URL. The window lies in its measurement phase. A run whose audit does not end with `ok` is refused.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runChild } from "./child.mjs";
import { BATCH } from "./statements.mjs";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const LOOK_MS = 50;

function scenario(server, shape, { payload, clients, warmUpSeconds, loadSeconds, seed }) {
  return JSON.stringify({
    name: "peers",
    seed,
    target: { kind: "url", urls: [server.url] },
    payload,
    topology: "cycle",
    locking: "skip-locked",
    statementShape: shape,
    batch: BATCH,
    appDelay: 0,
    actors: { cycle: { workers: 1, load: { executor: "constant-clients", clients, thinkTime: 0 } } },
    trial: { warmUp: `${warmUpSeconds}s`, duration: `${loadSeconds - warmUpSeconds}s`, drain: false },
    trials: 1,
  });
}

/** True if a trial's log shows that the phase has begun. */
function hasBegun(directory, phase) {
  if (!existsSync(directory)) return false;
  return readdirSync(directory, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith("log.ndjson"))
    .some((name) => readFileSync(join(directory, name), "utf8").includes(`"phase":"${phase}"`));
}

/** Makes the peer "train-sim" for a statement shape. */
export function prepareShape(shape) {
  return async () => ({
    version: "built",
    warmsUpItself: true,
    isAudited: true,
    start: (server, setting) => startScenario(server, scenario(server, shape, setting)),
  });
}

/**
 * Starts the program. `scenario` is a file's text with the server as its target. `out` holds the result until the program
 * is stopped. `main` is the command line of a built program, `node` the executable that runs it.
 */
export function startScenario(server, scenario, { main = MAIN, node = process.execPath } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-peers-"));
  const file = join(directory, "peers.yaml");
  writeFileSync(file, scenario);
  const out = join(directory, "out");
  const args = [main, "run", file, "--json", "--quiet", "--out", out];
  const running = runChild(node, args, { env: server.environment });
  const untilPhase = async (phase) => {
    while (!hasBegun(out, phase)) {
      if (running.hasEnded()) throw new Error(`it ended before its ${phase}: ${await running.ended}`);
      await sleep(LOOK_MS);
    }
  };
  return {
    ...running,
    out,
    untilPhase,
    warm: () => untilPhase("measure"),
    ended: running.ended.then((complaint) => complaint ?? parseAuditedTrial(running.printed.stdout)),
    async stop() {
      await running.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Problem of a run, from its printed result; undefined if its audit is ok. A run that was stopped may have printed no
 * result, or one without a trial.
 */
function parseAuditedTrial(stdout) {
  let trial;
  try {
    trial = JSON.parse(stdout).treatments[0].trials[0];
  } catch {
    // Text that is no result counts as a result without a trial.
  }
  if (trial === undefined) return "it printed no trial";
  if (trial.status !== "complete") return `its trial was ${trial.status}: ${trial.reason}`;
  return trial.integrity.verdict === "ok"
    ? undefined
    : `its audit found ${trial.integrity.violations.join("; ")}`;
}
