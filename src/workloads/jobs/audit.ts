// The audit of a trial: counts, violations and remarks from the joined accounts of its jobs.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import { Writes } from "../numbered-writes.js";
import type { AuditInputs, AuditOutcome, LossTerms } from "../workload.js";
import { Join } from "./join.js";
import { Preloaded } from "./loading.js";
import { runProgram, startMessage } from "./queue-program.js";
import { isDesign, type Treatment } from "./settings.js";
import type { JobsStore } from "./store.js";

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

const WorkerAccount = z.object({ unmatched: count, kills: count, crashes: count, isEnded: z.boolean() });

interface RemarkableCounts {
  readonly runTwice: number;
  readonly stuck: number;
  readonly waiting: number;
  readonly outOfAttempts: number;
  readonly interrupted: number;
  readonly notRerun: number;
  /** Milliseconds in ascending order. */
  readonly reruns: readonly number[];
}

/** True if handlers may run a job twice although nothing is wrong: a fault, a lease that ends, a lost answer. */
function mayRepeat(
  { settings, hasFaults = false }: AuditInputs<Treatment>,
  kills: number,
  inDoubt: boolean,
): boolean {
  const outlastsLease = isDesign(settings) && settings.handlerMs.max >= settings.design.leaseMs;
  return kills > 0 || inDoubt || outlastsLease || hasFaults;
}

/** Median and maximum of times in ascending order; nothing if there are none. */
function rerunTimes(sortedMs: readonly number[]): { rerunMedianMs?: number; rerunMaxMs?: number } {
  const rerunMedianMs = sortedMs[Math.floor((sortedMs.length - 1) / 2)];
  const rerunMaxMs = sortedMs.at(-1);
  return rerunMedianMs === undefined || rerunMaxMs === undefined ? {} : { rerunMedianMs, rerunMaxMs };
}

const HANDLER_END =
  "queue: a job ends here when its handler returns, since the library does not tell its completion: do not compare " +
  "work and completion with a queue that tells it";

/** Sentences about counts that are no violation: jobs run twice or left behind, the order, and runs after a kill. */
function remarksOf(
  { runTwice, stuck, waiting, outOfAttempts, interrupted, notRerun, reruns }: RemarkableCounts,
  first: readonly string[],
): string[] {
  const jobs = (n: number): string => counted(n, "job");
  const { rerunMedianMs, rerunMaxMs } = rerunTimes(reruns);
  return [
    ...first,
    ...(runTwice > 0 ? [`${jobs(runTwice)} ran more than once`] : []),
    ...(waiting > 0 ? [`${jobs(waiting)} left waiting`] : []),
    ...(stuck > 0 ? [`${jobs(stuck)} left claimed by no worker that lives`] : []),
    ...(outOfAttempts > 0 ? [`${jobs(outOfAttempts)} failed in the last attempt`] : []),
    ...(interrupted > 0
      ? [`${counted(interrupted, "run")} ended by a kill; ${jobs(notRerun)} of them not started again`]
      : []),
    ...(rerunMedianMs !== undefined && rerunMaxMs !== undefined
      ? [
          `${counted(reruns.length, "job")} started again ${shortNumber(rerunMedianMs / 1000)} s after the kill (median), ${shortNumber(rerunMaxMs / 1000)} s at most`,
        ]
      : []),
  ];
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
      `${n} of ${counted(sums.published, "acknowledged job")} never ran and not in the queue` +
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
  const { published, inDoubt, inDoubtFound, ...counts } = sums;
  const result = join.found.result(
    { published, inDoubt, inDoubtFound },
    words,
    notAudited,
    terms.isAllowed ? { lost: join.explained } : undefined,
  );
  const losses = join.losses.total(terms.windowStartMs);
  const all = {
    ...result,
    remarks: remarksOf({ ...sums, interrupted: join.interrupted, reruns }, [
      `queue: ${library} ${version}, which promises to run a job ${promise.replaceAll("-", " ")}`,
      ...(caveat === undefined ? [] : [`queue: ${caveat}`]),
      ...(acknowledges ? [] : [HANDLER_END]),
      ...(crashes > 0
        ? [`queue: its worker's program ended by itself ${counted(crashes, "time")}, and was started again`]
        : []),
    ]),
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
