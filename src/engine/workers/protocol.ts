// Checked by schema if from an agent's socket. ready -> running -> (paused) -> finished -> (draining) -> stopped.
import * as z from "zod";
import type {
  Assignment as AssignmentWith,
  ThreadAssignment as ThreadAssignmentWith,
} from "../../clients/assignment.js";
import { ExitCode } from "../../foundation/errors.js";
import { AccountedTime } from "../../results/result-schema.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { Contacts, EndpointMeasured, Measured } from "./measured.js";

/** Handed over at launch. */
export type Assignment = AssignmentWith<TreatmentSettings>;
export type ThreadAssignment = ThreadAssignmentWith<TreatmentSettings>;

export const Command = z.discriminatedUnion("kind", [
  /** Begin iterating at `atMs` on the monotonic clock: the barrier. */
  z.object({ kind: z.literal("start"), atMs: z.number() }),
  /** Finish what is under way, then report `paused`: what comes before an exact budget. */
  z.object({ kind: z.literal("pause") }),
  /** The measurement window; `endMs` is Infinity until an iteration budget is used up. */
  z.object({
    kind: z.literal("measure"),
    startMs: z.number(),
    endMs: z.number().or(z.literal(Number.POSITIVE_INFINITY)),
  }),
  /** Finish what is under way, then report `finished`: the load is over. */
  z.object({ kind: z.literal("finish") }),
  /** After that: those that can empty what others fill, without think time. */
  z.object({ kind: z.literal("drain") }),
  /** Finish what is under way, report `stopped`, exit. */
  z.object({ kind: z.literal("stop") }),
]);
export type Command = z.infer<typeof Command>;

/** What a worker and its clients did with the measurement window. */
export const WorkerUsage = z.object({
  /** Busy share of the thread, 0 .. 1, and its event-loop delay; left out where there was no window. */
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
  /** Once a second from the first on: the thread answers. */
  z.object({ kind: z.literal("alive") }),
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("paused") }),
  /** The load has ended, to its last transaction. */
  z.object({ kind: z.literal("finished") }),
  /** Every client used up its iteration budget; `finishedMs` is when the last one did. */
  z.object({ kind: z.literal("budget-done"), finishedMs: z.number() }),
  /** Once a second: what was recorded since the last one. */
  z.object({
    kind: z.literal("delta"),
    delta: Measured,
    eventLoopDelayP99Ms: z.number(),
    /** Contacts by endpoint, since the worker began. */
    contacts: z.array(Contacts),
  }),
  z.object({
    kind: z.literal("stopped"),
    /** The material of the workload's audit, in a form that the workload knows. */
    ledger: z.unknown(),
    usage: WorkerUsage,
    /** Measurements by endpoint; none if there is a single one without a region. */
    endpoints: z.array(EndpointMeasured),
  }),
  /** The worker cannot go on; the trial fails with this cause. */
  z.object({ kind: z.literal("failed"), ...Failure.shape }),
]);
export type Report = z.infer<typeof Report>;
