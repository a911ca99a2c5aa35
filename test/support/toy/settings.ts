// The keys of the toy family. It has a role and a key with names that Train Events has too, but other texts, defaults and
// schemas.
import * as z from "zod";
import type { WorkloadTreatment } from "../../../src/workloads/workload.js";

export const keys = {
  batch: z
    .enum(["one", "ten"])
    .default("one")
    .meta({ description: "Toys of a batch, in words. Default one." }),
} as const;

export interface ToySettings {
  readonly batch: "one" | "ten";
}
export type Treatment = ToySettings & WorkloadTreatment;
