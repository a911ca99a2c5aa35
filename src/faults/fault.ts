// What a kind of fault is: something that is injected and can be cleared again. A kind knows how, and nothing of when:
// that is the schedule's business. It works with real means only, on what the trial runs on.
// Types only.
import type { Prng } from "../foundation/prng.js";
import type { Fault, FaultKindName, FaultOf, NetworkPlace } from "./faults.js";
import type { Network } from "./means/network.js";
import type { RunningTarget } from "../targets/running-target.js";
import type { RunningPooler } from "../pools/running-pooler.js";

/** Tables of the workload that faults touch, qualified and quoted. */
export interface FaultTables {
  /** Which a long transaction reads. */
  readonly snapshot: string;
  /** Which a lock holder locks: all transactions wait for it. */
  readonly lock: string;
}

/** What faults work on: the trial's own system. */
export interface FaultHost {
  readonly target: RunningTarget;
  /** Undefined where clients connect to the server itself. */
  readonly pooler: RunningPooler | undefined;
  /** Where a fault of the trial needs one. */
  readonly networks: Readonly<Partial<Record<NetworkPlace, Pick<Network, "suffer" | "mend">>>>;
  readonly tables: FaultTables;
  /** Application names of the load's sessions. */
  readonly loadNames: readonly string[];
  /** For choices among what is there, from the trial's seed. */
  readonly prng: Prng;
  /** Aborted when everything is to be cleared: an injection that waits must end then. */
  readonly signal: AbortSignal;
}

/** A fault that is there. */
export interface Injected {
  /** What was done, for log and result, as `ended 8 sessions of the load`; read once it is cleared. */
  readonly words: string;
  /** Mends it; resolves once the system is healthy again. Called once. Rejects when that cannot be had. */
  clear(): Promise<void>;
}

export interface FaultKind<K extends FaultKindName = FaultKindName> {
  /** Resolves once the fault is there. Rejects, having left nothing behind, when it cannot be had. */
  inject(host: FaultHost, fault: FaultOf<K>): Promise<Injected>;
}

export type FaultKinds = { readonly [K in FaultKindName]: FaultKind<K> };

/** Of one fault, in monotonic milliseconds. */
export interface FaultSpan {
  readonly fault: Fault;
  readonly injectedMs: number;
  /** Undefined while it is there, or where it could not be cleared. */
  readonly clearedMs: number | undefined;
  readonly words: string;
}
