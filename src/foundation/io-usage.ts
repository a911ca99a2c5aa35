// Who moved bytes to and from this machine's storage, and how long somebody waited for it: the kernel's pressure stall
// information, and /proc/<pid>/io, in which a process keeps what the children moved that it has waited for. Both count since
// some start: two readings make a difference. Linux only; processes of other users can be read by root alone.
import { readOrNothing } from "./machine-usage.js";

export interface IoUsage {
  /** Time in which some process waited for storage, in milliseconds; undefined without /proc/pressure/io. */
  readonly pressureMs?: number;
  /** Bytes read from and written to storage by train-sim and the server; undefined where one of them cannot be read. */
  readonly ownBytes?: number;
  /** By all other processes that can be read. */
  readonly otherBytes: number;
  /** Other processes that cannot be read. */
  readonly unreadable: number;
}

/** Microseconds of `some ... total=`, as milliseconds. */
export function parsePressure(text: string): number | undefined {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? undefined : Number(total) / 1000;
}

/** Of /proc/<pid>/io; undefined where it may not be read, or the process has ended. */
export function parseProcessIo(text: string): number | undefined {
  const [read, written] = ["read_bytes", "write_bytes"].map(
    (name) => new RegExp(`^${name}: (\\d+)`, "m").exec(text)?.[1],
  );
  return read === undefined || written === undefined ? undefined : Number(read) + Number(written);
}

/** `own` are the process ids among `all` that are train-sim's and the server's. */
export function ioUsage(all: readonly number[], own: ReadonlySet<number>): IoUsage {
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
    unreadable: sums.unreadable,
  };
}
