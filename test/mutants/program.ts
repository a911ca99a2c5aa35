// Copies the program with one change planted into the source of its worker threads, and runs the copy briefly.
import { cpSync } from "node:fs";
import { join } from "node:path";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  writeScenarioFile,
  type Started,
} from "../support/train-sim.js";
import { inject } from "vitest";
import { changedProgram, replaceIn } from "../support/changed-program.js";
import { urlOf } from "../support/suite-server.js";
import type { Payload, StatementShape } from "../../src/workloads/train-events/settings.js";
import type { Verdict } from "./mutant.js";
import { placeOf, ROOT, type Replacement } from "./places.js";

const MAIN = "dist/cli/main.js";
/** Load of two clients with pauses, which leaves the machine time for other tests. */
export const LOAD = "load: { clients: 2, thinkTime: 5ms }";

/**
 * Command line of a copy of the program with the replacement. With `isInAudit` the audit uses the changed code too;
 * otherwise only worker threads do.
 */
export function mutatedProgram([text, by]: Replacement, isInAudit = false): string {
  const main = changedProgram((directory) => replaceIn(placeOf(text, directory), text, by));
  if (!isInAudit) cpSync(join(ROOT, MAIN), main);
  return main;
}

/** Levels of a run that differ from the scenario's defaults on PostgreSQL. */
export interface RunLevels {
  readonly payload?: Payload;
  readonly statementShape?: StatementShape;
}

export interface Run extends Started {
  readonly out: string;
}

/** Starts one short trial of producers, consumers, archivers and readers on the suite's server. */
export function startRun(
  namespace: string,
  { payload = "jsonb", statementShape = "set-based" }: RunLevels,
  seconds: number,
  main?: string,
): Run {
  const keys = `payload: ${payload}
statementShape: ${statementShape}
validate: all
batch: { min: 5, max: 10 }
preload: 200
actors: { producers: { ${LOAD} }, consumers: { ${LOAD} }, archivers: { ${LOAD} }, readers: { ${LOAD} } }`;
  return startScenario(keys, { namespace, seconds, ...(main !== undefined && { main }) });
}

export interface RunPlace {
  readonly namespace: string;
  readonly seconds: number;
  readonly main?: string;
}

/** Starts one short trial on the suite's server, of a scenario with the given keys. */
export function startScenario(keys: string, { namespace, seconds, main = join(ROOT, MAIN) }: RunPlace): Run {
  const out = scratchDirectory();
  const file = writeScenarioFile(`name: mutant
namespace: ${namespace}
target: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }
trials: 1
trial: { warmUp: 0s, duration: ${seconds}s, drain: false }
diagnosis: { ceiling: false }
${keys}
`);
  return { out, ...startTrainSim(["run", file, "--quiet", "--out", out], { main }) };
}

/**
 * Verdict of the audit of the run's only trial. Throws if there is no audit, or if the exit code is not 110 on a violation.
 */
export async function verdictOf({ out, ended }: Run): Promise<Verdict> {
  const { exitCode, stderr } = await ended;
  const { integrity } = onlyResultIn(out).result.treatments[0]?.trials[0] ?? {};
  if (!integrity) throw new Error(`no audit: ${String(exitCode)} ${stderr}`);
  const { verdict, violations, named = [] } = integrity;
  if ((exitCode === 110) !== (verdict === "violated"))
    throw new Error(`${verdict}, and exit code ${String(exitCode)}`);
  return { verdict, violations, named };
}
