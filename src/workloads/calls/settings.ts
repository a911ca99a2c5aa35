import * as z from "zod";
import type { Storage } from "../../database/levels.js";
import { DEFAULT_SIZES, PROFILES, type BatchSizeName, type Profile } from "../../load/profiles.js";
import type { Finding } from "../../syntax/problems.js";
import type { WorkloadTreatment } from "../workload.js";
import { refuseStatementMode } from "../common-rules.js";

export const PROBES = ["lastHour", "byCaller", "byTower", "topTowers", "byPlan"] as const;
export type Probe = (typeof PROBES)[number];

const MAX_BATCH_ROWS = 1_000_000;

const rows = (size: BatchSizeName) =>
  z
    .int()
    .min(1)
    .max(MAX_BATCH_ROWS)
    .default(DEFAULT_SIZES[size])
    .meta({ description: `Calls of a ${size} batch. Default ${DEFAULT_SIZES[size]}.` });

export const keys = {
  ingest: z.enum(["copy", "insert"]).default("copy").meta({
    description:
      "How a batch goes in. copy: COPY FROM STDIN, as text; insert: one INSERT of arrays. Default copy.",
  }),
  indexes: z
    .enum(["none", "five", "brin"])
    .default("none")
    .meta({
      description:
        "Indexes of the table of calls. five: B-trees on time, date, caller, callee and cell tower; brin: a BRIN on the time. " +
        "Default none.",
    }),
  commit: z
    .enum(["per-batch", "once"])
    .default("per-batch")
    .meta({
      description:
        "per-batch: each batch is a transaction; once: all batches of a day are one, and one iteration of a loader. " +
        "Default per-batch.",
    }),
  batchesPerDay: z.int().min(1).max(100_000).default(500).meta({
    description: "Batches of a simulated day: the number of a batch says its hour. Default 500.",
  }),
  sizes: z
    .strictObject({ small: rows("small"), medium: rows("medium"), large: rows("large") })
    .prefault({})
    .meta({
      title: "Sizes",
      description:
        "Calls of a batch of each size, which come by the hours of profile streaming-insert. Default 100, 1000, 5000; the " +
        "reference's are 10000, 100000, 500000.",
    }),
  batchesBefore: z.int().min(0).max(100_000).default(0).meta({
    description: "Batches in the table before the warm-up: the first ones of the day. Default 0.",
  }),
  analyze: z
    .boolean()
    .default(true)
    .meta({
      description:
        "true: vacuum and analyse the table of calls after batchesBefore. false needs warmUp: 0, since a warm-up ends with an " +
        "ANALYZE; autovacuum may still analyse the table. Default true.",
    }),
  dimensions: z
    .enum(["towers", "all"])
    .default("towers")
    .meta({
      description:
        "Tables that queries join to the calls. towers: topTowers joins the cell towers; all: a fifth query, byPlan, joins " +
        "rate plans and termination reasons. Default towers.",
    }),
} as const;

export type CallsSettings = { readonly [Key in keyof typeof keys]: z.output<(typeof keys)[Key]> };
export type Treatment = CallsSettings & WorkloadTreatment & { readonly storage: Storage };

export function resolve(input: CallsSettings): CallsSettings {
  const { ingest, indexes, commit, batchesPerDay, sizes, batchesBefore, analyze, dimensions } = input;
  return { ingest, indexes, commit, batchesPerDay, sizes, batchesBefore, analyze, dimensions };
}

export function asksProbe(probe: string, { dimensions }: Pick<Treatment, "dimensions">): boolean {
  return probe !== "byPlan" || dimensions === "all";
}

/** Profile of the load. A load without a profile gets one in which equal batches follow each other through the day. */
export function profileOf({ actors, sizes }: Pick<Treatment, "actors" | "sizes">): Profile {
  const load = actors["loaders"]?.load;
  return load?.executor === "daily-arrival-rate"
    ? load.profile
    : { name: "streaming-insert", dayMs: 1, hours: PROFILES["streaming-insert"], sizes };
}

interface CallsKeys extends CallsSettings {
  readonly actors: Readonly<Record<string, false | object | undefined>>;
  readonly trial: { readonly warmUp: number; readonly coldCache: boolean };
}

function commitRules({ commit }: CallsKeys, { actors }: Treatment): Finding[] {
  if (commit !== "once" || actors["loaders"]?.load.executor !== "daily-arrival-rate") return [];
  const message = "an arrival of daily-arrival-rate is one batch; use commit: per-batch, or another executor";
  return [{ path: ["commit"], message }];
}

function roleRules({ actors }: CallsKeys): Finding[] {
  if (actors["loaders"] !== false || actors["probes"] !== false) return [];
  return [{ path: ["actors"], message: "every role is left out: no client would do anything" }];
}

function storageRules(_: CallsKeys, { storage }: Treatment): Finding[] {
  if (storage !== "hash-sharded") return [];
  return [{ path: ["storage"], message: "workload calls has no tables of storage hash-sharded" }];
}

function indexRules({ indexes }: CallsKeys, { storage }: Treatment): Finding[] {
  if (indexes !== "brin" || !storage.startsWith("pax")) return [];
  return [{ path: ["indexes"], message: "PAX has B-trees only; use indexes: five, or none" }];
}

function analyzeRules({ analyze, trial }: CallsKeys): Finding[] {
  if (analyze) return [];
  const path = ["analyze"];
  if (trial.coldCache)
    return [{ path, message: "trial.coldCache begins with an ANALYZE; remove one of the two" }];
  if (trial.warmUp === 0) return [];
  return [{ path, message: "the warm-up ends with an ANALYZE; use trial.warmUp: 0" }];
}

export const rules = [commitRules, roleRules, storageRules, indexRules, analyzeRules, refuseStatementMode];
