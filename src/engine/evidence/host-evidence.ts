// Nothing is claimed of a server whose process is not visible here: its disks and processors may be elsewhere.
import { monotonicMs } from "../../foundation/clock.js";
import { hostUsage, type ContextSwitches, type HostUsage } from "../../foundation/host-usage.js";
import type { RunningTarget } from "../../targets/running-target.js";
import type { EvidenceReading, SkippedSource } from "../../database/evidence.js";
import { SERVER_PID_KEY, type EvidenceSource } from "./evidence-source.js";
import type { RunningPooler } from "../../pools/running-pooler.js";

const UNKNOWN_SERVER_REASONS: Readonly<Record<string, string>> = {
  embedded: "the server's process is not known",
  url: "the server's processes are not on this machine, or not visible from here",
};

/** `serverPid` is the postmaster, if it is a process of this machine; `agentPids` are the agents on this machine. */
interface HostedServer {
  readonly kind: RunningTarget["kind"];
  readonly serverPid?: number | undefined;
  readonly agentPids?: readonly number[];
}

type PoolerProcesses = Pick<RunningPooler, "pids" | "instances">;

export class HostSource implements EvidenceSource {
  readonly name = "host";
  readonly skipped: readonly SkippedSource[];
  private readonly poolerUnknownReason: string | undefined;
  private readonly foreignCpu = new ProcessorTime((firstMs) => firstMs);
  private readonly programCpu = new ProcessorTime(() => 0);
  private lastDiskReading: { readonly requestMs: number; readonly atMs: number } | undefined;
  private lastSwitches: HostUsage["serverSwitches"];
  private readonly switchesTaken = { voluntary: 0, involuntary: 0 };

  constructor(
    private readonly target: HostedServer,
    private readonly pooler: PoolerProcesses | undefined,
    private readonly pids: {
      readonly foreign?: () => readonly number[];
      readonly programs?: () => readonly number[];
    } = {},
    private readonly read: typeof hostUsage = hostUsage,
    private readonly nowMs: () => number = monotonicMs,
  ) {
    this.poolerUnknownReason = pooler && unknownPoolerReason(pooler);
    this.skipped = unreadSources(this.reading(), target, this.poolerUnknownReason);
  }

  sample(): Promise<EvidenceReading> {
    const { backendMs, programMs, diskRequestMs, serverSwitches, ...usage } = this.reading();
    const values = Object.entries(usage).map(([name, value]) => [`host.${name}`, value] as const);
    const { serverPid } = this.target;
    return Promise.resolve({
      ...Object.fromEntries(values),
      ...(serverPid !== undefined && { [SERVER_PID_KEY]: serverPid }),
      ...(diskRequestMs !== undefined && this.diskQueue(diskRequestMs)),
      ...(serverSwitches && this.switches(serverSwitches)),
      ...(serverPid !== undefined && backendMs && { "host.foreignCpuMs": this.foreignCpu.add(backendMs) }),
      ...(programMs && { "host.programCpuMs": this.programCpu.add(programMs) }),
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private reading(): HostUsage {
    const { serverPid, agentPids = [] } = this.target;
    return this.read({
      ...(serverPid !== undefined && { serverPid }),
      agentPids,
      poolerPids: this.poolerUnknownReason === undefined ? (this.pooler?.pids ?? []) : [],
      backendPids: this.pids.foreign?.() ?? [],
      programPids: this.pids.programs?.() ?? [],
    });
  }

  /** Mean number of requests to the disks since the previous reading: request time divided by the time that passed. */
  private diskQueue(requestMs: number): EvidenceReading {
    const [last, atMs] = [this.lastDiskReading, this.nowMs()];
    this.lastDiskReading = { requestMs, atMs };
    if (!last || atMs <= last.atMs) return {};
    return { "host.diskQueue": Math.max(0, requestMs - last.requestMs) / (atMs - last.atMs) };
  }

  /** Context switches of the server since the first reading. Switches of a process after its last reading are missing. */
  private switches(now: ReadonlyMap<number, ContextSwitches>): EvidenceReading {
    const { lastSwitches: last, switchesTaken: taken } = this;
    for (const [pid, { voluntary, involuntary }] of last ? now : []) {
      const seen = last?.get(pid);
      // A lower count is that of a new process with an old id.
      const before =
        seen && seen.voluntary <= voluntary && seen.involuntary <= involuntary ? seen : undefined;
      taken.voluntary += voluntary - (before?.voluntary ?? 0);
      taken.involuntary += involuntary - (before?.involuntary ?? 0);
    }
    this.lastSwitches = now;
    return {
      "host.serverVoluntarySwitches": taken.voluntary,
      "host.serverInvoluntarySwitches": taken.involuntary,
    };
  }
}

/** CPU time so far of processes that come and go. The time of a process after its last reading is missing. */
class ProcessorTime {
  private takenMs = 0;
  /** CPU time in ms of each process at its last reading, by process id. */
  private readonly seenMs = new Map<number, number>();

  /** @param uncountedMs part of the CPU time that a process has at its first reading which does not count */
  constructor(private readonly uncountedMs: (firstMs: number) => number) {}

  /** Adds a reading; returns the milliseconds so far. */
  add(readings: ReadonlyMap<number, number>): number {
    for (const [pid, ms] of readings) {
      this.takenMs += Math.max(0, ms - (this.seenMs.get(pid) ?? this.uncountedMs(ms)));
      this.seenMs.set(pid, ms);
    }
    return this.takenMs;
  }
}

function unreadSources(
  reading: HostUsage,
  { kind, serverPid }: HostedServer,
  poolerUnknownReason: string | undefined,
): SkippedSource[] {
  if (reading.otherCpuMs === undefined)
    return [{ source: "CPU and disks", reason: "this platform has no /proc to read them from" }];
  const skipped: SkippedSource[] = [];
  if (serverPid === undefined)
    skipped.push({
      source: "CPU of the server, disks",
      reason: UNKNOWN_SERVER_REASONS[kind] ?? "the server's processes are not visible from here",
    });
  else if (reading.diskWriteBytes === undefined)
    skipped.push({ source: "disks", reason: "/proc/diskstats shows no whole disk" });
  if (poolerUnknownReason !== undefined)
    skipped.push({ source: "CPU of the pooler", reason: poolerUnknownReason });
  return skipped;
}

/** The reason why the CPU time of a pooler is not known here; undefined if it is. */
function unknownPoolerReason({ pids, instances }: PoolerProcesses): string | undefined {
  if (instances.length === 0) return "train-sim did not start it";
  const elsewhere = instances.length - pids.length;
  return elsewhere > 0 ? `${elsewhere} of ${instances.length} run on other machines` : undefined;
}
