// Thresholds on ratios, as pairs of treatments that agree in all factors but those that both sides name.
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { RatioThreshold } from "./judgement.js";
import type { Scenario } from "./schema.js";
import type { Treatment } from "./settings.js";
import { METRICS_WITHOUT_RATIO, RATIO_PATTERN, type ThresholdMetrics } from "./threshold-metrics.js";
import {
  parseCondition,
  parseMetric,
  selectorProblem,
  thresholdProblem,
  TREATMENT_KEY,
  type TreatmentLevels,
  type Parsed,
  type ThresholdSubject,
  type WrittenCondition,
} from "./thresholds.js";

type Levels = Readonly<Record<string, string>>;
type TreatmentPairs = RatioThreshold["pairs"];

const INTERVAL_OPERATORS: readonly string[] = ["<", "<=", ">", ">="];

/** Levels that one side of a ratio names; a treatment's id stands for all of its levels. */
function levelsOfSide({ selector }: ThresholdSubject, treatments: readonly TreatmentLevels[]): Levels {
  const { [TREATMENT_KEY]: id, ...levels } = selector;
  return { ...treatments.find((each) => each.id === id)?.levels, ...levels };
}

function hasLevels({ levels }: TreatmentLevels, wanted: Levels): boolean {
  return Object.entries(wanted).every(([factor, level]) => levels[factor] === level);
}

/** Pairs of a treatment of one side and its counterpart on the other. */
export function pairsOf(
  over: ThresholdSubject,
  under: ThresholdSubject,
  treatments: readonly TreatmentLevels[],
): Parsed<TreatmentPairs> {
  const [above, below] = [levelsOfSide(over, treatments), levelsOfSide(under, treatments)];
  const named = { ...above, ...below };
  const factors = new Set(treatments.flatMap(({ levels }) => Object.keys(levels)));
  const others = [...factors].filter((factor) => !Object.hasOwn(named, factor));
  const numerators = treatments.filter((each) => hasLevels(each, { ...below, ...above }));
  const denominators = treatments.filter((each) => hasLevels(each, { ...above, ...below }));
  const pairs = numerators.flatMap((each) => {
    const against = denominators.find((other) =>
      others.every((factor) => other.levels[factor] === each.levels[factor]),
    );
    return against ? [{ treatment: each.id, against: against.id }] : [];
  });
  const single =
    numerators.find(({ id }) => !pairs.some(({ treatment }) => treatment === id)) ??
    denominators.find(({ id }) => !pairs.some(({ against }) => against === id));
  if (single)
    return {
      message: `${single.id} has no counterpart on the other side; select levels that both sides have`,
    };
  if (pairs.length === 0)
    return {
      message: "no treatment has a counterpart that differs only in the factors that both sides name",
    };
  if (over.source === under.source && pairs.some(({ treatment, against }) => treatment === against))
    return { message: "both sides are the same treatment; name a factor on both, with different levels" };
  return { value: pairs };
}

interface RatioSides {
  readonly over: ThresholdSubject;
  readonly under: ThresholdSubject;
  readonly pairs: TreatmentPairs;
}

function parseSides(
  metric: string,
  treatments: readonly TreatmentLevels[],
  metrics: ThresholdMetrics,
): Parsed<RatioSides> {
  const [, above = "", below = ""] = RATIO_PATTERN.exec(metric) ?? [];
  const [over, under] = [parseMetric(above, metrics), parseMetric(below, metrics)];
  if ("message" in over) return over;
  if ("message" in under) return under;
  const sides = { over: over.value, under: under.value };
  const whole = [sides.over, sides.under].find(({ source }) => METRICS_WITHOUT_RATIO.includes(source));
  if (whole) return { message: `${whole.source} has no ratio; set a bound on it by itself` };
  const problem = selectorProblem(sides.over, treatments) ?? selectorProblem(sides.under, treatments);
  if (problem !== undefined) return { message: problem };
  const pairs = pairsOf(sides.over, sides.under, treatments);
  return "message" in pairs ? pairs : { value: { ...sides, pairs: pairs.value } };
}

function parseRatio(
  metric: string,
  { over, under, pairs }: RatioSides,
  written: WrittenCondition,
  treatments: readonly Treatment[] | undefined,
  metrics: ThresholdMetrics,
): Parsed<RatioThreshold> {
  const text = written.threshold;
  const [above, below] = [
    parseCondition(over.source, text, metrics),
    parseCondition(under.source, text, metrics),
  ];
  if ("message" in above) return above;
  if ("message" in below) return below;
  const { condition, isSure } = above.value;
  const { operator, bound, ...asked } = condition;
  if (isSure && !INTERVAL_OPERATORS.includes(operator))
    return { message: `surely takes ${INTERVAL_OPERATORS.join(" ")}; an interval is no single number` };
  if (written.abortOnFail && written.delayAbortEvalMs > 0)
    return { message: "a ratio is judged after whole trials; remove delayAbortEval" };
  for (const side of treatments ? [over, under] : []) {
    const message = thresholdProblem({ ...side, ...asked }, treatments ?? []);
    if (message !== undefined) return { message };
  }
  return {
    value: {
      metric: metric.trim(),
      expression: text.trim(),
      operator,
      bound,
      isSure,
      abortOnFail: written.abortOnFail,
      pairs,
      over: { source: over.source, ...asked },
      under: { source: under.source, ...asked },
    },
  };
}

/**
 * The thresholds on ratios of a scenario; problems are added to `findings`. @param treatments undefined if some are
 * refused: their metrics are unknown then
 */
export function resolveRatioThresholds(
  written: Scenario["thresholds"],
  named: readonly TreatmentLevels[],
  treatments: readonly Treatment[] | undefined,
  findings: Finding[],
  metrics: ThresholdMetrics,
): RatioThreshold[] {
  const ratios = Object.entries(written).filter(([metric]) => RATIO_PATTERN.test(metric));
  return ratios.flatMap(([metric, conditions]) => {
    const key: Path = ["thresholds", metric];
    const sides = parseSides(metric, named, metrics);
    if ("message" in sides) {
      findings.push({ path: key, message: sides.message, isAboutKey: true });
      return [];
    }
    return conditions.flatMap((condition, i) => {
      const parsed = parseRatio(metric, sides.value, condition, treatments, metrics);
      if ("value" in parsed) return [parsed.value];
      const seen = JSON.stringify(condition.threshold);
      findings.push({ path: [...key, i], message: parsed.message, seen });
      return [];
    });
  });
}
