// Requests to an agent about poolers and networks between its clients and the server. They are opened from the server on, each
// before those that were opened earlier; clients go through them from the next launch on.
import * as z from "zod";
import { NETWORK_PLACES } from "../../faults/fault.js";
import type { NetworkEffect } from "../../faults/means/tcp-proxy.js";
import type { PoolerReading } from "../../pools/running-pooler.js";
import { AuthInput, NetworkConditionInput, EndpointInput, ManagedPoolInput } from "./settings-checks.js";

const Count = z.int().nonnegative();
const Ms = z.number().nonnegative();
const place = z.enum(NETWORK_PLACES);
const upstreams = z.array(EndpointInput).min(1);

const NetworkRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open-network"), place, upstreams, seed: z.number() }),
  /** Applies a network condition. The answer, as for `mend` and `redirect`, is an `Effect`. */
  z.object({ kind: z.literal("suffer"), place, condition: NetworkConditionInput }),
  z.object({ kind: z.literal("mend"), place }),
  z.object({ kind: z.literal("redirect"), place, upstreams }),
  z.object({ kind: z.literal("close-network"), place }),
]);
export type NetworkRequest = z.infer<typeof NetworkRequest>;

/** A request to poolers that are open; `instance` counts poolers from 0. */
const PoolerRequest = z.discriminatedUnion("kind", [
  /** Waits for a pooler to end unexpectedly. The answer is how it ended, or undefined once the poolers are closed. */
  z.object({ kind: z.literal("await-loss") }),
  z.object({ kind: z.literal("connect-statistics"), connectTimeoutMs: z.number() }),
  /** Takes a sample of the poolers. The answer is a `Reading`. */
  z.object({ kind: z.literal("sample") }),
  z.object({ kind: z.literal("servers-max") }),
  /** Ends one pooler. The answer, as for `bring-up`, is the process ids of the poolers that run now. */
  z.object({ kind: z.literal("shut-down"), instance: Count, how: z.enum(["at-once", "kill"]) }),
  z.object({ kind: z.literal("bring-up"), instance: Count }),
  /** Pauses the poolers. Answered once they are paused, or once `resume` is requested. */
  z.object({ kind: z.literal("pause"), consoles: z.array(EndpointInput) }),
  z.object({ kind: z.literal("resume") }),
  /** Suspends the processes of the poolers. The answer is the number of processes. */
  z.object({ kind: z.literal("stand-still") }),
  z.object({ kind: z.literal("go-on") }),
  z.object({ kind: z.literal("knock") }),
]);
export type PoolerRequest = z.infer<typeof PoolerRequest>;

export const PathRequest = z.discriminatedUnion("kind", [
  NetworkRequest,
  /** Asks for the version of the pooler that the agent would start. */
  z.object({ kind: z.literal("find-pooler"), pool: ManagedPoolInput }),
  /** Opens poolers. The answer is an `OpenedPoolers`. */
  z.object({
    kind: z.literal("open-poolers"),
    pool: ManagedPoolInput,
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
