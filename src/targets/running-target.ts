// A started target of any kind. Endpoints carry passwords.
import type { Endpoint, Auth } from "../database/endpoint.js";
import type { SmallDisk } from "./embedded/small-disk.js";
import type { FullDisk, ShutdownMode } from "./settings.js";

export interface ServerControl {
  /** True while a postmaster runs; false after a crash that ended it. */
  readonly isRunning: boolean;
  processes(): readonly number[];
  /** Shuts the server down; resolves, once it is gone, to how it ended, such as `exit code 0`. */
  shutDown(mode: ShutdownMode): Promise<string>;
  /** Sends SIGKILL to all processes of the server at once; resolves once none is left. Linux only. */
  kill(): Promise<void>;
  /** Starts the server again; resolves once it accepts connections, after any recovery. Rejects with the server's log. */
  start(): Promise<void>;
  /**
   * Announces an end of the server, so that `lost` does not settle. Call the returned function when the end is no longer
   * expected.
   */
  expectLoss(): () => void;
  /** Parts of the server's data that lie on a separate file system. */
  readonly disks: Readonly<Partial<Record<FullDisk, SmallDisk>>>;
}

/** A change of the primary server from `old` to `promoted`. */
export interface Promotion {
  readonly old: string;
  readonly promoted: string;
  /** End of the promoted server's log, such as `0/3000148`. */
  readonly position: string;
  /** Monotonic milliseconds of the old primary's last commit that the new primary has; undefined if there was none. */
  readonly lastCommitMs: number | undefined;
  /** Ends the time in which the absence of the old primary is expected. Call it once the old primary is back. */
  readonly asExpected: () => void;
}

/** The outcome of a failover. Times are monotonic milliseconds. */
export interface Failover extends Promotion {
  /** Start of the promotion. Answers read before it are the old primary's; answers after it are the new primary's. */
  readonly promotedMs: number;
  /** Milliseconds without a primary. */
  readonly downMs: number;
}

/** A split brain: both the promoted server and the old primary, which still serves its existing sessions, take writes. */
export interface SplitBrain extends Promotion {
  /** Index of the old primary among the target's endpoints. */
  readonly oldEndpoint: number;
  /** Kills the old primary. */
  readonly fence: () => Promise<void>;
}

export interface Replication {
  /** Controls of the standbys that run now. */
  readonly standbyControls: readonly ServerControl[];
  /** Endpoint of the server that takes writes at the time of the call. */
  readonly primaryEndpoint: Endpoint;
  /** Calls `lead` with each later primary as soon as it takes writes; without `lead` it ends the calls. */
  onPromotion(lead?: (primary: Endpoint) => Promise<unknown>): void;
  /**
   * Ends the primary and promotes the standby that has received most of its log; the other standbys then follow that one.
   */
  failOver(how: "kill" | "shut-down"): Promise<Failover>;
  /** Cuts the standbys off from the primary, which then admits no new session, and promotes the most advanced standby. */
  split(): Promise<SplitBrain>;
  /**
   * Makes standbys connect to these addresses, such as a proxy's, in the order of the servers; without `ends` to the
   * servers themselves.
   */
  route(ends?: readonly Endpoint[]): Promise<void>;
  /**
   * Restarts servers that are gone, as standbys with new copies of the primary's data; resolves once all follow the
   * primary.
   */
  heal(): Promise<void>;
}

export interface RunningTarget {
  readonly kind: string;
  readonly endpoints: readonly Endpoint[];
  /** Address for train-sim's control sessions, as the owner of the namespace. */
  readonly admin: Endpoint;
  /** Log-in method of clients; left out for a server that train-sim does not run. */
  readonly auth?: Auth | undefined;
  /** Process id of the postmaster if train-sim runs it on this machine; it changes with a restart. */
  readonly serverPid?: number;
  readonly control?: ServerControl;
  readonly replication?: Replication;
  readonly dataDirectory?: string;
  /** Settles if the server ends unexpectedly, with the reason (last lines of its log). It never settles otherwise. */
  readonly lost: Promise<string>;
  /** Stops a server that train-sim started and removes its directories. Never rejects; may be called twice. */
  stop(): Promise<void>;
}
