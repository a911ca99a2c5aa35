// An objective, `maximise cycle.events/s`, and its conditions, `process: p(99)<50`, from a scenario or the command line.
import { UsageError } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import { COMPARISON_METRICS, type ComparisonMetric } from "../metrics/metric-lists.js";
import { isCycleOperation } from "../metrics/operations.js";
import type { Finding } from "../syntax/problems.js";
import type { ComparedMetric, Objective, Quantity, Threshold } from "./judgement.js";
import type { Treatment } from "./settings.js";
import { metricIdOf, type ThresholdMetrics } from "./threshold-metrics.js";
import { parseThresholdOption, refuseThreshold } from "./threshold-option.js";
import { metricsOf } from "./thresholds.js";
import { parseAggregate, parseMetric, thresholdProblem, type Parsed } from "./thresholds.js";

export interface Condition extends ComparedMetric, Pick<Threshold, "operator" | "bound"> {
  readonly words: string;
}

const CONDITION = "--subject-to";
const OBJECTIVE_EXAMPLE = "maximise add.events/s";
const OBJECTIVE_PATTERN = /^\s*(maximi[sz]e|minimi[sz]e)\s+(\S+)\.([a-z/]+|p\([\d.]+\))\s*$/;

function isCompared(id: string): id is ComparisonMetric {
  return COMPARISON_METRICS.some((metric) => metric === id);
}

function comparedMetricOf(source: string, quantity: Omit<Quantity, "source">): Parsed<ComparedMetric> {
  const metric = metricIdOf(quantity);
  if (isCompared(metric)) return { value: { operation: source, metric } };
  return { message: "use events/s, avg, med, p(95) or p(99) of an operation" };
}

function parseComparedMetric(
  named: string,
  asked: string,
  metrics: ThresholdMetrics,
): Parsed<ComparedMetric> {
  const cycle = `__${named}__`;
  const subject = parseMetric(metrics.has(cycle) ? cycle : named, metrics);
  if ("message" in subject) return subject;
  const { source } = subject.value;
  // Cycles are compared by events/s, although cycles have no threshold of that name.
  if (isCycleOperation(source) && asked === "events/s")
    return { value: { operation: source, metric: "eventsPerSecond" } };
  const aggregate = parseAggregate(source, asked, metrics);
  return "message" in aggregate ? aggregate : comparedMetricOf(source, aggregate.value);
}

function parsedObjective(text: string, metrics: ThresholdMetrics): Parsed<Objective> {
  const match = OBJECTIVE_PATTERN.exec(text);
  if (!match) return { message: `expected maximise or minimise, and a metric, such as ${OBJECTIVE_EXAMPLE}` };
  const [, verb = "", named = "", asked = ""] = match;
  const comparedMetric = parseComparedMetric(named, asked, metrics);
  if ("message" in comparedMetric) return comparedMetric;
  return { value: { ...comparedMetric.value, isMaximised: verb.startsWith("max"), words: text.trim() } };
}

/** Parses an objective. Throws a UsageError that states the problem. */
export function parseObjective(text: string, treatments: readonly Treatment[]): Objective {
  const parsed = parsedObjective(text, metricsOf(treatments));
  if ("value" in parsed) return parsed.value;
  throw new UsageError(
    elidedText(`--objective ${JSON.stringify(text)}: ${parsed.message}`, 500),
    `Use 'maximise METRIC' or 'minimise METRIC', such as '${OBJECTIVE_EXAMPLE}'.`,
  );
}

/**
 * The objective of a scenario; problems are added to `findings`. Without `treatments`, the metric is not checked against
 * them.
 */
export function resolveObjective(
  text: string | undefined,
  treatments: readonly Treatment[] | undefined,
  metrics: ThresholdMetrics,
  findings: Finding[],
): Objective | undefined {
  if (text === undefined) return undefined;
  const parsed = parsedObjective(text, metrics);
  const subject = "value" in parsed && { source: parsed.value.operation, selector: {}, aggregate: "avg" };
  const message =
    "message" in parsed
      ? parsed.message
      : subject && treatments
        ? thresholdProblem(subject, treatments)
        : undefined;
  if (message !== undefined) findings.push({ path: ["objective"], message, seen: text });
  return "value" in parsed ? parsed.value : undefined;
}

/** Parses a condition such as `process: p(99)<50`. Throws a UsageError that states the problem. */
export function parseCondition(text: string, treatments: readonly Treatment[]): Condition {
  const threshold = parseThresholdOption(CONDITION, text, treatments);
  const { source, selector, operator, bound } = threshold;
  if (Object.keys(selector).length > 0)
    return refuseThreshold(CONDITION, text, "it must hold for every configuration; leave the selector out");
  if (!/^[<>]/.test(operator)) return refuseThreshold(CONDITION, text, "it needs a bound: < or >");
  const comparedMetric = comparedMetricOf(source, threshold);
  if ("message" in comparedMetric) return refuseThreshold(CONDITION, text, comparedMetric.message);
  return { ...comparedMetric.value, operator, bound, words: text.trim() };
}
