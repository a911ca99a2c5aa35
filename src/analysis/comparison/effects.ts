// Only headline metrics are tested. A/A replicas and combinations without a partner are left out.
import { HEADLINE_METRICS } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  type ComparedOperation,
  type ComparisonMetric,
  type Effect,
  type Interaction,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { varyingFactors, type Factor } from "./factors.js";
import { PLAIN_BOUNDS, type ClaimBounds } from "../statistics/limits.js";
import { findingsOf, type BlockFinding } from "./findings.js";
import { objectionToMetric } from "../diagnosis/validity.js";
import { hasOutlyingTrial } from "./outlying-trials.js";
import {
  isZeroThroughout,
  logSeries,
  meanSeries,
  placeSeries,
  ratioSeries,
  type LogSeries,
} from "../steady-state/series.js";

/**
 * The treatment with the levels of `treatment` except for the `changed` ones; undefined if no treatment has these levels.
 */
function partnerTreatment(
  treatments: readonly TreatmentResult[],
  treatment: TreatmentResult,
  changed: Readonly<Record<string, string>>,
): TreatmentResult | undefined {
  const wanted = { ...treatment.levels, ...changed };
  return treatments.find(({ levels }) =>
    Object.keys(wanted).every((factor) => levels[factor] === wanted[factor]),
  );
}

/**
 * Two sides of a question about factors. `pairs` holds the treatments that are compared, one entry for each combination of
 * the other factors' levels.
 */
interface Contrast<T> {
  readonly scope: T;
  readonly combinations: number;
  readonly pairs: readonly (readonly TreatmentResult[])[];
  readonly sides: (seriesOf: (treatment: TreatmentResult) => LogSeries) => {
    reference: LogSeries;
    values: LogSeries;
  };
}

type EffectName = Pick<Effect, "factor" | "baselineLevel" | "level">;

function effectContrasts(treatments: readonly TreatmentResult[], factors: readonly Factor[]) {
  return factors.flatMap(({ name, levels: [baselineLevel = "", ...others] }) =>
    others.flatMap((level): Contrast<EffectName>[] => {
      const pairs = treatments.flatMap((treatment): [TreatmentResult, TreatmentResult][] => {
        if (treatment.levels[name] !== baselineLevel) return [];
        const other = partnerTreatment(treatments, treatment, { [name]: level });
        return other ? [[treatment, other]] : [];
      });
      if (pairs.length < 2) return [];
      return [
        {
          scope: { factor: name, baselineLevel, level },
          combinations: pairs.length,
          pairs,
          sides: (seriesOf) => ({
            reference: meanSeries(pairs.map(([treatment]) => seriesOf(treatment))),
            values: meanSeries(pairs.map(([, other]) => seriesOf(other))),
          }),
        },
      ];
    }),
  );
}

type InteractionName = EffectName & Pick<Interaction, "otherFactor" | "otherBaselineLevel" | "otherLevel">;

function interactionContrast(
  treatments: readonly TreatmentResult[],
  scope: InteractionName,
): Contrast<InteractionName>[] {
  const level = { [scope.factor]: scope.level };
  const otherLevel = { [scope.otherFactor]: scope.otherLevel };
  const squares = treatments.flatMap((start) => {
    const isStart =
      start.levels[scope.factor] === scope.baselineLevel &&
      start.levels[scope.otherFactor] === scope.otherBaselineLevel;
    if (!isStart) return [];
    const changed = partnerTreatment(treatments, start, level);
    const elsewhere = partnerTreatment(treatments, start, otherLevel);
    const both = partnerTreatment(treatments, start, { ...level, ...otherLevel });
    return changed && elsewhere && both ? [{ start, changed, elsewhere, both }] : [];
  });
  if (squares.length === 0) return [];
  return [
    {
      scope,
      combinations: squares.length,
      pairs: squares.flatMap(({ start, changed, elsewhere, both }) => [
        [start, changed],
        [elsewhere, both],
      ]),
      sides: (of) => ({
        reference: meanSeries(squares.map(({ start, changed }) => ratioSeries(of(changed), of(start)))),
        values: meanSeries(squares.map(({ elsewhere, both }) => ratioSeries(of(both), of(elsewhere)))),
      }),
    },
  ];
}

function interactionContrasts(treatments: readonly TreatmentResult[], factors: readonly Factor[]) {
  return factors.flatMap((factor, i) =>
    factors.slice(i + 1).flatMap((other) =>
      factor.levels.slice(1).flatMap((level) =>
        other.levels.slice(1).flatMap((otherLevel) =>
          interactionContrast(treatments, {
            factor: factor.name,
            baselineLevel: factor.levels[0] ?? "",
            level,
            otherFactor: other.name,
            otherBaselineLevel: other.levels[0] ?? "",
            otherLevel,
          }),
        ),
      ),
    ),
  );
}

interface EffectScope {
  readonly operation: ComparedOperation;
  readonly metric: ComparisonMetric;
  readonly combinations: number;
}

/** Answers to these contrasts; each metric of each operation is a family of tests. */
function ask<T extends EffectName>(
  contrasts: readonly Contrast<T>[],
  seed: number,
  bounds: ClaimBounds,
): (T & EffectScope & BlockFinding)[] {
  return comparedOperations(contrasts.flatMap(({ pairs }) => pairs.flat())).flatMap((operation) =>
    HEADLINE_METRICS.flatMap((metric) => {
      // If both sides have a rate of 0, they have no ratio.
      const asked = contrasts.filter(
        ({ pairs }) => !pairs.some((pair) => isZeroThroughout(pair, operation, metric)),
      );
      const questions = asked.map(({ scope, sides, pairs }) => {
        const places = sides(placeSeries);
        return {
          key: [...Object.values(scope), operation, metric].join("\n"),
          ...sides((treatment) => logSeries(treatment, operation, metric, pairs.flat())),
          places: ratioSeries(places.values, places.reference),
          hasOutlyingTrial: hasOutlyingTrial(pairs.flat(), operation),
          objection: objectionToMetric(metric, pairs.flat()),
        };
      });
      return findingsOf(questions, seed, bounds).flatMap((finding, i) => {
        const { scope, combinations } = asked[i] as Contrast<T>;
        return finding ? [{ ...scope, combinations, operation, metric, ...finding }] : [];
      });
    }),
  );
}

/**
 * Effects of factors and their interactions; empty with fewer than two factors, because the comparisons then state the
 * effects.
 */
export function factorEffects(
  treatments: readonly TreatmentResult[],
  seed: number,
  bounds: ClaimBounds = PLAIN_BOUNDS,
): { effects: (Effect & BlockFinding)[]; interactions: (Interaction & BlockFinding)[] } {
  const distinct = treatments.filter(({ sameAs }) => sameAs === undefined);
  const factors = varyingFactors(distinct);
  if (factors.length < 2) return { effects: [], interactions: [] };
  return {
    effects: ask(effectContrasts(distinct, factors), seed, bounds),
    interactions: ask(interactionContrasts(distinct, factors), seed, bounds),
  };
}
