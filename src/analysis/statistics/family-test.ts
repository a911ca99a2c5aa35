// One error rate for all questions of an experiment: rotation test (Langsrud 2005) with step-down max-T (Westfall and
// Young). Each t takes the spread of the differences of its question, so a noisy treatment affects only its questions. It
// suffices from five blocks on.
import type { Prng } from "../../foundation/prng.js";
import { orthogonalPart, placeDirection, type Differences } from "./place-effect.js";

const ROTATIONS = 10_000;
/** Share of the sum of squares below which a remainder counts as rounding. */
const ROUNDING_TOLERANCE = 1e-12;

export function fillNormal(vector: Float64Array, prng: Prng): void {
  for (let i = 0; i < vector.length; i += 2) {
    const [radius, angle] = [Math.sqrt(-2 * Math.log(1 - prng.float())), 2 * Math.PI * prng.float()];
    vector[i] = radius * Math.cos(angle);
    if (i + 1 < vector.length) vector[i + 1] = radius * Math.sin(angle);
  }
}

/**
 * The differences of one question without the effect of places; `elements` are the indices of its blocks in the direction
 * that all questions share.
 */
interface QuestionDifferences {
  readonly values: Float64Array;
  readonly elements: readonly number[];
  readonly places: Float64Array | undefined;
  readonly degrees: number;
  readonly squares: number;
}

/**
 * Test statistic of one question: the t of the mean of its differences along `direction`, converted to the normal number
 * that is as improbable, and squared (Wallace 1959). So questions with few blocks do not outweigh questions with many. If
 * all elements of `direction` are equal, it tests the mean of the differences themselves.
 */
function statistic(
  { values, elements, places, degrees, squares }: QuestionDifferences,
  direction: Float64Array,
): number {
  let [projection, length, placeProjection] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const element = direction[elements[i] as number] as number;
    projection += element * (values[i] as number);
    length += element * element;
    if (places) placeProjection += element * (places[i] as number);
  }
  if (squares === 0) return 0;
  const unexplainedShare = Math.max(
    ROUNDING_TOLERANCE,
    1 - (projection * projection) / (length - placeProjection * placeProjection) / squares,
  );
  return -degrees * Math.log(unexplainedShare) * ((8 * degrees + 1) / (8 * degrees + 3)) ** 2;
}

function questionDifferencesOf(differences: Differences, blocks: readonly number[]): QuestionDifferences {
  const blockDifferences = [...differences.values()];
  const places = placeDirection(blockDifferences);
  const values = orthogonalPart(
    Float64Array.from(blockDifferences, ({ logarithm }) => logarithm),
    places,
  );
  const elements = [...differences.keys()].map((block) => blocks.indexOf(block));
  const degrees = blockDifferences.length - (places ? 2 : 1);
  return {
    values,
    elements,
    places,
    degrees,
    squares: values.reduce((sum, value) => sum + value * value, 0),
  };
}

/**
 * P-values of several series of differences by block (three blocks or more), corrected for all series together: in at most
 * one experiment in twenty, a series without a true difference has a p at or below 0.05. A series that lacks blocks is
 * rotated together with the others in the blocks that it has.
 */
export function familyPValues(series: readonly Differences[], prng: Prng): number[] {
  const blocks = [...new Set(series.flatMap((each) => [...each.keys()]))].sort((a, b) => a - b);
  const columns = series.map((each) => questionDifferencesOf(each, blocks));
  const direction = new Float64Array(blocks.length).fill(1);
  const observedStatistics = columns.map((column) => statistic(column, direction));
  const ascendingIndices = observedStatistics
    .map((_, i) => i)
    .sort((a, b) => (observedStatistics[a] as number) - (observedStatistics[b] as number));
  const asLargeCounts = new Uint32Array(series.length).fill(1);
  for (let i = 0; i < ROTATIONS; i++) {
    fillNormal(direction, prng);
    let largest = 0;
    for (const index of ascendingIndices) {
      largest = Math.max(largest, statistic(columns[index] as QuestionDifferences, direction));
      if (largest >= (observedStatistics[index] as number))
        asLargeCounts[index] = (asLargeCounts[index] as number) + 1;
    }
  }
  const pValues = new Array<number>(series.length).fill(1);
  let least = 0;
  for (const index of ascendingIndices.reverse()) {
    least = Math.max(least, (asLargeCounts[index] as number) / (ROTATIONS + 1));
    pValues[index] = least;
  }
  return pValues;
}
