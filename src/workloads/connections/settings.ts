import * as z from "zod";
import type { Finding } from "../../syntax/problems.js";
import { defaultStorageRule } from "../common-rules.js";
import { scaleKey } from "../pgbench-tables.js";
import type { WorkloadTreatment } from "../workload.js";

/** Text in the name column of each inserted row. */
export const INSERTED_NAME = "some random name";

const weight = (what: string) =>
  z
    .number()
    .min(0)
    .max(1e6)
    .default(1)
    .meta({ description: `Weight of ${what}. Default 1.` });

export const keys = {
  script: z.enum(["select-1", "insert"]).default("insert").meta({
    description:
      "The statement beside select-account: select-1 is SELECT 1, insert adds a row without a key. Default insert.",
  }),
  weights: z
    .strictObject({
      account: weight("select-account, which reads one account by its key"),
      script: weight("the script"),
    })
    .prefault({})
    .meta({ title: "Weights", description: "How often a client runs which of the two." }),
  scale: scaleKey,
} as const;

export type ConnectionsSettings = { readonly [Key in keyof typeof keys]: z.output<(typeof keys)[Key]> };
export type Treatment = ConnectionsSettings & WorkloadTreatment;

export function resolve({ script, weights, scale }: ConnectionsSettings): ConnectionsSettings {
  return { script, weights, scale };
}

function weightRules({ weights }: ConnectionsSettings): Finding[] {
  if (weights.account + weights.script > 0) return [];
  return [{ path: ["weights"], message: "both weights are 0: no client would do anything" }];
}

export const rules = [weightRules, defaultStorageRule("workload connections")];
