// Thresholds in k6's syntax. An unknown metric, factor or level is refused with the nearest known one.
import { workloadOf } from "../workloads/registry.js";
import { nearest, suggestion } from "../syntax/nearest.js";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { Quantity, Threshold, ThresholdOperator } from "./judgement.js";
import type { Scenario } from "./schema.js";
import type { Treatment } from "./settings.js";
import { keyWithoutPasswords } from "../foundation/secrets.js";
import { isOpenLoop } from "../load/load-settings.js";
import {
  aggregateNamed,
  arrivalRoles,
  CONDITION_PATTERN,
  isAboutArrivals,
  METRIC_PATTERN,
  RATIO_PATTERN,
  thresholdMetrics,
  type ThresholdMetrics,
} from "./threshold-metrics.js";

export type TreatmentLevels = Pick<Treatment, "id" | "levels">;

/** Key of a selector that selects by treatment id; other keys are factors. */
export const TREATMENT_KEY = "treatment";

/** A condition in the form of the schema. */
export type WrittenCondition = Scenario["thresholds"][string][number];

export type ThresholdSubject = Pick<Threshold, "source" | "selector">;
export type Parsed<T> = { readonly value: T } | { readonly message: string };

function operatorOf(text: string): ThresholdOperator {
  if (text === "===") return "==";
  return text === "!==" ? "!=" : (text as ThresholdOperator);
}

export function parseMetric(text: string, metrics: ThresholdMetrics): Parsed<ThresholdSubject> {
  const match = METRIC_PATTERN.exec(text);
  if (!match) return { message: "not a metric in k6's syntax, such as add or 'add{payload:text}'" };
  const [, source = "", selectors = ""] = match;
  if (!metrics.has(source))
    return {
      message: `no metric ${source}; ${suggestion(source, [...metrics.keys()], "metrics")}`,
    };
  const pairs = selectors.split(",").filter((pair) => pair.trim() !== "");
  const selector: Record<string, string> = {};
  for (const pair of pairs) {
    const colonIndex = pair.indexOf(":");
    const factor = pair.slice(0, colonIndex).trim();
    if (Object.hasOwn(selector, factor)) return { message: `selects ${factor} twice` };
    selector[factor] = pair.slice(colonIndex + 1).trim();
  }
  return { value: { source, selector } };
}

/** Parses an aggregate; undefined if the metric does not have it. */
export function parseAggregate(
  source: string,
  text: string,
  metrics: ThresholdMetrics,
): Parsed<Omit<Quantity, "source">> {
  const asked = aggregateNamed(text);
  const traits = metrics.get(source);
  const percentile = /^p\((.*)\)$/.exec(asked)?.[1];
  const aggregates = traits?.aggregates ?? [];
  const isKnown = percentile === undefined ? aggregates.includes(asked) : traits?.isLatency === true;
  if (!isKnown) {
    const choices = traits?.isLatency ? [...aggregates, "p(99)"] : aggregates;
    const near = nearest(asked, choices);
    const hint = near === undefined ? `it has ${choices.join(", ")}` : `did you mean ${near}?`;
    return { message: `${source} has no ${asked}; ${hint}` };
  }
  return {
    value: {
      aggregate: percentile === undefined ? asked : "p",
      ...(percentile !== undefined && { percentile: Number(percentile) }),
    },
  };
}

type Condition = Pick<Threshold, "aggregate" | "percentile" | "operator" | "bound">;

export function parseCondition(
  source: string,
  text: string,
  metrics: ThresholdMetrics,
): Parsed<{ readonly condition: Condition; readonly isSure: boolean }> {
  const match = CONDITION_PATTERN.exec(text);
  if (!match) return { message: "not a threshold in k6's syntax, such as p(99)<500 or violations==0" };
  const [, asked = "", surely, operator = "", bound = ""] = match;
  const parsed = parseAggregate(source, asked, metrics);
  if ("message" in parsed) return parsed;
  const condition = { ...parsed.value, operator: operatorOf(operator), bound: Number(bound) };
  return { value: { condition, isSure: surely !== undefined } };
}

/** Parses a condition on a metric, or states its problem; selectors are not checked against treatments. */
export function parseThreshold(
  metric: string,
  condition: WrittenCondition,
  metrics: ThresholdMetrics = metricsOf([]),
): Parsed<Threshold> {
  const parsed = parseMetric(metric, metrics);
  if ("message" in parsed) return parsed;
  const rest = parseCondition(parsed.value.source, condition.threshold, metrics);
  if ("message" in rest) return rest;
  if (rest.value.isSure)
    return {
      message: "surely is for ratios, such as 'add{payload:text} / add{payload:jsonb}': ['p(99) surely<1']",
    };
  return {
    value: {
      metric: metric.trim(),
      ...parsed.value,
      expression: condition.threshold.trim(),
      ...rest.value.condition,
      abortOnFail: condition.abortOnFail,
      delayAbortEvalMs: condition.delayAbortEvalMs,
    },
  };
}

function levelOf({ id, levels }: TreatmentLevels, factor: string): string | undefined {
  return factor === TREATMENT_KEY ? id : levels[factor];
}

/** True if the treatment has all levels of the threshold's selector. */
export function isSelected({ selector }: Pick<Threshold, "selector">, treatment: TreatmentLevels): boolean {
  return Object.entries(selector).every(([factor, level]) => level === levelOf(treatment, factor));
}

/** The problem of a selector that does not fit the treatments; undefined if it fits. */
export function selectorProblem(
  subject: ThresholdSubject,
  treatments: readonly TreatmentLevels[],
): string | undefined {
  const factors = [...new Set(treatments.flatMap(({ levels }) => Object.keys(levels)))];
  for (const [factor, level] of Object.entries(subject.selector)) {
    if (factor !== TREATMENT_KEY && !factors.includes(factor))
      return `${factor} is not a factor of this scenario; ${suggestion(factor, [...factors, TREATMENT_KEY], "selectors")}`;
    const levels = [...new Set(treatments.flatMap((each) => levelOf(each, factor) ?? []))];
    if (!levels.includes(level))
      return `${factor} has no level ${keyWithoutPasswords(level)}; ${suggestion(level, levels, "levels")}`;
  }
  return treatments.some((each) => isSelected(subject, each))
    ? undefined
    : "no treatment has these levels together";
}

/** Metrics of the workloads of these treatments. */
export function metricsOf(treatments: readonly Pick<Treatment, "settings">[]): ThresholdMetrics {
  const workloads = treatments.map(({ settings }) => workloadOf(settings));
  return thresholdMetrics(workloads.length > 0 ? [...new Set(workloads)] : [workloadOf({})]);
}

/** The problem of a metric that none of the treatments measures; undefined if any does. */
function measureProblem(subject: ThresholdSubject, treatments: readonly Treatment[]): string | undefined {
  const { workloads, roles } = metricsOf(treatments).get(subject.source) ?? {};
  const selected = treatments.filter((each) => isSelected(subject, each));
  const having = selected.filter(
    ({ settings }) =>
      (workloads?.includes(workloadOf(settings)) ?? true) &&
      (roles?.some((role) => settings.actors[role]) ?? true),
  );
  const [operation = ""] = subject.source.split(".");
  const isRun = ({ settings }: Treatment): boolean => {
    const workload = workloadOf(settings);
    return (
      !workload.performs ||
      !Object.hasOwn(workload.operations, operation) ||
      workload.performs(operation, settings)
    );
  };
  if (having.some(isRun)) return undefined;
  if (having.length > 0) return `nothing measures ${subject.source} here: no client runs it`;
  const needsOtherWorkload = selected.every(({ settings }) => !workloads?.includes(workloadOf(settings)));
  const needed = needsOtherWorkload
    ? `workload ${(workloads ?? []).map(({ name }) => name).join(" or ")}`
    : (roles ?? []).join(" or ");
  return `nothing measures ${subject.source} here: it takes ${needed}`;
}

/** The problem of a threshold on arrivals if no treatment has any; else undefined. */
function arrivalProblem(
  threshold: ThresholdSubject & Quantity,
  treatments: readonly Treatment[],
): string | undefined {
  const { source, aggregate } = threshold;
  if (!isAboutArrivals(source, aggregate)) return undefined;
  const roles = treatments
    .filter((each) => isSelected(threshold, each))
    .flatMap(({ settings }) =>
      arrivalRoles(source, metricsOf(treatments)).flatMap((role) => settings.actors[role] ?? []),
    );
  return roles.some(({ load }) => isOpenLoop(load))
    ? undefined
    : `${source} is not started by a schedule here: only an arrival rate has arrivals`;
}

/** The reason why a threshold cannot be measured on any of these treatments; undefined if it can. */
export function thresholdProblem(
  threshold: ThresholdSubject & Quantity,
  treatments: readonly Treatment[],
): string | undefined {
  return (
    selectorProblem(threshold, treatments) ??
    measureProblem(threshold, treatments) ??
    arrivalProblem(threshold, treatments)
  );
}

/**
 * The thresholds of a scenario; problems are added to `findings`. @param treatments undefined if some are refused: their
 * metrics are unknown then
 */
export function resolveThresholds(
  written: Scenario["thresholds"],
  named: readonly TreatmentLevels[],
  treatments: readonly Treatment[] | undefined,
  findings: Finding[],
  metrics: ThresholdMetrics,
): Threshold[] {
  return Object.entries(written).flatMap(([metric, conditions]) => {
    if (RATIO_PATTERN.test(metric)) return [];
    const key: Path = ["thresholds", metric];
    const about = parseMetric(metric, metrics);
    if ("message" in about) {
      findings.push({ path: key, message: about.message, isAboutKey: true });
      return [];
    }
    const thresholds = conditions.flatMap((condition, i) => {
      const parsed = parseThreshold(metric, condition, metrics);
      if ("value" in parsed) return [parsed.value];
      const seen = JSON.stringify(condition.threshold);
      findings.push({ path: [...key, i], message: parsed.message, seen });
      return [];
    });
    const problem =
      selectorProblem(about.value, named) ?? (treatments && measureProblem(about.value, treatments));
    if (problem !== undefined) findings.push({ path: key, message: problem, isAboutKey: true });
    for (const threshold of problem === undefined ? thresholds : []) {
      const message = treatments && arrivalProblem(threshold, treatments);
      if (message !== undefined)
        findings.push({ path: key, message, seen: JSON.stringify(threshold.expression) });
    }
    return thresholds;
  });
}
