// The messages between the coordinator and its worker threads, as zod schemas: what crosses a thread is checked
// like anything else that comes from outside. One assignment at launch, then commands down and reports up; a
// worker moves through ready -> running -> (paused) -> finished -> (draining) -> stopped and says so itself.
import * as z from "zod";
import type { Endpoint } from "../../database/endpoint.js";
import { type TreatmentSettings } from "../../scenario/settings.js";
import type { EndpointDelta } from "../../metrics/endpoint-split.js";
import type { RecorderDelta } from "../../metrics/recorder.js";
import { AccountedTime } from "../../results/result-schema.js";
import type { EndpointContacts } from "../../database/session.js";

const Index = z.int().nonnegative();

/** What one worker is to do, handed over at launch. Settings and endpoints were validated when loaded. */
export const Assignment = z.object({
  role: z.string(),
  /** Number of this worker among all workers of the trial. */
  ordinal: Index,
  /** Number of this worker in its group, of `workers`. */
  index: Index,
  workers: z.int().positive(),
  /** Clients of this worker; `firstClient` is the first one's number in the group of `groupClients`. */
  clients: z.int().positive(),
  firstClient: Index,
  groupClients: z.int().positive(),
  /** Number of the first client among all clients that have these endpoints, which are spread by it. */
  firstClientOfTrial: Index,
  clientsOfTrial: z.int().positive(),
  /** Worker threads of the whole trial, over which a pg-pool is shared out. */
  workersOfTrial: z.int().positive(),
  trial: z.object({ number: z.int().positive(), treatmentId: z.string(), seed: Index }),
  settings: z.custom<TreatmentSettings>((value) => typeof value === "object" && value !== null),
  endpoints: z.array(z.custom<Endpoint>((value) => typeof value === "object" && value !== null)).min(1),
  /** Whether named prepared statements are used: asked for, and possible through the pooler. */
  prepared: z.boolean(),
  logFile: z.string(),
  /** The trial's directory, where a worker that publishes keeps its ledger. */
  directory: z.string(),
  /** Set where the ceiling of the generator is measured instead of the workload. */
  isCeiling: z.boolean().optional(),
});
export type Assignment = z.infer<typeof Assignment>;

/** The same with the memory that the workers of one process share. */
export const ThreadAssignment = Assignment.extend({
  sharedCounter: z.custom<Int32Array<SharedArrayBuffer>>((value) => value instanceof Int32Array),
  /** What workers write that all workers of this process read, by the ordinal of the one that writes it. */
  shared: z.map(Index, z.instanceof(SharedArrayBuffer)),
  /** Those of other processes among them: a copy, which comes a little later. */
  mirrored: z.array(Index),
});
export type ThreadAssignment = z.infer<typeof ThreadAssignment>;

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

/** Between two `alive` reports. */
export const PULSE_MS = 1_000;

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
    delta: z.custom<RecorderDelta>((value) => typeof value === "object" && value !== null),
    eventLoopDelayP99Ms: z.number(),
    /** By endpoint, since the worker began. */
    contacts: z.array(z.custom<EndpointContacts>((value) => typeof value === "object" && value !== null)),
  }),
  z.object({
    kind: z.literal("stopped"),
    /** What the workload's audit is told; it knows what that is. */
    ledger: z.unknown(),
    usage: WorkerUsage,
    /** By endpoint; none where there is one only, and without a region. */
    endpoints: z.array(z.custom<EndpointDelta>((value) => typeof value === "object" && value !== null)),
  }),
  /** The worker cannot go on; the trial fails with this cause. */
  z.object({ kind: z.literal("failed"), message: z.string(), exitCode: z.number(), hint: z.string() }),
]);
export type Report = z.infer<typeof Report>;
