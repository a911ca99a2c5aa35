// The ceiling of the load generator: `select 1` by the same clients and pool, without think time, for a second.
import { join } from "node:path";
import { monotonicMs, systemClock } from "../../foundation/clock.js";
import { TargetError } from "../../foundation/errors.js";
import { Tally } from "../../metrics/tally.js";
import { operationsOf } from "../../results/operation-results.js";
import type { GeneratorCeiling } from "../../results/result-schema.js";
import {
  totalClients,
  type PlannedTrial,
  type Treatment,
  type TreatmentSettings,
} from "../../scenario/settings.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { assignmentsOf } from "./assignments.js";
import { Fleet } from "./fleet.js";
import type { WorkerPlace } from "./worker-place.js";
import type { Interruption } from "../session/interruption.js";
import { openPooler } from "../trial/pooler.js";

const WARM_UP_MS = 200;
const WINDOW_MS = 600;
const PATIENCE_MS = 10_000;

export interface CeilingInputs {
  readonly target: RunningTarget;
  readonly place: WorkerPlace;
  readonly trial: PlannedTrial;
  readonly treatment: Treatment;
  readonly directory: string;
  readonly interruption: Interruption;
}

/** A key that is equal for treatments that have the same ceiling. */
export function ceilingKey({ target, pool, prepared, actors, agents }: TreatmentSettings): string {
  const clients = Object.entries(actors).map(([role, { workers, load }]) => [role, workers, load.clients]);
  return JSON.stringify([target, pool, prepared, clients, agents]);
}

/** The settings with the same clients, which ask as fast as they can. */
function settingsWithoutPacing(settings: TreatmentSettings): TreatmentSettings {
  const actors = Object.entries(settings.actors).map(([role, { workers, load }]) => {
    const noPacing = { thinkTimeMs: { min: 0, max: 0 }, rampUpMs: 0 };
    return [role, { workers, load: { executor: "constant-clients", clients: load.clients, ...noPacing } }];
  });
  return { ...settings, actors: Object.fromEntries(actors) as TreatmentSettings["actors"] };
}

/**
 * Measures how many pings the clients can send. Rejects when clients cannot connect or the server does not answer;
 * undefined when a stop is requested.
 */
export async function measureCeiling(inputs: CeilingInputs): Promise<GeneratorCeiling | undefined> {
  const settings = settingsWithoutPacing(inputs.treatment.settings);
  const pooler = await openPooler(inputs.target, settings, inputs.place);
  const assignments = assignmentsOf({
    trial: inputs.trial,
    settings,
    endpoints: pooler?.endpoints ?? inputs.target.endpoints,
    prepared: settings.prepared === true && (pooler?.supportsPreparedStatements ?? true),
    logFile: join(inputs.directory, "ceiling.ndjson"),
    directory: inputs.directory,
  }).map((assignment) => ({ ...assignment, isCeiling: true }));
  const tally = new Tally(operationsOf(settings), assignments.length);
  const fleet = new Fleet(
    assignments,
    { onDelta: (delta, worker) => tally.add(worker, delta) },
    inputs.place,
  );
  const ended = new AbortController();
  const answerTimeout = systemClock.sleep(PATIENCE_MS, ended.signal).then(() => {
    throw new TargetError(`\`select 1\` was not answered within ${PATIENCE_MS / 1000} s`);
  });
  // Handled here to avoid an unhandled rejection; the race below reports the error.
  answerTimeout.catch(() => undefined);
  try {
    return await Promise.race([measure(fleet, tally, settings, inputs.interruption), answerTimeout]);
  } finally {
    ended.abort();
    await fleet.terminate();
    await pooler?.stop();
  }
}

async function measure(
  fleet: Fleet,
  tally: Tally,
  settings: TreatmentSettings,
  interruption: Interruption,
): Promise<GeneratorCeiling | undefined> {
  await fleet.launch();
  const startMs = monotonicMs() + fleet.leadMs;
  const windowStartMs = startMs + WARM_UP_MS;
  fleet.start(startMs);
  fleet.measure(windowStartMs, windowStartMs + WINDOW_MS);
  await interruption.sleep(windowStartMs + WINDOW_MS - monotonicMs());
  await fleet.stop();
  if (interruption.isRequested()) return undefined;
  const { operations } = tally.summary(WINDOW_MS / 1000);
  const transactions = Object.values(operations).reduce((sum, each) => sum + each.transactions, 0);
  return { clients: totalClients(settings), transactionsPerSecond: transactions / (WINDOW_MS / 1000) };
}
