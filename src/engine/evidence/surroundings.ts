// The server's processes are found, so that their work is not attributed to another program.
import { ioUsage, type IoUsage } from "../../foundation/io-usage.js";
import { machineUsage, treeOf, usageBetween, type MachineReading } from "../../foundation/machine-usage.js";
import { monotonicMs } from "../../foundation/clock.js";
import { counted } from "../../foundation/units.js";
import { IO_WAIT_SHARE_MIN } from "../../analysis/diagnosis/server-checks.js";
import type { MachineEvidence, NotAssessed, TrialServer } from "../../results/result-schema.js";
import type { RunningTarget } from "../../targets/running-target.js";
import type { TrialServers } from "./server-identities.js";
import { findPostmaster, serverUnknownReason } from "../trial/server-share.js";
import type { TrialHost, TrialInputs } from "../trial/trial-parts.js";

interface Reading {
  readonly atMs: number;
  readonly machine: MachineReading | undefined;
  readonly io: IoUsage | undefined;
  /** Process id of the postmaster at that moment; a restart changes it. */
  readonly serverPid: number | undefined;
  readonly agents: readonly number[];
}

const OTHER_CPU = "CPU time of other programs";
const OTHER_IO = "I/O of other programs";
const NO_PROC_REASON = "this platform has no /proc to read them from";

export class EnvironmentReadings {
  private servers: TrialServers | undefined;
  private postmasterPid: number | undefined;
  private openingReading: Reading | undefined;
  private closingReading: Reading | undefined;

  constructor(
    private readonly host: Pick<TrialHost, "target" | "admin" | "identities" | "place">,
    private readonly inputs: Pick<TrialInputs, "trial" | "treatment">,
  ) {}

  get kind(): RunningTarget["kind"] {
    return this.host.target.kind;
  }

  /** Process id of the postmaster, if it is a process of this machine. */
  get serverPid(): number | undefined {
    return this.host.target.serverPid ?? this.postmasterPid;
  }

  /** Reads the servers before the load. Never rejects. */
  async begin(): Promise<void> {
    const { target, admin, identities } = this.host;
    if (target.serverPid === undefined) this.postmasterPid = await findPostmaster(admin);
    this.servers = await identities.begin(target, this.inputs.trial.number);
  }

  openWindow(): void {
    this.openingReading = this.read();
  }

  closeWindow(): void {
    this.closingReading = this.read();
  }

  /** Reads the servers after the load. Never rejects. */
  async end(): Promise<void> {
    await this.servers?.end();
  }

  get serverRecords(): TrialServer[] {
    return this.servers?.records ?? [];
  }

  /** Evidence of this machine; undefined if the platform does not provide it, or the window did not reach its end. */
  get machine(): MachineEvidence | undefined {
    const { openingReading, closingReading } = this;
    const usage =
      openingReading?.machine &&
      closingReading?.machine &&
      usageBetween(openingReading.machine, closingReading.machine);
    if (!usage) return undefined;
    const { io: before } = openingReading;
    const { io: after } = closingReading;
    const ioPressureMs = difference(before?.pressureMs, after?.pressureMs);
    const ownIoBytes = this.isServerHere ? difference(before?.ownBytes, after?.ownBytes) : undefined;
    const diskIoBytes = difference(before?.diskBytes, after?.diskBytes);
    return {
      ...usage,
      otherCpuRatio: this.serverUnknownReason === undefined ? usage.otherCpuRatio : null,
      ...(ioPressureMs !== undefined && {
        ioPressureRatio: Math.min(1, ioPressureMs / (closingReading.atMs - openingReading.atMs)),
      }),
      ...(ownIoBytes !== undefined && {
        ownIoBytes,
        ...(diskIoBytes !== undefined && { diskIoBytes }),
        otherIoBytes: difference(before?.otherBytes, after?.otherBytes) ?? 0,
      }),
    };
  }

  get notAssessed(): NotAssessed[] {
    const reasons = [...(this.servers?.notAssessed ?? []), ...this.machinesOfAgents];
    if (!this.closingReading) return reasons;
    if (!this.closingReading.machine)
      return [...reasons, { what: `${OTHER_CPU}, ${OTHER_IO}`, reason: NO_PROC_REASON }];
    const { serverUnknownReason } = this;
    if (serverUnknownReason !== undefined)
      return [...reasons, { what: `${OTHER_CPU}, ${OTHER_IO}`, reason: serverUnknownReason }];
    if (this.serverPid === undefined)
      return [
        ...reasons,
        { what: `${OTHER_CPU} and ${OTHER_IO} on the server's machine`, reason: "it is not this machine" },
      ];
    return [...reasons, ...this.unreadableIo];
  }

  private get unreadableIo(): NotAssessed[] {
    const { ioPressureRatio, ioWaitRatio = 1, ownIoBytes } = this.machine ?? {};
    if ((ioPressureRatio ?? ioWaitRatio) < IO_WAIT_SHARE_MIN) return [];
    const deniedReason = "this user may not read /proc/<pid>/io";
    if (ownIoBytes === undefined) return [{ what: OTHER_IO, reason: `${deniedReason} of the server` }];
    const unreadableProcesses = this.closingReading?.io?.unreadable ?? 0;
    if (unreadableProcesses === 0) return [];
    return [
      {
        what: `a part of the ${OTHER_IO}`,
        reason: `${deniedReason} of ${counted(unreadableProcesses, "process", "processes")}`,
      },
    ];
  }

  private get machinesOfAgents(): NotAssessed[] {
    if (!this.host.place.isElsewhere) return [];
    return [
      {
        what: `${OTHER_CPU} and ${OTHER_IO} on the agents' machines`,
        reason: "only this machine is examined",
      },
    ];
  }

  private get isServerHere(): boolean {
    return this.serverPid !== undefined && this.serverUnknownReason === undefined;
  }

  private get serverUnknownReason(): string | undefined {
    const { kind, endpoints } = this.host.target;
    const { serverPid, openingReading, closingReading } = this;
    // The CPU time of an ended process can no longer be read, and would count as other programs' work.
    const hasEnded = (pid: number): boolean =>
      !(hasProcess(openingReading, pid) && hasProcess(closingReading, pid));
    const server = openingReading?.serverPid ?? this.postmasterPid;
    if (server !== undefined && hasEnded(server)) return "the server's process ended within the window";
    if (openingReading?.agents.some(hasEnded)) return "an agent's process ended within the window";
    const target = { kind, endpoints, ...(serverPid !== undefined && { serverPid }) };
    return serverUnknownReason(target, this.inputs.treatment.settings);
  }

  private read(): Reading {
    const { serverPid } = this;
    const agents = [...this.host.place.pids];
    const rootPids = [...(serverPid === undefined ? [] : [serverPid]), ...agents];
    const machine = machineUsage(rootPids);
    const ownPids =
      machine && new Set(treeOf(machine.processes, [process.pid, ...rootPids]).map(({ pid }) => pid));
    return {
      atMs: monotonicMs(),
      machine,
      io:
        machine &&
        ownPids &&
        ioUsage(
          machine.processes.map(({ pid }) => pid),
          ownPids,
        ),
      serverPid,
      agents,
    };
  }
}

function hasProcess(reading: Reading | undefined, root: number): boolean {
  return reading?.machine?.processes.some(({ pid }) => pid === root) ?? false;
}

function difference(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : Math.max(0, after - before);
}
