import * as z from "zod";
import { BLOCKS_MIN } from "../metrics/blocks-min.js";
import type { Finding } from "../syntax/problems.js";
import { custom, duration, HOUR_MS, type Parsed } from "../syntax/scalars.js";
import type { Objective, StoppingRule } from "./judgement.js";

const TRIALS_MAX = 1000;
const MARGIN_MAX_PERCENT = 50;
/** Default of `within` for an experiment that only a budget ends. */
const DEFAULT_MARGIN = 0.05;

const blocks = (least: number): z.ZodInt => z.int().min(least).max(TRIALS_MAX);

/** Schema of a share, written as `5%` and stored as 0.05. */
function percent(description: string) {
  const title = `1% to ${MARGIN_MAX_PERCENT}%`;
  const pattern = "^\\d+(\\.\\d+)?\\s*%$";
  return custom({ title, description, type: "string", pattern }, (input): Parsed<number> => {
    const text = typeof input === "string" ? input.trim() : "";
    const value = /^\d+(\.\d+)?\s*%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
    const isWithinRange = value >= 1 && value <= MARGIN_MAX_PERCENT;
    return isWithinRange ? { value: value / 100 } : { message: `expected ${title}, such as 5%` };
  });
}

export const Trials = z
  .union([
    blocks(1),
    z.strictObject({
      min: blocks(BLOCKS_MIN)
        .default(BLOCKS_MIN)
        .meta({ description: `Trials of each treatment before the first look. Default ${BLOCKS_MIN}.` }),
      max: blocks(BLOCKS_MIN + 1).meta({ description: "Trials of each treatment at most." }),
      until: z
        .literal("decided")
        .default("decided")
        .meta({
          description:
            "decided: until every comparison that thresholds are about, or else every headline comparison, is a finding or " +
            "the same within the bound. Default decided.",
        }),
      within: percent("How near two treatments are called the same. Default 5%.").prefault("5%"),
    }),
  ])
  .default(BLOCKS_MIN)
  .meta({
    description:
      `Trials of each treatment: a fixed number, or { min: 5, max: 30, until: decided } for as many as it takes. ` +
      `Intervals and tests need at least ${BLOCKS_MIN}. Default ${BLOCKS_MIN}.`,
  });

export const Budget = duration(
  "Time since the start of the run after which no block of trials begins. Default: none.",
  1,
  30 * 24 * HOUR_MS,
).optional();

export const TRIAL_ORDERS = ["interleaved", "racing", "duet", "sequential"] as const;

interface StoppingKeys {
  readonly trials: z.output<typeof Trials>;
  readonly budget?: number | undefined;
  readonly order: (typeof TRIAL_ORDERS)[number];
  readonly objective?: string | undefined;
}

export function mostTrials(trials: StoppingKeys["trials"]): number {
  return typeof trials === "number" ? trials : trials.max;
}

function racingFindings({ trials, objective }: StoppingKeys, max: number): Finding[] {
  const example = "such as maximise add.events/s: treatments that are surely worse leave";
  const bounds = `{ min: ${BLOCKS_MIN}, max: ${Math.max(max, BLOCKS_MIN + 1)} }`;
  return [
    ...(objective === undefined
      ? [{ path: ["objective"], message: `missing; racing needs one, ${example}` }]
      : []),
    ...(typeof trials === "number"
      ? [{ path: ["trials"], message: `racing needs a least and a most number, such as ${bounds}` }]
      : []),
  ];
}

/**
 * Rule by which the experiment may end before its last block; undefined if it may not. Problems are added to `findings`.
 * `objective` is the scenario's resolved objective, if any.
 */
export function resolveStopping(
  stoppingKeys: StoppingKeys,
  max: number,
  treatments: number,
  objective: Objective | undefined,
  findings: Finding[],
): StoppingRule | undefined {
  const { trials, budget, order } = stoppingKeys;
  const until = typeof trials === "number" ? undefined : trials;
  if (order === "racing") findings.push(...racingFindings(stoppingKeys, max));
  if (!until && budget === undefined) return undefined;
  const path = [until ? "trials" : "budget"];
  if (order === "sequential")
    findings.push({ path: ["order"], message: `${path[0]} needs blocks of trials; use order: interleaved` });
  if (until && until.max <= until.min)
    findings.push({
      path: ["trials", "max"],
      message: `must be greater than trials.min, ${until.min}`,
      seen: String(until.max),
    });
  if (until && treatments < 2)
    findings.push({ path, message: "one treatment has nothing to decide; add a factor, or give a number" });
  return {
    max,
    within: until?.within ?? DEFAULT_MARGIN,
    ...(until && { min: until.min }),
    ...(budget !== undefined && { budgetMs: budget }),
    ...(order === "racing" && objective && { race: objective }),
  };
}
