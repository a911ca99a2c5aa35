// A started target, whatever its kind. Endpoints carry passwords.
import type { Endpoint, Auth } from "../database/endpoint.js";
import type { SmallDisk } from "./embedded/small-disk.js";
import type { FullDisk, Shutdown } from "./settings.js";

/** Takes a server that train-sim runs down and up again; its data directory and its port stay. */
export interface ServerControl {
  /** Whether a postmaster runs; one that crashed and went away does not. */
  readonly isRunning: boolean;
  /** Processes that make it up, the postmaster first; Linux only. */
  processes(): readonly number[];
  /** Resolves once it is gone, with how it ended, as `exit code 0`. */
  shutDown(mode: Shutdown): Promise<string>;
  /** SIGKILL to all of its processes at once; resolves once none is left. Linux only. */
  kill(): Promise<void>;
  /** Resolves once it accepts connections again, what it had to recover included. Rejects with its own words. */
  start(): Promise<void>;
  /** Its end is expected, and `lost` does not settle, until the result is called. */
  expectLoss(): () => void;
  /** Parts of its data that lie on a file system of their own. */
  readonly disks: Readonly<Partial<Record<FullDisk, SmallDisk>>>;
}

/** A change of the primary. */
export interface Promotion {
  readonly old: string;
  readonly promoted: string;
  /** The end of the promoted server's log, as `0/3000148`. */
  readonly position: string;
  /** Monotonic milliseconds at which the old primary wrote the last commit that the new one has; undefined if it has none. */
  readonly lastCommitMs: number | undefined;
  /** Call it once the old primary is back: until then its absence is expected. */
  readonly asExpected: () => void;
}

/** The outcome of a failover. Monotonic milliseconds. */
export interface Failover extends Promotion {
  /** The start of its promotion: answers of the old primary were read before, those of the new one come after. */
  readonly promotedMs: number;
  /** Milliseconds without a primary. */
  readonly downMs: number;
}

/** Two primaries: the promoted one, and the old one, which goes on for the sessions that it has. */
export interface Split extends Promotion {
  /** Place of the old primary among the target's endpoints. */
  readonly oldEndpoint: number;
  /** Kills the old primary. */
  readonly fence: () => Promise<void>;
}

/** Servers of a target that replicate. */
export interface Replication {
  /** Standbys that run now. */
  readonly standbyControls: readonly ServerControl[];
  /** The primary goes; the standby that has received most is promoted, and the others follow it. */
  failOver(how: "kill" | "shut-down"): Promise<Failover>;
  /**
   * Standbys hear of the primary no more, which admits no new session; the one that has received most is promoted, and the
   * others follow it.
   */
  split(): Promise<Split>;
  /** Has standbys connect there instead of to the servers themselves, in their order; to the servers again, without. */
  route(ends?: readonly Endpoint[]): Promise<void>;
  /** Brings servers back that are gone, as standbys, with copies of the primary's data; resolves once all follow it. */
  heal(): Promise<void>;
}

/** A server that answers; `stop` leaves nothing of ours behind. */
export interface RunningTarget {
  readonly kind: string;
  /** Addresses for clients. */
  readonly endpoints: readonly Endpoint[];
  /** Address of train-sim's own sessions, as the owner of the namespace. */
  readonly admin: Endpoint;
  /** The log-in of clients, if train-sim runs the server. */
  readonly auth?: Auth | undefined;
  /** Process id of the postmaster where it runs on this machine under our care; another one after a restart. */
  readonly serverPid?: number;
  /** Present if train-sim runs the server itself. */
  readonly control?: ServerControl;
  /** Present if the server has standbys. */
  readonly replication?: Replication;
  /** Data directory of an embedded server. */
  readonly dataDirectory?: string;
  /** Settles when the server went away on its own, with the reason (last lines of its log); never otherwise. */
  readonly lost: Promise<string>;
  /** Stops the server and removes its directories, if they are ours. Never rejects; may be called twice. */
  stop(): Promise<void>;
}
