// A copy of the built program with one change planted into the code of its worker threads, and a short run of it. The change is
// a text of the bundle and its replacement; the text must occur exactly once, so that a change of the program that moves it
// fails here instead of planting nothing.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  writeScenarioFile,
  type Started,
} from "../support/train-sim.js";
import { inject } from "vitest";
import { urlOf } from "../support/suite-server.js";
import type { Payload, StatementShape } from "../../src/workloads/train-events/settings.js";
import type { Verdict } from "./mutant.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WORKER = "dist/engine/workers/worker-entry.js";
const MAIN = "dist/cli/main.js";

export type Replacement = readonly [text: string, by: string];

/** Where its command line is; changed too where the audit is to have the same bug. */
export function mutatedProgram([text, by]: Replacement, isInAudit = false): string {
  const directory = scratchDirectory();
  for (const name of ["dist", "schema", "package.json"])
    cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  for (const name of isInAudit ? [WORKER, MAIN] : [WORKER]) {
    const file = join(directory, name);
    const bundle = readFileSync(file, "utf8");
    const places = bundle.split(text).length - 1;
    if (places !== 1) throw new Error(`${name} has ${places} places with: ${text}`);
    writeFileSync(
      file,
      bundle.replace(text, () => by),
    );
  }
  return join(directory, MAIN);
}

/** PostgreSQL's, and a scenario's defaults, when left out. */
export interface RunLevels {
  readonly payload?: Payload;
  readonly statementShape?: StatementShape;
}

export interface Run extends Started {
  readonly out: string;
}

/** One short trial of producers, consumers, archivers and readers on the suite's server. */
export function startRun(
  namespace: string,
  { payload = "jsonb", statementShape = "set-based" }: RunLevels,
  seconds: number,
  main = join(ROOT, MAIN),
): Run {
  const out = scratchDirectory();
  const load = "load: { clients: 2, thinkTime: 5ms }";
  const file = writeScenarioFile(`name: mutant
namespace: ${namespace}
target: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }
payload: ${payload}
statementShape: ${statementShape}
validate: all
batch: { min: 5, max: 10 }
preload: 200
trials: 1
trial: { warmUp: 0s, duration: ${seconds}s, drain: false }
actors: { producers: { ${load} }, consumers: { ${load} }, archivers: { ${load} }, readers: { ${load} } }
diagnosis: { ceiling: false }
`);
  return {
    out,
    ...startTrainSim(["run", file, "--quiet", "--out", out], { main }),
  };
}

/** What its only trial's audit found. Throws where the run did not come as far, or does not end with 110 on a violation. */
export async function verdictOf({ out, ended }: Run): Promise<Verdict> {
  const { exitCode, stderr } = await ended;
  const { integrity } = onlyResultIn(out).result.treatments[0]?.trials[0] ?? {};
  if (!integrity) throw new Error(`no audit: ${String(exitCode)} ${stderr}`);
  const { verdict, violations, named = [] } = integrity;
  if ((exitCode === 110) !== (verdict === "violated"))
    throw new Error(`${verdict}, and exit code ${String(exitCode)}`);
  return { verdict, violations, named: named as Verdict["named"] };
}
