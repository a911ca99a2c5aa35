// What a check of the self-diagnosis is: a question to one stored trial, answered with a finding where a bound is
// exceeded. Checks are pure, so that a stored result can be asked again and a test can make each of them speak.
// A check that lacks its evidence says nothing: what was not measured cannot be found wanting.
import type { DiagnosisSettings } from "../../scenario/judgement.js";
import type { Ceiling, Finding, TrialResult } from "../../results/result-schema.js";

/** What a trial is judged with. */
export interface Examined {
  readonly trial: TrialResult;
  readonly bounds: DiagnosisSettings;
  /** `select 1` through the same pool, where it was measured. */
  readonly ceiling?: Ceiling;
  /** Runnable processes for each core before the experiment began; the first trial's only. */
  readonly loadBefore?: number;
}

export type Check = (examined: Examined) => Finding | undefined;

/** `12.3 %`. */
export function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(3))} %`;
}

/** `52.1 ms`. */
export function ms(value: number): string {
  return `${Number(value.toPrecision(3))} ms`;
}

/** A finding where `seen` is known and above `bound`. */
export function above(
  check: Finding["check"],
  severity: Finding["severity"],
  seen: number | null | undefined,
  bound: number,
  words: (seen: number) => string,
): Finding | undefined {
  if (seen === undefined || seen === null || seen <= bound) return undefined;
  return { check, severity, seen, bound, words: words(seen) };
}
