import type { TrialResult } from "../../results/result-schema.js";
import type { ComparedMetric, Objective } from "../../scenario/judgement.js";
import type { Condition } from "../../scenario/objective.js";
import { metricOf } from "../steady-state/series.js";

export function valueIn(trial: TrialResult, { operation, metric }: ComparedMetric): number | undefined {
  return metricOf(trial, operation, metric);
}

/** Gain as a logarithm; larger is better. */
export function lnGain(
  { isMaximised }: Pick<Objective, "isMaximised">,
  value: number,
  presentValue: number,
): number {
  return Math.log(value / presentValue) * (isMaximised ? 1 : -1);
}

/** Logarithm of the factor by which a value misses its bound; negative if the condition holds with room. */
export function excessOf({ operator, bound }: Pick<Condition, "operator" | "bound">, value: number): number {
  const ratio = Math.log(Math.max(value, Number.MIN_VALUE) / Math.max(bound, Number.MIN_VALUE));
  return operator.startsWith("<") ? ratio : -ratio;
}
