// The faults that a scenario may have: what each kind takes, what it needs of the system under test, and which of
// them cannot happen at once. It exists so that the schema, the rules and the engine read one table; a new kind is
// one line here, its keys in `schema-faults.ts` and `resolve-faults.ts`, and its file in `engine/faults/`.
// Pure data and types; nothing is injected here.
import type { LockMode } from "../database/settings.js";
import type { Shutdown, FullDisk } from "../targets/settings.js";

/** `needed` kinds last `for`; `optional` ones are down at least so long; `none` are over once they have happened. */
type Length = "needed" | "optional" | "none";

/**
 * What a fault works on. Two faults on the `server` exclude each other, and none works by a `session` of its own
 * while the server is away; two on the same `pooler` exclude each other, and so do two on the `network`.
 */
type Ground = "server" | "session" | "pooler" | "network";

export interface FaultTraits {
  readonly length: Length;
  readonly ground: Ground;
  /** Keys beside `at`, `kind` and `for`. */
  readonly takes: readonly string[];
  /** The one of them that has no default, with an example. */
  readonly needs?: readonly [key: "latency" | "bandwidth", example: string];
}

const BETWEEN = "between";

export const FAULTS = {
  "backend-terminate": { length: "none", ground: "session", takes: ["sessions"] },
  "postgres-restart": { length: "optional", ground: "server", takes: ["shutdown"] },
  "postgres-kill": { length: "optional", ground: "server", takes: [] },
  "process-stop": { length: "needed", ground: "server", takes: ["process"] },
  "disk-full": { length: "needed", ground: "server", takes: ["disk"] },
  "long-transaction": { length: "needed", ground: "session", takes: [] },
  "lock-holder": { length: "needed", ground: "session", takes: ["lock"] },
  "connection-limit": { length: "needed", ground: "session", takes: ["connections", "drop"] },
  "pgbouncer-restart": { length: "optional", ground: "pooler", takes: ["instance"] },
  "pgbouncer-kill": { length: "optional", ground: "pooler", takes: ["instance"] },
  "pgbouncer-pause": { length: "needed", ground: "pooler", takes: ["instance"] },
  "network-latency": {
    length: "needed",
    ground: "network",
    takes: [BETWEEN, "latency", "jitter"],
    needs: ["latency", "50ms"],
  },
  "network-bandwidth": {
    length: "needed",
    ground: "network",
    takes: [BETWEEN, "bandwidth"],
    needs: ["bandwidth", "1MB"],
  },
  "network-blackhole": { length: "needed", ground: "network", takes: [BETWEEN] },
  "network-refuse": { length: "needed", ground: "network", takes: [BETWEEN, "drop"] },
  "network-reset": { length: "none", ground: "network", takes: [BETWEEN] },
  "network-reset-commits": { length: "needed", ground: "network", takes: [BETWEEN, "commits"] },
} as const satisfies Record<string, FaultTraits>;

export type FaultKindName = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as [FaultKindName, ...FaultKindName[]];
export const STOPPED_PROCESSES = ["postgres", "pgbouncer"] as const;
export type StoppedProcess = (typeof STOPPED_PROCESSES)[number];
/** Whose connections a fault of the network is about: the clients', or PgBouncer's to the server. */
export const NETWORK_PLACES = ["clients", "pooler"] as const;
export type NetworkPlace = (typeof NETWORK_PLACES)[number];

interface OfNetwork {
  readonly between: NetworkPlace;
}

interface OfPooler {
  /** One of several PgBouncers, from 1; undefined for all of them. */
  readonly instance: number | undefined;
}

/** What each kind takes, resolved. */
interface FaultKeys {
  "backend-terminate": { readonly sessions: { readonly count: number } | { readonly share: number } };
  "postgres-restart": { readonly shutdown: Shutdown };
  "postgres-kill": object;
  "process-stop": { readonly process: StoppedProcess };
  "disk-full": { readonly disk: FullDisk };
  "long-transaction": object;
  "lock-holder": { readonly lock: LockMode };
  "connection-limit": {
    /** Connections that are left to the load. */
    readonly connections: number;
    /** Whether the load's connections beyond that are ended, or only new ones refused. */
    readonly drop: boolean;
  };
  "pgbouncer-restart": OfPooler;
  "pgbouncer-kill": OfPooler;
  "pgbouncer-pause": OfPooler;
  /** Each way. */
  "network-latency": OfNetwork & { readonly latencyMs: number; readonly jitterMs: number };
  /** Each way, over all connections together. */
  "network-bandwidth": OfNetwork & { readonly bytesPerSecond: number };
  "network-blackhole": OfNetwork;
  /** Whether open connections are reset, or only new ones refused. */
  "network-refuse": OfNetwork & { readonly drop: boolean };
  "network-reset": OfNetwork;
  /** Share of the COMMITs, 0..1. */
  "network-reset-commits": OfNetwork & { readonly share: number };
}

export type FaultOf<K extends FaultKindName> = {
  readonly kind: K;
  /** From the start of the measurement window. */
  readonly atMs: number;
  /** 0 where the kind is over once it has happened, or takes as long as it takes. */
  readonly forMs: number;
} & FaultKeys[K];

/** One fault of a scenario. */
export type Fault = { [K in FaultKindName]: FaultOf<K> }[FaultKindName];

/** What a fault works on: a PgBouncer that is stopped leaves the server as it is. */
export function groundOf(fault: Fault): Ground {
  if (fault.kind === "process-stop" && fault.process === "pgbouncer") return "pooler";
  return FAULTS[fault.kind].ground;
}

/** Whether two faults cannot be there at the same time. */
export function areExclusive(a: Fault, b: Fault): boolean {
  if (a.kind === b.kind) return true;
  const [one, other] = [groundOf(a), groundOf(b)];
  if (one === other) return one !== "session";
  return [one, other].every((ground) => ground === "server" || ground === "session");
}

/** Whether one of two faults takes every connection when the other, a session of its own, is to begin. */
export function takesAllConnections(a: Fault, b: Fault): boolean {
  const takes = (one: Fault, other: Fault): boolean =>
    one.kind === "connection-limit" && groundOf(other) === "session" && one.atMs <= other.atMs;
  return takes(a, b) || takes(b, a);
}

/** Where a treatment's faults need a network that can be made bad. */
export function networkPlacesOf(faults: readonly Fault[]): NetworkPlace[] {
  const places = faults.flatMap((fault) => ("between" in fault ? [fault.between] : []));
  return NETWORK_PLACES.filter((place) => places.includes(place));
}
