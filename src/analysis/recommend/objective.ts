// What a recommendation is to reach, `maximise cycle.events/s`, and the conditions it has to keep, `process: p(99)<50`: read
// from the command line with the metrics of the scenario's workload, and taken from trials.
import { UsageError } from "../../foundation/errors.js";
import { elided } from "../../foundation/shown.js";
import { isRound } from "../../metrics/operations.js";
import { COMPARISON_METRICS, type ComparisonMetric } from "../../results/comparison-schema.js";
import type { TrialResult } from "../../results/result-schema.js";
import type { Quantity, Threshold } from "../../scenario/judgement.js";
import type { Treatment } from "../../scenario/settings.js";
import { metricsFor, parseThresholdOption, refuseThreshold } from "../../scenario/threshold-option.js";
import { parseAggregate, parseMetric } from "../../scenario/thresholds.js";
import { metricIdOf } from "../thresholds/quantities.js";
import { metricOf } from "../steady-state/series.js";

/** A metric of one operation that comparisons know. */
export interface Aim {
  readonly operation: string;
  readonly metric: ComparisonMetric;
}

export interface Objective extends Aim {
  readonly isMaximised: boolean;
  /** As written. */
  readonly words: string;
}

export interface Condition extends Aim, Pick<Threshold, "operator" | "bound"> {
  readonly words: string;
}

const CONDITION = "--subject-to";
const EXAMPLE = "'maximise add.events/s'";
const FORM = /^\s*(maximi[sz]e|minimi[sz]e)\s+(\S+)\.([a-z/]+|p\([\d.]+\))\s*$/;

function isCompared(id: string): id is ComparisonMetric {
  return COMPARISON_METRICS.some((metric) => metric === id);
}

function aimOf(source: string, quantity: Omit<Quantity, "source">): Aim | { readonly message: string } {
  const metric = metricIdOf({ source, ...quantity });
  if (isCompared(metric)) return { operation: source, metric };
  return { message: "use events/s, avg, med, p(95) or p(99) of an operation, which trials are compared by" };
}

/** Throws a UsageError that says what is wrong with it. */
export function parseObjective(text: string, treatments: readonly Treatment[]): Objective {
  const refuse = (message: string): never => {
    throw new UsageError(
      elided(`--objective ${JSON.stringify(text)}: ${message}`, 500),
      `Write what to do with which metric, as ${EXAMPLE}.`,
    );
  };
  const match = FORM.exec(text);
  if (!match) return refuse("expected maximise or minimise, and a metric");
  const [, verb = "", named = "", asked = ""] = match;
  const metrics = metricsFor(treatments);
  const round = `__${named}__`;
  const subject = parseMetric(metrics.has(round) ? round : named, metrics);
  if ("message" in subject) return refuse(subject.message);
  const { source } = subject.value;
  // Rounds are compared by events/s, but no threshold is.
  if (isRound(source) && asked === "events/s")
    return {
      operation: source,
      metric: "eventsPerSecond",
      isMaximised: verb.startsWith("max"),
      words: text.trim(),
    };
  const aggregate = parseAggregate(source, asked, metrics);
  if ("message" in aggregate) return refuse(aggregate.message);
  const aim = aimOf(source, aggregate.value);
  if ("message" in aim) return refuse(aim.message);
  return { ...aim, isMaximised: verb.startsWith("max"), words: text.trim() };
}

/** `process: p(99)<50`; throws a UsageError that says what is wrong with it. */
export function parseCondition(text: string, treatments: readonly Treatment[]): Condition {
  const threshold = parseThresholdOption(CONDITION, text, treatments);
  const { source, selector, operator, bound } = threshold;
  if (Object.keys(selector).length > 0)
    return refuseThreshold(CONDITION, text, "it must hold for every configuration; leave the selector out");
  if (!/^[<>]/.test(operator)) return refuseThreshold(CONDITION, text, "it needs a bound: < or >");
  const aim = aimOf(source, threshold);
  if ("message" in aim) return refuseThreshold(CONDITION, text, aim.message);
  return { ...aim, operator, bound, words: text.trim() };
}

/** Undefined where the trial is not complete, or has no sample. */
export function valueIn(trial: TrialResult, { operation, metric }: Aim): number | undefined {
  return metricOf(trial, operation, metric);
}

/** Larger is better. */
export function logGain(
  { isMaximised }: Pick<Objective, "isMaximised">,
  value: number,
  present: number,
): number {
  return Math.log(value / present) * (isMaximised ? 1 : -1);
}

/** Logarithm of how far a value is beyond the bound; 0 where it keeps the condition. */
export function excessOf({ operator, bound }: Pick<Condition, "operator" | "bound">, value: number): number {
  const ratio = Math.log(Math.max(value, Number.MIN_VALUE) / Math.max(bound, Number.MIN_VALUE));
  return Math.max(0, operator.startsWith("<") ? ratio : -ratio);
}
