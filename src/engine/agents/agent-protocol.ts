// Messages between coordinator and agents, checked like anything from outside.
import v8 from "node:v8";
import * as z from "zod";
import { messageOf } from "../../foundation/errors.js";
import { Command, Failure, Report } from "../workers/protocol.js";
import { PathRequest } from "./path-protocol.js";
import { AssignmentInput } from "./settings-checks.js";

/** The largest message that is accepted: files are sent in pieces, so no agent of ours sends a larger one. */
export const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;
/** The largest piece in which a file is sent. */
export const FILE_PIECE_BYTES_MAX = 1024 * 1024;
/** Names of the files that an agent sends. Other files, such as certificates of a queue's program, stay with it. */
export const SENT_FILE_NAME = /^[a-z][a-z0-9-]*\.(bin|ndjson)$/;
export const MESSAGE_TIMEOUT_MS = 15_000;

const WorkerOrdinal = z.int().nonnegative();
const Ms = z.number();
const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Changes of memory that workers share, by the ordinal of the worker that writes it. */
const MemoryChanges = z.array(
  z.object({ ordinal: WorkerOrdinal, pieces: z.array(z.tuple([z.int().nonnegative(), Bytes])) }),
);

export const AgentRequest = z.discriminatedUnion("kind", [
  PathRequest,
  /** Ends all workers at once. The answer states a problem if a worker could not be ended or its files not removed. */
  z.object({ kind: z.literal("terminate") }),
]);
export type AgentRequest = z.infer<typeof AgentRequest>;

/** A limit as JSON holds it: JSON has no Infinity, so null stands for no limit. */
const Limit = z
  .number()
  .nonnegative()
  .nullable()
  .transform((limit) => limit ?? Number.POSITIVE_INFINITY);

/** An agent's description of itself as it asks to join, sent as JSON in a header. */
export const Introduction = z.object({
  name: z.string().regex(/^[\w.:@-]{1,100}$/),
  version: z.string(),
  /** Number of worker threads that the agent has room for; null if it takes any number. */
  workers: z.int().positive().nullable(),
  pid: z.int().positive(),
  /** Identifies the machine: two processes with the same value are on one machine. */
  machine: z.string(),
  /** Limits of the agent's process that bound the connections it can hold. */
  limits: z.object({ openFiles: Limit, localPorts: Limit }),
});
export type Introduction = z.infer<typeof Introduction>;

export const INTRODUCTION_HEADER = "x-train-sim-agent";

export const ToAgent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("clock"), askedMs: Ms }),
  /** The line by which the agent's clock is to follow the coordinator's clock from now on. */
  z.object({ kind: z.literal("line"), line: z.object({ sinceMs: Ms, offsetMs: Ms, slope: Ms }) }),
  /**
   * The agent's workers of a trial, by their numbers in the whole trial; `elsewhere` is memory that other agents' workers
   * write and these read.
   */
  z.object({
    kind: z.literal("launch"),
    assignments: z.array(z.tuple([WorkerOrdinal, AssignmentInput])).min(1),
    elsewhere: z.array(z.tuple([WorkerOrdinal, z.int().positive()])),
  }),
  z.object({ kind: z.literal("memory"), changes: MemoryChanges }),
  z.object({ kind: z.literal("command"), worker: WorkerOrdinal, command: Command }),
  z.object({ kind: z.literal("ask"), id: z.int().nonnegative(), request: AgentRequest }),
  /** The agent is to kill its own process, as a fault of the scenario demands. */
  z.object({ kind: z.literal("kill") }),
  /** The run is over: the agent may end. */
  z.object({ kind: z.literal("end") }),
]);
export type ToAgent = z.infer<typeof ToAgent>;

export const FromAgent = z.discriminatedUnion("kind", [
  /** The answer to a clock question. `correctionMs` is what the agent added to its raw clock at `repliedMs`. */
  z.object({ kind: z.literal("clock"), askedMs: Ms, heardMs: Ms, repliedMs: Ms, correctionMs: Ms }),
  z.object({ kind: z.literal("online"), worker: WorkerOrdinal }),
  z.object({ kind: z.literal("report"), worker: WorkerOrdinal, report: Report }),
  z.object({
    kind: z.literal("crash"),
    worker: WorkerOrdinal,
    message: z.string(),
    code: z.string().optional(),
  }),
  z.object({ kind: z.literal("exit"), worker: WorkerOrdinal, code: z.int() }),
  /** Bytes that were appended to a file of the trial's directory on the agent. */
  z.object({
    kind: z.literal("file"),
    name: z.string().regex(SENT_FILE_NAME),
    bytes: Bytes,
  }),
  z.object({ kind: z.literal("memory"), changes: MemoryChanges }),
  /** A command reached the agent only after the instant at which it should take effect. */
  z.object({ kind: z.literal("late"), command: z.string(), lateMs: Ms }),
  /** CPU time of the agent's process within the measurement window. */
  z.object({ kind: z.literal("cpu"), seconds: z.number().nonnegative() }),
  /** The answer to the request of that number; `problem` says why it could not be carried out. */
  z.object({
    kind: z.literal("answer"),
    id: z.int().nonnegative(),
    value: z.unknown(),
    problem: Failure.optional(),
  }),
]);
export type FromAgent = z.infer<typeof FromAgent>;

export function encode(message: ToAgent | FromAgent): Buffer {
  return v8.serialize(message);
}

/** Parses a message by the schema. Throws if the bytes are no such message. */
export function decode<T>(bytes: Buffer, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = v8.deserialize(bytes);
  } catch (error) {
    throw new Error(`a message cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`a message cannot be read: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
