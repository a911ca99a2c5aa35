// What the place at which a trial ran did to response times, in a sentence: it is taken out of all ratios, and a reader has to
// know of it. Estimated over all treatments at once, so that it is told more exactly than one comparison could.
import { operationName } from "../../metrics/names.js";
import {
  comparedOperations,
  type ComparedOperation,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { BLOCKS_MIN, SIGNIFICANCE } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import { studentInterval } from "../statistics/statistics.js";
import { logSeries, placeSeries, type LogSeries } from "../steady-state/series.js";

/** Effect of one place on the mean response time of an operation, as logarithms. */
interface PlaceEffect {
  readonly operation: ComparedOperation;
  readonly effect: number;
  readonly low: number;
  readonly high: number;
}

/** Values of `blocks` by treatment, without what a treatment and what a block has in all of them. */
function centred(series: readonly LogSeries[], blocks: readonly number[]): number[] {
  const rows = series.map((each) => blocks.map((block) => each.get(block) ?? 0));
  const ofBlocks = blocks.map((_, i) => mean(rows.map((row) => row[i] ?? 0)));
  const all = mean(ofBlocks);
  return rows.flatMap((row) => row.map((value, i) => value - mean(row) - (ofBlocks[i] ?? 0) + all));
}

function sumOfProducts(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, i) => sum + each * (b[i] ?? 0), 0);
}

/** Undefined with fewer blocks than an interval needs, and where treatments always ran at the same place. */
function placeEffectOn(
  treatments: readonly TreatmentResult[],
  operation: ComparedOperation,
  level: number,
): PlaceEffect | undefined {
  const series = treatments.map((each) => logSeries(each, operation, "mean", treatments));
  const blocks = [...(series[0]?.keys() ?? [])].filter((block) => series.every((each) => each.has(block)));
  if (treatments.length < 2 || blocks.length < BLOCKS_MIN) return undefined;
  const [logs, places] = [centred(series, blocks), centred(treatments.map(placeSeries), blocks)];
  const information = sumOfProducts(places, places);
  if (information < 1) return undefined;
  const effect = sumOfProducts(places, logs) / information;
  const degrees = (treatments.length - 1) * (blocks.length - 1) - 1;
  const squares = Math.max(0, sumOfProducts(logs, logs) - effect * effect * information);
  const deviation = Math.sqrt(squares / degrees);
  const error = deviation / Math.sqrt(information);
  return { operation, effect, ...studentInterval({ mean: effect, error, degrees, deviation }, level) };
}

function percent(log: number): string {
  return (100 * Math.abs(Math.expm1(log))).toFixed(1);
}

/** `9.8 % longer for process [8.1, 11.5]`. */
function effectText({ operation, effect, low, high }: PlaceEffect): string {
  const [how, ends] = effect > 0 ? ["longer", [low, high]] : ["shorter", [high, low]];
  return `${percent(effect)} % ${how} for ${operationName(operation)} [${ends.map(percent).join(", ")}]`;
}

/** Empty where the place had no effect that is surely one, at 5 % over all operations together. */
export function placeSentences(treatments: readonly TreatmentResult[]): string[] {
  const operations = comparedOperations(treatments);
  const sure = operations
    .flatMap((each) => placeEffectOn(treatments, each, SIGNIFICANCE / operations.length) ?? [])
    .filter(({ low, high }) => low > 0 || high < 0);
  if (sure.length === 0) return [];
  const isDuet = treatments.some(({ trials }) => trials.some(({ duet }) => duet));
  const place = isDuet
    ? "on the second server"
    : treatments.length === 2
      ? "of the second trial in a block"
      : "of each later trial in a block";
  return [
    `The mean response time ${place} was ${sure.map(effectText).join(", ")}. This effect of the place is taken out of all ratios.`,
  ];
}
