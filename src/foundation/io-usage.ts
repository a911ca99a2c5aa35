// Counters of storage traffic by process and of waits for storage (pressure stall information), from /proc. Writes by a process
// include what is still in the page cache. Only root can read processes of other users.
import { diskUsage } from "./host-usage.js";
import { readOrNothing } from "./machine-usage.js";

export interface IoUsage {
  /** Milliseconds in which at least one process waited for storage; undefined if there is no /proc/pressure/io. */
  readonly pressureMs?: number;
  /**
   * Bytes that train-sim and the server read from storage and wrote to it; undefined if one of their processes cannot be
   * read.
   */
  readonly ownBytes?: number;
  /** Bytes that all other readable processes read from storage and wrote to it. */
  readonly otherBytes: number;
  /** Bytes moved by the machine's disks for any process; undefined if no disk is visible. */
  readonly diskBytes?: number;
  /** Number of other processes whose I/O cannot be read. */
  readonly unreadable: number;
}

/** Milliseconds of waiting from the text of /proc/pressure/io, which states microseconds (`some ... total=`). */
export function parsePressure(text: string): number | undefined {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? undefined : Number(total) / 1000;
}

/**
 * Storage bytes in the text of /proc/<pid>/io, without writes that were deleted before they reached a disk; undefined if it
 * cannot be read.
 */
export function parseProcessIo(text: string): number | undefined {
  const [read, written, cancelled] = ["read_bytes", "write_bytes", "cancelled_write_bytes"].map((name) => {
    const value = new RegExp(`^${name}: (\\d+)`, "m").exec(text)?.[1];
    return value === undefined ? Number.NaN : Number(value);
  }) as [number, number, number];
  const bytes = read + written - cancelled;
  return Number.isNaN(bytes) ? undefined : bytes;
}

/** Reads the I/O of the processes `all`; `own` are the ids of train-sim and the server among them. */
export function ioUsage(all: readonly number[], own: ReadonlySet<number>): IoUsage {
  const disks = diskUsage();
  const pressureMs = parsePressure(readOrNothing("/proc/pressure/io"));
  const sums = { own: 0, other: 0, unreadable: 0, isOwnWhole: true };
  for (const pid of all) {
    const bytes = parseProcessIo(readOrNothing(`/proc/${pid}/io`));
    if (own.has(pid)) {
      sums.own += bytes ?? 0;
      sums.isOwnWhole &&= bytes !== undefined || readOrNothing(`/proc/${pid}/stat`) === "";
    } else {
      sums.other += bytes ?? 0;
      if (bytes === undefined && readOrNothing(`/proc/${pid}/stat`) !== "") sums.unreadable++;
    }
  }
  return {
    ...(pressureMs !== undefined && { pressureMs }),
    ...(sums.isOwnWhole && { ownBytes: sums.own }),
    otherBytes: sums.other,
    ...(disks && { diskBytes: disks.readBytes + disks.writeBytes }),
    unreadable: sums.unreadable,
  };
}
