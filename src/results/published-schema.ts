import * as z from "zod";
import { TreatmentId } from "./comparison-schema.js";

const count = z.int().min(0);
const amount = z.number().min(0);
const interval = {
  ciLow: amount.nullable().describe("95 % bootstrap interval; null with fewer than 5 trials"),
  ciHigh: amount.nullable(),
};
const Agreement = z.enum(["agrees", "differs", "inconclusive"]);
export type Agreement = z.infer<typeof Agreement>;

const PublishedRatio = z.strictObject({
  against: TreatmentId.describe(
    "Treatment that the ratio refers to: as written, or the treatment of the first figure with the same source and metric",
  ),
  published: amount.describe("Ratio of the two published values, or the published ratio"),
  publishedHigh: amount.optional().describe("End of a published range, which begins at `published`"),
  ours: z
    .strictObject({ blocks: count, ratio: amount.describe("Median over blocks"), ...interval })
    .nullable(),
  direction: Agreement.describe("Whether both are above 1, or both below"),
  size: Agreement.describe(
    "Whether the published ratio or range meets our interval, or lies within 10 % of our ratio",
  ),
});
export type PublishedRatio = z.infer<typeof PublishedRatio>;

export const PublishedResult = z.strictObject({
  source: z.string(),
  treatment: TreatmentId,
  metric: z.string().describe("As written: add p(95)"),
  value: amount.optional().describe("As published; left out if only a ratio was published"),
  ours: z
    .strictObject({ trials: count, median: amount.describe("Over complete trials"), ...interval })
    .nullable()
    .describe("Null without samples"),
  ratio: PublishedRatio.optional().describe("Left out for the first value of a source and metric"),
});
export type PublishedResult = z.infer<typeof PublishedResult>;
