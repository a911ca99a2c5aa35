// Joins three accounts of a trial's jobs: acknowledged enqueueings, runs of handlers, and the tables of the queue.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { TrialError } from "../../foundation/errors.js";
import { counted } from "../../foundation/units.js";
import { batchNumberOf, positionOf, workerOf } from "../event-id.js";
import { Findings } from "../findings.js";
import { isWithin, Losses } from "../losses.js";
import { copyBoundsOf, Writes } from "../numbered-writes.js";
import type { AuditInputs, AuditOutcome, LossTerms } from "../workload.js";
import { JobMaker } from "./job.js";
import { Preloaded } from "./loading.js";
import { jobRecords } from "./run-file.js";
import { PAGE } from "./queue-process.js";
import { runProgram, startMessage } from "./queue-program.js";
import { HANDLER_END, remarksOf, rerunTimes } from "./remarks.js";
import { mayLeaseEnd, type Treatment } from "./settings.js";
import type { JobsStore, StoredJob } from "./store.js";

export const VIOLATIONS = ["lost", "unexpected", "changed", "duplicated"] as const;

const count = z.int().min(0);
const jobCount = count.optional();

/** Figures of the audit in addition to the violations. */
export const findings = {
  runTwice: jobCount.describe("Jobs whose handler ended successfully more than once, of workload jobs"),
  stuck: jobCount.describe(
    "Jobs that the tables call running after all workers have ended: claimed by no worker that lives, of workload jobs",
  ),
  waiting: jobCount.describe("Jobs that wait in the tables at the end, of workload jobs"),
  outOfAttempts: jobCount.describe("Jobs in state failed: their last attempt failed, of workload jobs"),
  outOfOrder: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Share of jobs that started before an older one of the same priority, of workload jobs"),
  interrupted: jobCount.describe("Runs whose process was killed, of workload jobs"),
  notRerun: jobCount.describe(
    "Jobs of interrupted runs that had not started again at the end, of workload jobs",
  ),
  rerunMedianMs: z
    .number()
    .min(0)
    .optional()
    .describe("Median time from the kill of a job's process to the job's next start, of workload jobs"),
  rerunMaxMs: z.number().min(0).optional().describe("Longest such time, of workload jobs"),
} as const;

const WorkerAccount = z.object({
  unmatched: count,
  kills: count,
  crashes: count,
  isEnded: z.boolean(),
  unknownEvents: z.array(z.string()),
});

const STATES: readonly unknown[] = ["waiting", "running", "done", "failed"];

/** State of one job of the trial. Times are monotonic milliseconds; NaN if there was no such event. */
interface JobState {
  starts: number;
  failures: number;
  ends: number;
  firstStartMs: number;
  interruptedMs: number;
}

/** Jobs of one enqueuing worker, by batch and position. */
class WorkerJobs {
  readonly ackedMs = new Map<number, number>();
  readonly states = new Map<number, JobState>();
  readonly present = new Map<number, string>();

  constructor(
    readonly writes: Writes,
    private readonly batchSize: number,
  ) {}

  /** Number of the job in its worker; undefined if the worker never sent it. */
  numberOf(batch: number, position: number): number | undefined {
    const isSent = batch < this.writes.sent && position < this.batchSize;
    return isSent ? batch * this.batchSize + position : undefined;
  }

  stateOf(number: number): JobState {
    let state = this.states.get(number);
    if (!state) {
      state = { starts: 0, failures: 0, ends: 0, firstStartMs: Number.NaN, interruptedMs: Number.NaN };
      this.states.set(number, state);
    }
    return state;
  }
}

/** A job that an enqueuer sent, with its runs and its state in the tables. */
interface Job {
  readonly worker: number;
  readonly batch: number;
  readonly position: number;
  readonly state: JobState | undefined;
  readonly stored: string | undefined;
}

/** True if a kill ended the run, and the tables hold no job that is to run: the queue may have known its end already. */
const hasUnknownEnd = ({ state, stored }: Job): boolean =>
  state?.ends === 0 && !Number.isNaN(state.interruptedMs) && (stored === undefined || stored === "done");

const isSeen = ({ state, stored }: Job): boolean => state !== undefined || stored !== undefined;

const NO_JOBS = {
  published: 0,
  inDoubt: 0,
  inDoubtFound: 0,
  runTwice: 0,
  stuck: 0,
  waiting: 0,
  outOfAttempts: 0,
  notRerun: 0,
  unfailed: 0,
};
type JobSums = Record<keyof typeof NO_JOBS, number>;

/** Joins three accounts of each job of a trial: its acknowledgement, its runs, its row in the tables. */
export class Join {
  readonly found = new Findings(VIOLATIONS);
  readonly losses = new Losses();
  readonly rerunsMs: number[] = [];
  interrupted = 0;
  /** Number of lost jobs that a fault explains. */
  explained = 0;
  private readonly byWorker: ReadonlyMap<number, WorkerJobs>;
  private readonly maker: JobMaker;

  constructor(
    writes: readonly Writes[],
    private readonly settings: Treatment,
    seed: number,
    private readonly isWhole: boolean,
  ) {
    this.byWorker = new Map(
      writes.map((each) => [each.client, new WorkerJobs(each, settings.enqueue.batch)]),
    );
    this.maker = new JobMaker(settings, seed);
  }

  readRecords(directory: string): void {
    for (const { worker, batch, position, kind, atMs } of jobRecords(directory)) {
      const jobs = this.byWorker.get(worker);
      if (kind === "acknowledged") {
        jobs?.ackedMs.set(batch, atMs);
        continue;
      }
      const number = jobs?.numberOf(batch, position);
      if (!jobs || number === undefined) {
        if (this.isWhole)
          this.found.add("unexpected", `${worker}.${batch}.${position}`, "ran, and was never enqueued");
        continue;
      }
      const state = jobs.stateOf(number);
      if (kind === "started") {
        if (state.starts++ === 0) state.firstStartMs = atMs;
        if (!Number.isNaN(state.interruptedMs)) this.rerunsMs.push(atMs - state.interruptedMs);
        state.interruptedMs = Number.NaN;
      } else if (kind === "finished") state.ends++;
      else if (kind === "failed") state.failures++;
      else {
        this.interrupted++;
        state.interruptedMs = atMs;
      }
    }
  }

  addStored({ id, state, payload }: StoredJob): void {
    if (!STATES.includes(state))
      throw new TrialError(
        `queue ${this.settings.queue}: its query of jobs gives the state ${JSON.stringify(state)}`,
        `Return one of ${STATES.join(", ")}: ${PAGE}.`,
      );
    const jobs = id === null ? undefined : this.byWorker.get(workerOf(id));
    const [batch, position] = id === null ? [0, 0] : [batchNumberOf(id), positionOf(id)];
    const number = jobs?.numberOf(batch, position);
    if (!jobs || number === undefined || id === null) {
      if (this.isWhole)
        this.found.add("unexpected", String(id), "in the tables with an id that no payload has");
      return;
    }
    if (jobs.present.has(number)) this.found.add("duplicated", id, "in the tables twice");
    jobs.present.set(number, state as string);
    const sent = this.maker.batch(jobs.writes.client, batch)[position]?.payload;
    if (sent?.id !== id) this.found.add("unexpected", id, "in the tables, and never enqueued");
    else if (!isSamePayload(sent, payload)) this.found.add("changed", id, "another payload than was sent");
  }

  /** Compares all jobs; returns the sums. `mayRepeat` is false if no job may run twice, unless a fault lost its claim. */
  compare({ spans }: LossTerms, mayRepeat: boolean): JobSums {
    const sums: JobSums = { ...NO_JOBS };
    const batchSize = this.settings.enqueue.batch;
    for (const [worker, jobs] of this.byWorker)
      for (const { number: batch, least, most } of copyBoundsOf(jobs.writes)) {
        sums.published += least * batchSize;
        sums.inDoubt += (most - least) * batchSize;
        for (let position = 0; position < batchSize; position++) {
          const number = batch * batchSize + position;
          const job = {
            worker,
            batch,
            position,
            state: jobs.states.get(number),
            stored: jobs.present.get(number),
          };
          if (most === 0) this.requireAbsence(job);
          else if (least === 0) sums.inDoubtFound += isSeen(job) ? 1 : 0;
          else if (hasUnknownEnd(job)) sums.inDoubt++;
          else this.requireRunOrRest(job, jobs.ackedMs.get(batch), spans);
          const { firstStartMs } = job.state ?? {};
          if (most > 0)
            this.addTo(sums, job, mayRepeat || isWithin(spans, { atMs: firstStartMs, endpoint: 0 }));
        }
      }
    return sums;
  }

  private addTo(sums: JobSums, job: Job, mayRepeat: boolean): void {
    const { state, stored } = job;
    if (stored === "running") sums.stuck++;
    if (stored === "waiting") sums.waiting++;
    if (stored === "failed") sums.outOfAttempts++;
    if (this.settings.failing > 0 && this.hasSkippedFailure(job)) sums.unfailed++;
    if (state && !Number.isNaN(state.interruptedMs) && !hasUnknownEnd(job)) sums.notRerun++;
    if (!state || state.ends <= 1) return;
    sums.runTwice++;
    if (!mayRepeat) this.found.add("duplicated", this.idOf(job), `ran ${state.ends} times`);
  }

  /** True if the handler ended well although the payload says that its first run fails. */
  private hasSkippedFailure({ worker, batch, position, state }: Job): boolean {
    if (!state || state.ends === 0) return false;
    return state.failures < (this.maker.batch(worker, batch)[position]?.payload.fails ?? 0);
  }

  private requireAbsence(job: Job): void {
    if (isSeen(job)) this.found.add("unexpected", this.idOf(job), "its enqueueing was refused");
  }

  /** Finds an acknowledged job that neither ran nor rests in the tables. */
  private requireRunOrRest(job: Job, ackedMs: number | undefined, spans: LossTerms["spans"]): void {
    const { state, stored } = job;
    if ((state?.ends ?? 0) > 0 || (stored !== undefined && stored !== "done")) return;
    const isExplained = isWithin(spans, { atMs: ackedMs, endpoint: 0 });
    if (isExplained) this.explained++;
    this.losses.add("enqueue", 1, ackedMs, isExplained);
    const hasStarted = (state?.starts ?? 0) > 0;
    const words =
      `${stored === "done" ? "called done" : "acknowledged, not in the tables"}, and ` +
      (hasStarted ? "started without a finished run" : "never ran");
    this.found.add("lost", this.idOf(job), words);
  }

  private idOf({ worker, batch, position }: Job): string {
    return this.maker.batch(worker, batch)[position]?.payload.id ?? "";
  }

  /** Share of started jobs that started before an older one of the same priority. */
  outOfOrder(): number {
    const started: { ackedMs: number; startMs: number; priority: number }[] = [];
    const { priorities, enqueue } = this.settings;
    for (const [worker, jobs] of this.byWorker)
      for (const [batch, ackedMs] of jobs.ackedMs) {
        const made = priorities > 1 ? this.maker.batch(worker, batch) : [];
        for (let position = 0; position < enqueue.batch; position++) {
          const startMs = jobs.states.get(batch * enqueue.batch + position)?.firstStartMs;
          if (startMs === undefined || Number.isNaN(startMs)) continue;
          started.push({ ackedMs, startMs, priority: made[position]?.priority ?? 0 });
        }
      }
    // A job is out of order if an older one starts after it: the largest start of all older jobs is compared with its start.
    started.sort((a, b) => a.ackedMs - b.ackedMs);
    const latestStartMs = new Map<number, number>();
    let early = 0;
    for (let from = 0; from < started.length;) {
      // Jobs of one batch have the same age.
      let to = from;
      while (to < started.length && started[to]?.ackedMs === started[from]?.ackedMs) to++;
      const sameAge = started.slice(from, to);
      for (const { startMs, priority } of sameAge)
        if ((latestStartMs.get(priority) ?? -Infinity) > startMs) early++;
      for (const { startMs, priority } of sameAge)
        latestStartMs.set(priority, Math.max(startMs, latestStartMs.get(priority) ?? -Infinity));
      from = to;
    }
    return started.length === 0 ? 0 : early / started.length;
  }
}

function isSamePayload(sent: object, stored: string | null): boolean {
  try {
    const found = JSON.parse(stored ?? "null") as Readonly<Record<string, unknown>> | null;
    return found !== null && Object.entries(sent).every(([key, value]) => found[key] === value);
  } catch {
    return false;
  }
}

/** True if handlers may run a job twice although nothing is wrong: a fault, a lease that ends, a lost answer. */
function mayRepeat(
  { settings, hasFaults = false }: AuditInputs<Treatment>,
  kills: number,
  inDoubt: boolean,
): boolean {
  return kills > 0 || inDoubt || mayLeaseEnd(settings) || hasFaults;
}

export async function audit(
  store: JobsStore,
  admin: AdminSession,
  inputs: AuditInputs<Treatment>,
): Promise<AuditOutcome> {
  const { settings, directory, workerAccounts, unclosed, loss } = inputs;
  const { seed, library, version, promise, caveat, acknowledges } = Preloaded.parse(inputs.preloaded);
  const writes = workerAccounts.flatMap((one) => Writes.safeParse(one).data ?? []);
  const workers = workerAccounts.flatMap((one) => WorkerAccount.safeParse(one).data ?? []);
  const terms: LossTerms = loss ?? { spans: [], isAllowed: false, windowStartMs: undefined };
  const join = new Join(writes, settings, seed, unclosed.length === 0);
  join.readRecords(directory);
  await store.scan(admin, settings, (job) => join.addStored(job));
  const unknownEvents = [...new Set(workers.flatMap((each) => each.unknownEvents))];
  const crashes = workers.reduce((sum, each) => sum + each.crashes, 0);
  const kills = workers.reduce((sum, each) => sum + each.kills, crashes);
  const isInDoubt = writes.some(({ inDoubt }) => inDoubt.length > 0);
  const repeats = promise !== "at-most-once" && mayRepeat(inputs, kills, isInDoubt);
  const sums = join.compare(terms, repeats);
  const outOfOrder = join.outOfOrder();
  const reruns = join.rerunsMs.toSorted((a, b) => a - b);
  const place = { endpoint: admin.endpoint, applicationName: "train-sim/queue", directory };
  await runProgram(
    settings,
    await startMessage(settings, place, { role: "remove", worker: 0, connections: 1, concurrency: 1 }),
  );

  const jobs = (n: number): string => counted(n, "job");
  const words = {
    lost: (n: number) =>
      `${n} of ${counted(sums.published, "acknowledged job")} without a finished run, and not in the queue` +
      (terms.spans.length === 0 ? "" : ` (explained by a fault: ${join.explained} of ${n})`),
    unexpected: (n: number) => `${jobs(n)} in the queue or run that were never enqueued`,
    changed: (n: number) => `${jobs(n)} in the queue with another payload than was sent`,
    duplicated: (n: number) => `${jobs(n)} run more than once, without a kill, a fault or an expired lease`,
  };
  const notAudited = [
    ...unclosed.map((name) => `${name} ended without its account: its last jobs are unknown`),
    ...workers
      .filter(({ isEnded }) => !isEnded)
      .map(() => `the program of queue ${settings.queue} did not end in 15 s and was killed`),
  ];
  const { published, inDoubt, inDoubtFound, unfailed, ...counts } = sums;
  const result = join.found.result(
    { published, inDoubt, inDoubtFound },
    words,
    notAudited,
    terms.isAllowed ? { lost: join.explained } : undefined,
  );
  const losses = join.losses.total(terms.windowStartMs);
  const all = {
    ...result,
    remarks: remarksOf({
      ...sums,
      ...{ library, version, promise, caveat, unknownEvents },
      ...{ kills, crashes, interrupted: join.interrupted, reruns },
    }),
    ...(!acknowledges && { differences: [HANDLER_END] }),
    ...(losses.length > 0 && { losses }),
    ...counts,
    outOfOrder,
    interrupted: join.interrupted,
    ...rerunTimes(reruns),
  };
  return {
    findings: all,
    logged: { library, version, promise },
  };
}
