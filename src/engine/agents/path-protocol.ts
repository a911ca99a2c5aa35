// Requests to an agent about poolers and networks between its clients and the server. They are opened from the server on, each
// before those that were opened earlier; clients go through them from the next launch on.
import * as z from "zod";
import { NETWORK_PLACES } from "../../faults/fault.js";
import type { NetworkEffect } from "../../faults/means/tcp-proxy.js";
import type { PoolerReading } from "../../pools/running-pooler.js";
import { AuthInput, Condition, EndpointInput, ManagedPool } from "./settings-checks.js";

const Count = z.int().nonnegative();
const Ms = z.number().nonnegative();
const place = z.enum(NETWORK_PLACES);
const upstreams = z.array(EndpointInput).min(1);

const NetworkRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open-network"), place, upstreams, seed: z.number() }),
  /** Answered with an `Effect`, as is `mend`. */
  z.object({ kind: z.literal("suffer"), place, condition: Condition }),
  z.object({ kind: z.literal("mend"), place }),
  z.object({ kind: z.literal("close-network"), place }),
]);
export type NetworkRequest = z.infer<typeof NetworkRequest>;

/** A request to poolers that were opened; an `instance` counts from 0. */
const PoolerRequest = z.discriminatedUnion("kind", [
  /** Answered with the last words of a pooler that ended unasked, or with nothing once they are closed. */
  z.object({ kind: z.literal("await-loss") }),
  z.object({ kind: z.literal("connect-statistics"), connectTimeoutMs: z.number() }),
  /** Answered with a `Reading`. */
  z.object({ kind: z.literal("sample") }),
  z.object({ kind: z.literal("servers-max") }),
  /** Answered, as is `bring-up`, with the process ids of those that run now. */
  z.object({ kind: z.literal("shut-down"), instance: Count, how: z.enum(["at-once", "kill"]) }),
  z.object({ kind: z.literal("bring-up"), instance: Count }),
  /** Answered once they are paused, or `resume` was asked for meanwhile. */
  z.object({ kind: z.literal("pause"), consoles: z.array(EndpointInput) }),
  z.object({ kind: z.literal("resume") }),
  /** Answered with the number of processes. */
  z.object({ kind: z.literal("stand-still") }),
  z.object({ kind: z.literal("go-on") }),
  z.object({ kind: z.literal("knock") }),
]);
export type PoolerRequest = z.infer<typeof PoolerRequest>;

export const PathRequest = z.discriminatedUnion("kind", [
  NetworkRequest,
  /** Answered with the version that it would start. */
  z.object({ kind: z.literal("find-pooler"), pool: ManagedPool }),
  /** Answered with `OpenedPoolers`. */
  z.object({
    kind: z.literal("open-poolers"),
    pool: ManagedPool,
    maxClientConnections: z.int().positive(),
    auth: AuthInput.optional(),
    upstreams,
  }),
  z.object({ kind: z.literal("ask-poolers"), request: PoolerRequest }),
  z.object({ kind: z.literal("close-poolers") }),
]);
export type PathRequest = z.infer<typeof PathRequest>;

export const Effect = z.object({
  connections: Count,
  resets: Count,
  commitsLost: Count,
  answersLost: Count,
}) satisfies z.ZodType<NetworkEffect>;

export const Pids = z.array(z.int().positive());

export const OpenedPoolers = z.object({
  version: z.string(),
  supportsPreparedStatements: z.boolean(),
  endpoints: z.array(EndpointInput),
  consoles: z.array(EndpointInput),
  pids: Pids,
});
export type OpenedPoolers = z.infer<typeof OpenedPoolers>;

export const Reading = z.object({
  clientsActive: Count,
  serversActive: Count,
  serversIdle: Count,
  clientsWaiting: Count.exactOptional(),
  maxWaitMs: Ms.exactOptional(),
  transactions: Count.exactOptional(),
  waitMs: Ms.exactOptional(),
  queryMs: Ms.exactOptional(),
}) satisfies z.ZodType<PoolerReading>;
