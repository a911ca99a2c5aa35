// A started target, whatever its kind. Endpoints carry passwords.
import type { Endpoint, Auth } from "../database/endpoint.js";
import type { SmallDisk } from "./embedded/small-disk.js";
import type { FullDisk, Shutdown } from "./settings.js";

export interface ServerControl {
  /** True if a postmaster runs; false after a crash that ended it. */
  readonly isRunning: boolean;
  processes(): readonly number[];
  /** Resolves once the server is gone, to how it ended, such as `exit code 0`. */
  shutDown(mode: Shutdown): Promise<string>;
  /** Sends SIGKILL to all processes of the server at once; resolves once none is left. Linux only. */
  kill(): Promise<void>;
  /** Resolves once the server accepts connections again, after any recovery. Rejects with the server's log. */
  start(): Promise<void>;
  /** The server's end is expected, and `lost` does not settle, until the returned function is called. */
  expectLoss(): () => void;
  /** Parts of the server's data that lie on a separate file system. */
  readonly disks: Readonly<Partial<Record<FullDisk, SmallDisk>>>;
}

/** A change of the primary. */
export interface Promotion {
  readonly old: string;
  readonly promoted: string;
  /** End of the promoted server's log, such as `0/3000148`. */
  readonly position: string;
  /** Monotonic milliseconds of the last commit of the old primary that the new one has; undefined without any. */
  readonly lastCommitMs: number | undefined;
  /** Call it once the old primary is back: until then the absence of the old primary is expected. */
  readonly asExpected: () => void;
}

/** The outcome of a failover. Monotonic milliseconds. */
export interface Failover extends Promotion {
  /** Start of the promotion: answers of the old primary were read before, answers of the new primary come after. */
  readonly promotedMs: number;
  /** Milliseconds without a primary. */
  readonly downMs: number;
}

/** Two primaries: the promoted server, and the old primary, which continues for the sessions that it has. */
export interface Split extends Promotion {
  /** Index of the old primary among the target's endpoints. */
  readonly oldEndpoint: number;
  /** Kills the old primary. */
  readonly fence: () => Promise<void>;
}

export interface Replication {
  /** Standbys that run now. */
  readonly standbyControls: readonly ServerControl[];
  /** Ends the primary; the standby that has received most of the log is promoted, and the others follow it. */
  failOver(how: "kill" | "shut-down"): Promise<Failover>;
  /** Cuts the standbys off from the primary, which admits no new session, and promotes the most advanced one. */
  split(): Promise<Split>;
  /** Has standbys connect to these addresses, in the order of the servers; without an argument, to the servers. */
  route(ends?: readonly Endpoint[]): Promise<void>;
  /** Restarts servers that are gone as standbys, with copies of the primary's data; resolves once all follow the primary. */
  heal(): Promise<void>;
}

export interface RunningTarget {
  readonly kind: string;
  readonly endpoints: readonly Endpoint[];
  /** Address for train-sim's control sessions, as the owner of the namespace. */
  readonly admin: Endpoint;
  /** Log-in method of clients, if train-sim runs the server. */
  readonly auth?: Auth | undefined;
  /** Process id of the postmaster if train-sim runs it on this machine; it changes with a restart. */
  readonly serverPid?: number;
  readonly control?: ServerControl;
  readonly replication?: Replication;
  readonly dataDirectory?: string;
  /** Settles if the server ended unexpectedly, with the reason (last lines of its log); never otherwise. */
  readonly lost: Promise<string>;
  /** Stops a server that train-sim started and removes its directories. Never rejects; may be called twice. */
  stop(): Promise<void>;
}
