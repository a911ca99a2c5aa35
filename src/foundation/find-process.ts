// Finds the local process of a server by the id that the server reports. Ids differ inside containers, so the start time must
// match too. Linux only.
import { readdirSync } from "node:fs";
import { readOrNothing } from "./machine-usage.js";

/** USER_HZ, which is 100 on every platform of Node. */
const TICKS_PER_SECOND = 100;
/** Seconds by which start times may differ: the boot time has a resolution of whole seconds. */
const START_TOLERANCE_SECONDS = 2;

export interface FoundProcess {
  readonly pid: number;
  readonly parent: number;
}

function processAt(pid: string, beganAtSeconds: number): FoundProcess | undefined {
  const fields = /^\d+ \(.*\) (.*)$/s.exec(readOrNothing(`/proc/${pid}/stat`))?.[1]?.split(" ");
  const bootSeconds = /^btime (\d+)/m.exec(readOrNothing("/proc/stat"))?.[1];
  if (!fields || bootSeconds === undefined) return undefined;
  const startSeconds = Number(bootSeconds) + Number(fields[19]) / TICKS_PER_SECOND;
  const isSameStart = Math.abs(startSeconds - beganAtSeconds) <= START_TOLERANCE_SECONDS;
  return isSameStart ? { pid: Number(pid), parent: Number(fields[1]) } : undefined;
}

function listProcessIds(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no Linux
  }
}

/**
 * Finds a local process by the id that the process itself sees (`pid`) and by its start, in seconds since 1970; undefined
 * unless exactly one fits.
 */
export function findProcess(pid: number, beganAtSeconds: number): FoundProcess | undefined {
  const namespacePidLine = new RegExp(`^NSpid:.*\\t${pid}$`, "m");
  const candidatePids = listProcessIds().filter((each) =>
    namespacePidLine.test(readOrNothing(`/proc/${each}/status`)),
  );
  const matchingProcesses = candidatePids.flatMap((each) => processAt(each, beganAtSeconds) ?? []);
  return matchingProcesses.length === 1 ? matchingProcesses[0] : undefined;
}
