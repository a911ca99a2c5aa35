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
  areComparable,
  logarithmSeries,
  meanSeries,
  placeSeries,
  ratioSeries,
  type LogarithmSeries,
} from "../steady-state/series.js";

/**
 * The treatment with the levels of `treatment` except for the `changedLevels` ones; undefined if no treatment has these levels.
 */
function partnerTreatment(
  treatments: readonly TreatmentResult[],
  treatment: TreatmentResult,
  changedLevels: Readonly<Record<string, string>>,
): TreatmentResult | undefined {
  const wantedLevels = { ...treatment.levels, ...changedLevels };
  return treatments.find(({ levels }) =>
    Object.keys(wantedLevels).every((factor) => levels[factor] === wantedLevels[factor]),
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
  readonly seriesOfSides: (seriesOf: (treatment: TreatmentResult) => LogarithmSeries) => {
    reference: LogarithmSeries;
    values: LogarithmSeries;
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
          seriesOfSides: (seriesOf) => ({
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
  const treatmentSquares = treatments.flatMap((start) => {
    const isAtBaselineLevels =
      start.levels[scope.factor] === scope.baselineLevel &&
      start.levels[scope.otherFactor] === scope.otherBaselineLevel;
    if (!isAtBaselineLevels) return [];
    const factorChanged = partnerTreatment(treatments, start, level);
    const otherFactorChanged = partnerTreatment(treatments, start, otherLevel);
    const bothChanged = partnerTreatment(treatments, start, { ...level, ...otherLevel });
    return factorChanged && otherFactorChanged && bothChanged
      ? [{ start, changed: factorChanged, elsewhere: otherFactorChanged, both: bothChanged }]
      : [];
  });
  if (treatmentSquares.length === 0) return [];
  return [
    {
      scope,
      combinations: treatmentSquares.length,
      pairs: treatmentSquares.flatMap(
        ({ start, changed: factorChanged, elsewhere: otherFactorChanged, both: bothChanged }) => [
          [start, factorChanged],
          [otherFactorChanged, bothChanged],
        ],
      ),
      seriesOfSides: (of) => ({
        reference: meanSeries(
          treatmentSquares.map(({ start, changed: factorChanged }) =>
            ratioSeries(of(factorChanged), of(start)),
          ),
        ),
        values: meanSeries(
          treatmentSquares.map(({ elsewhere: otherFactorChanged, both: bothChanged }) =>
            ratioSeries(of(bothChanged), of(otherFactorChanged)),
          ),
        ),
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
function answerContrasts<T extends EffectName>(
  contrasts: readonly Contrast<T>[],
  seed: number,
  bounds: ClaimBounds,
): (T & EffectScope & BlockFinding)[] {
  return comparedOperations(contrasts.flatMap(({ pairs }) => pairs.flat())).flatMap((operation) =>
    HEADLINE_METRICS.flatMap((metric) => {
      const comparableContrasts = contrasts.filter(({ pairs }) =>
        pairs.every((pair) => areComparable(pair, operation, metric)),
      );
      const questions = comparableContrasts.map(({ scope, seriesOfSides, pairs }) => {
        const places = seriesOfSides(placeSeries);
        return {
          key: [...Object.values(scope), operation, metric].join("\n"),
          ...seriesOfSides((treatment) => logarithmSeries(treatment, operation, metric, pairs.flat())),
          places: ratioSeries(places.values, places.reference),
          hasOutlyingTrial: hasOutlyingTrial(pairs.flat(), operation),
          objection: objectionToMetric(metric, pairs.flat()),
        };
      });
      return findingsOf(questions, seed, bounds).flatMap((finding, i) => {
        const { scope, combinations } = comparableContrasts[i] as Contrast<T>;
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
  const distinctTreatments = treatments.filter(({ sameAs }) => sameAs === undefined);
  const factors = varyingFactors(distinctTreatments);
  if (factors.length < 2) return { effects: [], interactions: [] };
  return {
    effects: answerContrasts(effectContrasts(distinctTreatments, factors), seed, bounds),
    interactions: answerContrasts(interactionContrasts(distinctTreatments, factors), seed, bounds),
  };
}
