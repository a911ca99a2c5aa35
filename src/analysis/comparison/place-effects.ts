// Estimated over all treatments at once: more exact than an estimate from one comparison.
import {
  comparedOperations,
  type ComparedOperation,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { BLOCKS_MIN, SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import { studentInterval } from "../statistics/statistics.js";
import { logarithmSeries, placeSeries, type LogarithmSeries } from "../steady-state/series.js";

export interface PlaceEffect {
  readonly operation: ComparedOperation;
  readonly effect: number;
  readonly low: number;
  readonly high: number;
}

/** Values of `blocks`, treatment by treatment, without the effects of the treatment and of the block. */
function residualsOfBlocks(series: readonly LogarithmSeries[], blocks: readonly number[]): number[] {
  const rows = series.map((each) => blocks.map((block) => each.get(block) ?? 0));
  const blockMeans = blocks.map((_, i) => mean(rows.map((row) => row[i] ?? 0)));
  const grandMean = mean(blockMeans);
  return rows.flatMap((row) => row.map((value, i) => value - mean(row) - (blockMeans[i] ?? 0) + grandMean));
}

function sumOfProducts(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, i) => sum + each * (b[i] ?? 0), 0);
}

/**
 * Effect of a trial's place on the mean time of an operation; undefined if an interval needs more blocks, or if treatments
 * always ran at the same place.
 */
function placeEffectOn(
  treatments: readonly TreatmentResult[],
  operation: ComparedOperation,
  level: number,
): PlaceEffect | undefined {
  const series = treatments.map((each) => logarithmSeries(each, operation, "mean", treatments));
  const blocks = [...(series[0]?.keys() ?? [])].filter((block) => series.every((each) => each.has(block)));
  if (treatments.length < 2 || blocks.length < BLOCKS_MIN) return undefined;
  const [logs, places] = [
    residualsOfBlocks(series, blocks),
    residualsOfBlocks(treatments.map(placeSeries), blocks),
  ];
  const information = sumOfProducts(places, places);
  if (information < 1) return undefined;
  const effect = sumOfProducts(places, logs) / information;
  const degrees = (treatments.length - 1) * (blocks.length - 1) - 1;
  const squares = Math.max(0, sumOfProducts(logs, logs) - effect * effect * information);
  const deviation = Math.sqrt(squares / degrees);
  const error = deviation / Math.sqrt(information);
  return { operation, effect, ...studentInterval({ mean: effect, error, degrees, deviation }, level) };
}

/** Effects of places that are significant at 5 % over all operations together. */
export function placeEffects(treatments: readonly TreatmentResult[]): PlaceEffect[] {
  const operations = comparedOperations(treatments);
  return operations
    .flatMap((each) => placeEffectOn(treatments, each, SIGNIFICANCE_LEVEL / operations.length) ?? [])
    .filter(({ low, high }) => low > 0 || high < 0);
}
