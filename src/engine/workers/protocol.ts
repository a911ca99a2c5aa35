// Checked by schema if from an agent's socket. ready -> running -> (paused) -> finished -> (draining) -> stopped.
import * as z from "zod";
import type {
  Assignment as AssignmentWith,
  ThreadAssignment as ThreadAssignmentWith,
} from "../../clients/assignment.js";
import { ExitCode } from "../../foundation/errors.js";
import { AccountedTime } from "../../results/result-schema.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { EndpointContactsInput, EndpointDeltaInput, RecorderDeltaInput } from "./measured.js";

/** What a worker receives at its launch. */
export type Assignment = AssignmentWith<TreatmentSettings>;
export type ThreadAssignment = ThreadAssignmentWith<TreatmentSettings>;

export const Command = z.discriminatedUnion("kind", [
  /** Begin to iterate at `atMs` on the monotonic clock, at the same moment as all workers. */
  z.object({ kind: z.literal("start"), atMs: z.number() }),
  /** Finish running transactions, then report `paused`; used before a window with an exact budget. */
  z.object({ kind: z.literal("pause") }),
  /** The measurement window; `endMs` is Infinity until an iteration budget is used up. */
  z.object({
    kind: z.literal("measure"),
    startMs: z.number(),
    endMs: z.number().or(z.literal(Number.POSITIVE_INFINITY)),
  }),
  /** Finish running transactions, then report `finished`: the load is over. */
  z.object({ kind: z.literal("finish") }),
  /** Drain the queue, after `finish`: workers that empty it work without think time. */
  z.object({ kind: z.literal("drain") }),
  /** Finish running transactions, report `stopped`, exit. */
  z.object({ kind: z.literal("stop") }),
]);
export type Command = z.infer<typeof Command>;

/** What a worker and its clients did with the measurement window. */
export const WorkerUsage = z.object({
  /** Busy share of the thread (0 .. 1) and its event-loop delay; left out if there was no window. */
  loop: z.object({ utilization: z.number(), delayP99Ms: z.number() }).optional(),
  accountedMs: AccountedTime,
});
export type WorkerUsage = z.infer<typeof WorkerUsage>;

export const Failure = z.object({
  message: z.string(),
  exitCode: z.literal(Object.values(ExitCode)),
  hint: z.string(),
});

export const Report = z.discriminatedUnion("kind", [
  /** Sent each second from the start: the thread still responds. */
  z.object({ kind: z.literal("alive") }),
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("paused") }),
  /** The load of this worker has ended, its last transaction included. */
  z.object({ kind: z.literal("finished") }),
  /** Every client has used up its iteration budget; `finishedMs` is when the last client did. */
  z.object({ kind: z.literal("budget-done"), finishedMs: z.number() }),
  /** Sent each second: what was recorded since the previous delta. */
  z.object({
    kind: z.literal("delta"),
    delta: RecorderDeltaInput,
    eventLoopDelayP99Ms: z.number(),
    /** Counts of connections and refusals by endpoint, since the worker began. */
    contacts: z.array(EndpointContactsInput),
  }),
  z.object({
    kind: z.literal("stopped"),
    /** Material for the workload's audit, in a form that only the workload knows. */
    ledger: z.unknown(),
    usage: WorkerUsage,
    /** Measurements by endpoint; empty if there is only one endpoint, without a region. */
    endpoints: z.array(EndpointDeltaInput),
  }),
  /** The worker cannot continue; the trial fails with this cause. */
  z.object({ kind: z.literal("failed"), ...Failure.shape }),
]);
export type Report = z.infer<typeof Report>;
