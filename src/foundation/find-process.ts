// Finds the local process of a server by the id that the server reports. Ids differ inside containers, so the start time must
// match too. Linux only.
import { readdirSync } from "node:fs";
import { readOrNothing } from "./machine-usage.js";

/** USER_HZ, which is 100 on every platform of Node. */
const TICKS_PER_SECOND = 100;
/** Seconds by which start times may differ: the boot time has a resolution of whole seconds. */
const SLACK_SECONDS = 2;

export interface FoundProcess {
  readonly pid: number;
  readonly parent: number;
}

function processAt(pid: string, beganAtSeconds: number): FoundProcess | undefined {
  const fields = /^\d+ \(.*\) (.*)$/s.exec(readOrNothing(`/proc/${pid}/stat`))?.[1]?.split(" ");
  const booted = /^btime (\d+)/m.exec(readOrNothing("/proc/stat"))?.[1];
  if (!fields || booted === undefined) return undefined;
  const began = Number(booted) + Number(fields[19]) / TICKS_PER_SECOND;
  const isThat = Math.abs(began - beganAtSeconds) <= SLACK_SECONDS;
  return isThat ? { pid: Number(pid), parent: Number(fields[1]) } : undefined;
}

function listedProcesses(): string[] {
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
  const own = new RegExp(`^NSpid:.*\\t${pid}$`, "m");
  const found = listedProcesses().filter((each) => own.test(readOrNothing(`/proc/${each}/status`)));
  const fitting = found.flatMap((each) => processAt(each, beganAtSeconds) ?? []);
  return fitting.length === 1 ? fitting[0] : undefined;
}
