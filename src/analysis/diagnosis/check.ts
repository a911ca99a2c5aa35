// A check is pure: it examines one stored trial, and says nothing without its evidence.
import type { DiagnosisSettings } from "../../scenario/judgement.js";
import { textOnSameSide } from "../../foundation/text/numbers.js";
import type { Aspect, GeneratorCeiling, TrialResult } from "../../results/result-schema.js";

export interface CheckInputs {
  readonly trial: TrialResult;
  readonly bounds: DiagnosisSettings;
  /** Measurement of `select 1` through the same pool, if there is one. */
  readonly ceiling?: GeneratorCeiling;
  /** Runnable processes for each core before the experiment began; undefined except in the first trial. */
  readonly loadBefore?: number;
}

/** A value that exceeds its bound, with a text about it. */
export interface Observation {
  readonly seen: number;
  readonly bound: number;
  readonly words: string;
  /** Aspects of the trial that are not valid, if they differ from the check's entry in the registry; empty for a warning. */
  readonly invalidates?: readonly Aspect[];
}

export type Check = (examined: CheckInputs) => Observation | undefined;

/** Percentage such as `12.3 %`; next to a bound, rounded so that it stays on its side of the bound. */
export function percent(ratio: number, bound = Number.NaN): string {
  return `${textOnSameSide(ratio * 100, bound * 100, 3)} %`;
}

/** Time such as `52.1 ms`; next to a bound, rounded so that it stays on its side of the bound. */
export function ms(value: number, bound = Number.NaN): string {
  return `${textOnSameSide(value, bound, 3)} ms`;
}

/**
 * CPU time of the whole process as a share of the busy time of its busiest thread: a process below it was waiting for a
 * CPU.
 */
const CPU_PER_BUSY_TIME_MIN = 0.6;

/** Share of the machine's CPU time from which other programs are the likely cause of a late generator. */
const OTHER_CPU_RATIO_MIN = 0.2;

/**
 * Advice for a generator that is late: it may have too much to do, or it may wait for a CPU that other programs or the
 * server on the same machine have. The CPU times decide which.
 */
export function generatorRemedy({ client, windowSeconds, machine }: TrialResult): string {
  const otherCpuRatio = machine?.otherCpuRatio ?? 0;
  if (otherCpuRatio >= OTHER_CPU_RATIO_MIN)
    return `the likely cause: other programs used ${percent(otherCpuRatio)} of this machine's CPU time; stop them, or run elsewhere`;
  const busySeconds = (client?.workerUtilization ?? 0) * windowSeconds;
  if (client === null || client.cpuSeconds >= busySeconds * CPU_PER_BUSY_TIME_MIN)
    return "give its role more workers, or fewer clients";
  return `the generator got only ${client.cpuSeconds.toFixed(1)} s of CPU, because other processes, the server included, used the cores; use fewer clients, a pool, another machine for the server, or target.processors`;
}

/** An observation if `seen` is known and above `bound`. */
export function observeAbove(
  seen: number | null | undefined,
  bound: number,
  words: (seen: number) => string,
): Observation | undefined {
  if (seen === undefined || seen === null || seen <= bound) return undefined;
  return { seen, bound, words: words(seen) };
}

/** A warning if `seen` is known and above `bound`. */
export function warningAbove(...observationArgs: Parameters<typeof observeAbove>): Observation | undefined {
  const observation = observeAbove(...observationArgs);
  return observation && { ...observation, invalidates: [] };
}
