// Queues of the designs in SQL for tests: their settings, and the roles of their program in one schema.
import { fileURLToPath } from "node:url";
import type { AdminClient } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { builtUrl } from "../../src/foundation/built.js";
import type { Job, Start } from "../../src/workloads/jobs/adapters/protocol.js";
import type { DesignName, DesignSettings } from "../../src/workloads/jobs/designs.js";
import { testNamespace } from "./namespace.js";
import { QueueProgram } from "./program-of-queue.js";
import { urlOf } from "./suite-server.js";

export const DESIGN_PROGRAM = [
  process.execPath,
  fileURLToPath(builtUrl("../../dist/workloads/jobs/adapters/designs.js", import.meta.url)),
] as const;

export const DESIGN_SETTINGS: DesignSettings = {
  ...{ layout: "status-index", ids: "bigint", wakeup: { pollMs: 20, isNotified: true }, claimBatch: 2 },
  ...{ fillfactor: 100, foreignKey: false, leaseMs: 60_000, attempts: 3, retryAfterMs: 50 },
};

export function makeJobs(count: number, ms = 0, fails = 0): Job[] {
  return Array.from({ length: count }, (_, i) => ({ payload: { id: `job-${i}`, ms, fails, text: "text" } }));
}

export interface QueueOfDesign {
  readonly schema: string;
  /** The query of jobs that the installation gave. */
  readonly jobs: string;
  start(role: Start["role"]): QueueProgram;
  /** Resolves once the jobs are acknowledged. */
  enqueue(jobs: readonly Job[]): Promise<void>;
  /** Ends programs that are left, and drops the schema. */
  remove(): Promise<void>;
}

/** Installs the tables of a design in a schema. */
export async function installDesign(
  admin: AdminClient,
  endpoint: Endpoint,
  design: DesignName,
  changes: Partial<DesignSettings> = {},
): Promise<QueueOfDesign> {
  const schema = testNamespace("design");
  await admin.query(`CREATE SCHEMA ${schema}`);
  const programs: QueueProgram[] = [];
  const start = (role: Start["role"]): QueueProgram => {
    const program = new QueueProgram(DESIGN_PROGRAM, {
      ...{ role, schema, worker: 0, url: urlOf(endpoint), connections: 6, concurrency: 4 },
      ...{ profile: "tuned", directory: process.cwd() },
      settings: { design, ...DESIGN_SETTINGS, ...changes },
    });
    programs.push(program);
    return program;
  };
  const { jobs = "" } = await start("install").event("ready");
  return {
    schema,
    jobs,
    start,
    async enqueue(jobs) {
      const program = start("enqueue");
      program.send({ enqueue: jobs, request: 1 });
      await program.event("enqueued");
      program.send({ stop: true });
      await program.ended;
    },
    async remove() {
      await Promise.all(programs.map((program) => program.kill()));
      await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}
