// What readers call operations and verdicts: summary, report, charts and live page take the names from here.
import { isRound, stageOf } from "./operations.js";

/** `published to completed` of the span to a stage, `cycle` of `__cycle__`, an operation's own name else. */
export function operationName(compared: string): string {
  const stage = stageOf(compared);
  if (stage) return `published to ${stage}`;
  return isRound(compared) ? compared.replaceAll("_", "") : compared;
}

/** Of a difference that is no larger than those of A/A pairs. */
export const WITHIN_NOISE = "within the noise floor";

/** Behind a ratio in a table; verdicts are called as they are stored. */
export const MARKS = { finding: "*", indistinguishable: "~", inconclusive: "?", noise: "!" } as const;

/** `within`: how near two sides are called the same, 0.05 is 5 %. */
export function legendOf(within: number): string {
  const { finding, indistinguishable, inconclusive, noise } = MARKS;
  return `${finding} finding, unmarked exploratory, ${indistinguishable} indistinguishable (medians within ${Number((within * 100).toFixed(1))} %), ${inconclusive} inconclusive, ${noise} ${WITHIN_NOISE}`;
}
