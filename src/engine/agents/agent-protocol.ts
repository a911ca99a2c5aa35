// Messages between coordinator and agents, checked like anything from outside.
import v8 from "node:v8";
import * as z from "zod";
import { messageOf } from "../../foundation/errors.js";
import { Command, Failure, Report } from "../workers/protocol.js";
import { PathRequest } from "./path-protocol.js";
import { AssignmentInput } from "./settings-checks.js";

/** The largest message: files are sent in pieces, so a larger one is not ours. */
export const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;
/** The largest piece of a file. */
export const PIECE_BYTES = 1024 * 1024;
export const SILENCE_MS = 15_000;

const Worker = z.int().nonnegative();
const Ms = z.number();
const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Changes of memory that workers share, by the ordinal of the worker that writes it. */
const MemoryChanges = z.array(
  z.object({ ordinal: Worker, pieces: z.array(z.tuple([z.int().nonnegative(), Bytes])) }),
);

export const Request = z.discriminatedUnion("kind", [
  PathRequest,
  /** Ends all workers at once. Refused with what is wrong where one could not be ended, or something of it not removed. */
  z.object({ kind: z.literal("terminate") }),
]);
export type Request = z.infer<typeof Request>;

/** JSON knows no Infinity: null is no limit. */
const Limit = z
  .number()
  .nonnegative()
  .nullable()
  .transform((limit) => limit ?? Number.POSITIVE_INFINITY);

/** What an agent says of itself as it asks to join, as JSON in a header. */
export const Introduction = z.object({
  name: z.string().regex(/^[\w.:@-]{1,100}$/),
  version: z.string(),
  /** Worker threads that it has room for; null: as many as it is given. */
  workers: z.int().positive().nullable(),
  pid: z.int().positive(),
  /** Says whether two processes are on one machine. */
  machine: z.string(),
  /** What bounds its connections. */
  limits: z.object({ openFiles: Limit, localPorts: Limit }),
});
export type Introduction = z.infer<typeof Introduction>;

export const INTRODUCTION_HEADER = "x-train-sim-agent";

export const ToAgent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("clock"), askedMs: Ms }),
  /** How its clock is to follow the coordinator's from now on. */
  z.object({ kind: z.literal("line"), line: z.object({ sinceMs: Ms, offsetMs: Ms, slope: Ms }) }),
  /** Its workers of a trial, by their numbers among all of the trial; and what workers elsewhere write, and theirs read. */
  z.object({
    kind: z.literal("launch"),
    assignments: z.array(z.tuple([Worker, AssignmentInput])).min(1),
    elsewhere: z.array(z.tuple([Worker, z.int().positive()])),
  }),
  z.object({ kind: z.literal("memory"), changes: MemoryChanges }),
  z.object({ kind: z.literal("command"), worker: Worker, command: Command }),
  z.object({ kind: z.literal("ask"), id: z.int().nonnegative(), request: Request }),
  /** Kill yourself, as the scenario asks for. */
  z.object({ kind: z.literal("kill") }),
  /** The run is over. */
  z.object({ kind: z.literal("end") }),
]);
export type ToAgent = z.infer<typeof ToAgent>;

export const FromAgent = z.discriminatedUnion("kind", [
  /** `correctionMs`: what its clock was made to add to its own at `repliedMs`. */
  z.object({ kind: z.literal("clock"), askedMs: Ms, heardMs: Ms, repliedMs: Ms, correctionMs: Ms }),
  z.object({ kind: z.literal("online"), worker: Worker }),
  z.object({ kind: z.literal("report"), worker: Worker, report: Report }),
  z.object({ kind: z.literal("crash"), worker: Worker, message: z.string(), code: z.string().optional() }),
  z.object({ kind: z.literal("exit"), worker: Worker, code: z.int() }),
  /** What was appended to a file of the trial's directory. */
  z.object({
    kind: z.literal("file"),
    name: z.string().regex(/^[a-z][a-z0-9-]*\.(bin|ndjson)$/),
    bytes: Bytes,
  }),
  z.object({ kind: z.literal("memory"), changes: MemoryChanges }),
  /** A command came after the instant that it names. */
  z.object({ kind: z.literal("late"), command: z.string(), lateMs: Ms }),
  /** CPU time of the agent's process within the window. */
  z.object({ kind: z.literal("cpu"), seconds: z.number().nonnegative() }),
  /** To the request of that number; `problem` where it could not be done. */
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

/** Throws where it is no message of ours. */
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
