// A job whose worker was killed in its handler, in a queue whose program speaks the protocol, and the workers after it.
import { systemClock } from "../../src/foundation/clock.js";
import type { Start } from "../../src/workloads/jobs/adapters/protocol.js";
import { testNamespace } from "./namespace.js";
import type { OwnDatabase } from "./own-database.js";
import { QueueProgram } from "./program-of-queue.js";
import { urlOf } from "./suite-server.js";

const ID = "killed";

export class KilledJob {
  private readonly programs: QueueProgram[] = [];

  private constructor(
    private readonly command: readonly string[],
    private readonly database: OwnDatabase,
    readonly schema: string,
    private readonly common: Partial<Start>,
  ) {}

  /** Installs the queue, enqueues the job, and kills its worker once the handler has started. */
  static async make(
    command: readonly string[],
    database: OwnDatabase,
    common: Partial<Start> = {},
  ): Promise<KilledJob> {
    const schema = testNamespace("killed");
    await database.admin.query(`CREATE SCHEMA ${schema}`);
    const job = new KilledJob(command, database, schema, common);
    await job.start("install").ended;
    const enqueuer = job.start("enqueue");
    enqueuer.send({ enqueue: [{ payload: { id: ID, ms: 300_000, fails: 0, text: "" } }], request: 1 });
    await enqueuer.event("enqueued");
    enqueuer.send({ stop: true });
    await enqueuer.ended;
    const worker = job.work();
    await worker.event("started");
    await worker.kill();
    return job;
  }

  /** A worker that takes the killed one's place. */
  work(changes: Partial<Start> = {}): QueueProgram {
    return this.start("work", changes);
  }

  /** Resolves to whether the worker starts the job again within the time. */
  async startsWithin(worker: QueueProgram, ms: number): Promise<boolean> {
    await worker.event("ready");
    const deadlineMs = systemClock.nowMs() + ms;
    while (worker.all("started").length === 0 && systemClock.nowMs() < deadlineMs)
      await systemClock.sleep(20);
    return worker.all("started").some(({ id }) => id === ID);
  }

  /** Kills the programs that are left and drops the tables. */
  async remove(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.kill()));
    await this.start("remove").ended;
    await this.database.admin.query(`DROP SCHEMA ${this.schema} CASCADE`);
  }

  private start(role: Start["role"], changes: Partial<Start> = {}): QueueProgram {
    const program = new QueueProgram(this.command, {
      ...{ role, worker: 0, schema: this.schema, url: urlOf(this.database.endpoint), profile: "defaults" },
      ...{ connections: 6, concurrency: 4, directory: process.cwd(), settings: {} },
      ...this.common,
      ...changes,
    });
    this.programs.push(program);
    return program;
  }
}
