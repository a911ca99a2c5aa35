// A trial of a workload without worker threads: its preload, its clients' work on one connection, and its audit. It is
// seeded, so that a failing test fails again.
import { setImmediate as turn } from "node:timers/promises";
import type { WorkerContext } from "../../../src/clients/client.js";
import { TimeAccount } from "../../../src/clients/time-account.js";
import type { AdminSession, LoadSession } from "../../../src/database/contract.js";
import { databaseOf } from "../../../src/database/registry.js";
import type { Endpoint } from "../../../src/database/endpoint.js";
import type { Session } from "../../../src/database/session.js";
import type { Connection } from "../../../src/database/sql.js";
import type { AdminClient } from "../../../src/database/postgres/admin.js";
import { assignmentsOf } from "../../../src/engine/workers/assignments.js";
import { threadAssignmentsOf } from "../../../src/engine/workers/worker-memory.js";
import { Prng } from "../../../src/foundation/prng.js";
import { Sleeper } from "../../../src/foundation/sleeper.js";
import { PartNames, PartTimes } from "../../../src/metrics/part-times.js";
import { Recorder } from "../../../src/metrics/recorder.js";
import { parseScenario } from "../../../src/scenario/loader.js";
import type { TreatmentSettings } from "../../../src/scenario/settings.js";
import type { Mapping } from "../../../src/syntax/paths.js";
import { resetNamespace } from "../namespace.js";
import { workloadOf } from "../../../src/workloads/registry.js";
import { storeIn, type Store } from "../../../src/workloads/stores.js";
import type { AuditFindings, AuditInputs, Workload } from "../../../src/workloads/workload.js";
import { scratchDirectory } from "../train-sim.js";

export const SEED = 11;

type Run = WorkerContext["transactor"]["run"];
/** Returns a function that runs a worker's transactions on a connection and decides how they end. */
export type RunOn = (connection: Connection) => Run;
type RunOwn = WorkerContext["operations"]["run"];

const NO_TIMES = new PartTimes(new PartNames(), 0);

/** Acknowledges every transaction. */
export function runningOn(connection: Connection): Run {
  return async (plan) => {
    const result = await plan.body(connection, NO_TIMES);
    const kind = plan.isPoll && plan.events(result) === 0 ? "empty" : "committed";
    return { kind, result, finishedMs: 0, endpoint: 0 };
  };
}

/** Leaves every third commit of a writing transaction without an answer. It takes effect if `happens`. */
export function doubtingOn(connection: Connection, happens: boolean): Run {
  const acknowledging = runningOn(connection);
  let writes = 0;
  return async (plan) => {
    const isWrite = plan.settle !== undefined || plan.onUnanswered !== undefined;
    if (!isWrite || ++writes % 3 !== 0) return acknowledging(plan);
    const result = happens ? await plan.body(connection, NO_TIMES) : undefined;
    plan.onUnanswered?.(result);
    return { kind: "failed", inDoubt: true, finishedMs: 0, endpoint: 0 };
  };
}

/** Acknowledges every operation on connections of the workload. */
const ownRunning: RunOwn = async (plan) => {
  const result = await plan.body(NO_TIMES);
  return { kind: "committed", result, finishedMs: 0, endpoint: 0 };
};

/** Leaves every third of them without an answer. It takes effect if `happens`. */
export function ownDoubting(happens: boolean): RunOwn {
  let operations = 0;
  return async (plan) => {
    if (++operations % 3 !== 0) return ownRunning(plan);
    if (happens) await plan.body(NO_TIMES);
    return { kind: "failed", inDoubt: true, finishedMs: 0, endpoint: 0 };
  };
}

/** Settings of the first treatment of a scenario with these keys. */
export function settingsOf(namespace: string, keys: Mapping): TreatmentSettings {
  const scenario = JSON.stringify({ name: "audited", seed: SEED, namespace, ...keys });
  const [treatment] = parseScenario(scenario, "audited.yaml").treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  return treatment.settings;
}

/** A store that needs no server, with the only session of its clients. */
interface OwnStore {
  readonly workload: Workload;
  readonly session: Session;
}

async function connect(endpoint: Endpoint): Promise<LoadSession> {
  const options = { endpoint, applicationName: "train-sim/test", prepared: false };
  const session = databaseOf(endpoint).session(options);
  await session.connect();
  return session;
}

export class AuditedTrial {
  private readonly directory = scratchDirectory();
  private preloaded: unknown;
  /** Accounts of the closed workers. */
  private readonly accounts: unknown[] = [];

  private readonly workload: Workload;
  private readonly store: Store<TreatmentSettings>;

  private constructor(
    readonly admin: AdminSession,
    readonly settings: TreatmentSettings,
    private readonly own?: OwnStore,
  ) {
    this.workload = own?.workload ?? workloadOf(settings);
    this.store = storeIn(this.workload.stores, settings);
  }

  /** Drops and creates the tables and fills them like before a trial. */
  static async begin(
    admin: AdminSession,
    namespace: string,
    keys: Mapping,
    own?: OwnStore,
  ): Promise<AuditedTrial> {
    const trial = new AuditedTrial(admin, settingsOf(namespace, keys), own);
    const { settings, directory, workload } = trial;
    if (!own) await resetNamespace(admin, settings, settings.dialect);
    const inputs = { settings, seed: SEED, directory, mayContinue: () => true };
    trial.preloaded = await workload.loading?.preload?.(trial.store, admin, inputs);
    return trial;
  }

  /** Runs one worker of each role, one after the other, on one connection, with the given numbers of iterations. */
  async work(
    iterations: Readonly<Record<string, number>>,
    runOn: RunOn = runningOn,
    runOwn: RunOwn = ownRunning,
  ): Promise<void> {
    const { settings, directory } = this;
    const { endpoint } = this.admin;
    const opened = this.own ? undefined : await connect(this.clientEndpoint());
    const session = opened ?? (this.own as OwnStore).session;
    const trial = { number: 1, block: 0, treatmentId: "t1", seed: SEED };
    const endpoints = [endpoint];
    const inputs = { trial, settings, endpoints, prepared: false, logFile: "", directory };
    try {
      for (const assignment of threadAssignmentsOf(assignmentsOf(inputs))) {
        const client = await this.workload.client(this.store, {
          assignment,
          source: {
            acquire: () => ({ connection: session, release: () => undefined }),
            endpointOf: () => 0,
          },
          transactor: { run: runOn(session as Connection) },
          operations: { run: runOwn },
          applicationName: "train-sim/test",
          recorder: new Recorder(Object.keys(this.workload.operations)),
          sleeper: new Sleeper(),
          prng: new Prng(SEED),
          isDraining: () => false,
          isEnding: () => true,
          isScheduled: () => true,
          time: new TimeAccount(),
          partNames: new PartNames(),
        });
        for (let number = 0; number < (iterations[assignment.role] ?? 0); number++) {
          client.prepare(number % assignment.clients);
          await client.iterate(number % assignment.clients, 0);
        }
        await turn();
        client.flush?.();
        this.accounts.push(await client.close?.());
      }
    } finally {
      await opened?.end();
    }
  }

  /** The endpoint at which the workload's statements find its tables. */
  private clientEndpoint(): Endpoint {
    const { endpoint } = this.admin;
    const { namespace, dialect } = this.settings;
    if (!this.workload.isUnqualified) return endpoint;
    return databaseOf(endpoint).namespaces.endpointIn(endpoint, namespace, dialect);
  }

  /** Runs SQL in which tables have no schema; in PostgreSQL as one transaction. */
  async change(sql: string): Promise<void> {
    const { namespace, dialect } = this.settings;
    const admin = this.admin as AdminClient;
    if (dialect === "postgres")
      await admin.query(`BEGIN; SET LOCAL search_path TO ${namespace}; ${sql}; COMMIT`);
    else await admin.query(`USE ${namespace}; ${sql}`);
  }

  async audit(inputs: Partial<AuditInputs<TreatmentSettings>> = {}): Promise<AuditFindings> {
    const { settings, directory, accounts: workerAccounts, preloaded } = this;
    const audited = await this.workload.auditing?.audit(this.store, this.admin, {
      ...{ settings, directory, workerAccounts, preloaded, unclosed: [], isDrained: false },
      ...inputs,
    });
    if (!audited) throw new Error("the workload has no audit");
    return audited.findings;
  }
}
