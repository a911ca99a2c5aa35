// Counters of storage traffic by process and of waits for storage (pressure stall information), from /proc. Writes by a process
// include what is still in the page cache. Only root can read processes of other users.
import { diskUsage } from "./host-usage.js";
import { readOrNothing } from "./machine-usage.js";

export interface IoUsage {
  /** Time in which some process waited for storage, in milliseconds; undefined without /proc/pressure/io. */
  readonly pressureMs?: number;
  /** Bytes read from and written to storage by train-sim and the server; undefined where one of them cannot be read. */
  readonly ownBytes?: number;
  /** By all other processes that can be read. */
  readonly otherBytes: number;
  /** By the machine's disks, whoever wanted it; undefined where none is shown. */
  readonly diskBytes?: number;
  /** Other processes that cannot be read. */
  readonly unreadable: number;
}

/** Microseconds of `some ... total=`, as milliseconds. */
export function parsePressure(text: string): number | undefined {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? undefined : Number(total) / 1000;
}

/** Of /proc/<pid>/io, less what was deleted before it was written out; undefined where it may not be read, or has ended. */
export function parseProcessIo(text: string): number | undefined {
  const [read, written, cancelled] = ["read_bytes", "write_bytes", "cancelled_write_bytes"].map((name) => {
    const value = new RegExp(`^${name}: (\\d+)`, "m").exec(text)?.[1];
    return value === undefined ? Number.NaN : Number(value);
  }) as [number, number, number];
  const bytes = read + written - cancelled;
  return Number.isNaN(bytes) ? undefined : bytes;
}

/** `own` are the process ids among `all` that are train-sim's and the server's. */
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
