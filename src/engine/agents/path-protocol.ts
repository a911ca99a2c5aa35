// What an agent is asked for of that which lies between its clients and the server, on its own machine: poolers beside the
// clients, and networks that can be made bad. It is opened from the server on, each part before those that were opened
// earlier, and clients go through it from the next launch on.
import * as z from "zod";
import type { Endpoint, Auth } from "../../database/endpoint.js";
import { NETWORK_PLACES } from "../../faults/fault.js";
import type { NetworkCondition } from "../../faults/means/condition.js";
import type { NetworkEffect } from "../../faults/means/tcp-proxy.js";
import type { ManagedSettings } from "../../pools/registry.js";
import type { PoolerReading } from "../../pools/running-pooler.js";

/** What was validated when the scenario was loaded, or is the program's own. */
export const known = <T>() => z.custom<T>((value) => typeof value === "object" && value !== null);

const Count = z.int().nonnegative();
const Ms = z.number().nonnegative();
const place = z.enum(NETWORK_PLACES);
const upstreams = z.array(known<Endpoint>()).min(1);

const NetworkRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open-network"), place, upstreams, seed: z.number() }),
  /** Answered with an `Effect`, as is `mend`. */
  z.object({ kind: z.literal("suffer"), place, condition: known<NetworkCondition>() }),
  z.object({ kind: z.literal("mend"), place }),
  z.object({ kind: z.literal("close-network"), place }),
]);
export type NetworkRequest = z.infer<typeof NetworkRequest>;

/** Of poolers that were opened; an `instance` is one of them, from 0. */
const PoolerRequest = z.discriminatedUnion("kind", [
  /** Answered once one has ended without having been told to, with its last words; with nothing once they are closed. */
  z.object({ kind: z.literal("await-loss") }),
  z.object({ kind: z.literal("connect-statistics"), connectTimeoutMs: z.number() }),
  /** Answered with a `Reading`. */
  z.object({ kind: z.literal("sample") }),
  z.object({ kind: z.literal("servers-max") }),
  /** Answered, as is `bring-up`, with the process ids of those that run now. */
  z.object({ kind: z.literal("shut-down"), instance: Count, how: z.enum(["at-once", "kill"]) }),
  z.object({ kind: z.literal("bring-up"), instance: Count }),
  /** Answered once they are paused, or `resume` was asked for meanwhile. */
  z.object({ kind: z.literal("pause"), consoles: z.array(known<Endpoint>()) }),
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
  z.object({ kind: z.literal("find-pooler"), pool: known<ManagedSettings>() }),
  /** Answered with `OpenedPoolers`. */
  z.object({
    kind: z.literal("open-poolers"),
    pool: known<ManagedSettings>(),
    maxClientConnections: z.int().positive(),
    auth: z.custom<Auth>().optional(),
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
  endpoints: z.array(known<Endpoint>()),
  consoles: z.array(known<Endpoint>()),
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
