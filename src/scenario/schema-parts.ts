import * as z from "zod";
import { drainBound, duration, HOUR_MS, samplingInterval } from "../syntax/scalars.js";
import { ALLOWABLE_VIOLATIONS } from "./judgement.js";
import { CONDITION_PATTERN, METRIC_PATTERN, RATIO_PATTERN } from "./threshold-metrics.js";

/** Maximum duration in milliseconds of a drain with `drain: true`. */
export const DEFAULT_DRAIN_MS = 30_000;
export const Trial = z
  .strictObject({
    warmUp: duration("Load before the measurement window, never reported. Default 2s.").prefault("2s"),
    duration: duration(
      "Length of the measurement window. When a role has a budget of iterations, the window ends with that instead. " +
        "Default 10s.",
      1,
      7 * 24 * HOUR_MS,
    ).prefault("10s"),
    drain: drainBound(
      "After the window clients empty the queue that others filled: true (at most 30s), false (not at all) or the most time " +
        "it may take. Default true; false where none can.",
      DEFAULT_DRAIN_MS,
    ).optional(),
    coldCache: z
      .boolean()
      .default(false)
      .meta({
        description:
          "true: shared buffers are emptied after the preload. Embedded servers only, with warmUp: 0; the operating " +
          "system's cache stays warm. Default false.",
      }),
  })
  .prefault({})
  .meta({ title: "Trial", description: "The phases of a trial: warm-up, measurement window, drain." });

export const Retry = z
  .strictObject({
    attempts: z
      .int()
      .min(1)
      .max(10_000)
      .default(100)
      .meta({ description: "Attempts of one transaction, the first included. Default 100." }),
    base: duration("First backoff; it doubles each time. Default 5ms.", 0, HOUR_MS).prefault("5ms"),
    ceiling: duration("Longest backoff. Default 1s.", 0, HOUR_MS).prefault("1s"),
    jitter: z.enum(["full", "none"]).default("full").meta({
      description:
        "full: each wait is uniform between 0 and its backoff; none: each wait is its backoff. Default full.",
    }),
    deadline: duration(
      "Time from a transaction's start after which it is not tried again. Default 30s.",
      1,
      HOUR_MS,
    ).prefault("30s"),
  })
  .prefault({})
  .meta({
    title: "Retry",
    description:
      "How often and how long a transaction is tried again: after serialisation failures, deadlocks, unavailable " +
      "locks, lost connections, a server that is short of something. Whichever of attempts and deadline ends first.",
  });

export const Log = z
  .strictObject({
    level: z
      .enum(["debug", "info", "warn", "error", "silent"])
      .default("info")
      .meta({ description: "Least severe entry that is written. Default info." }),
    slowTransaction: duration(
      "A transaction whose service time is longer is logged as slow. Default 1s.",
    ).prefault("1s"),
  })
  .prefault({})
  .meta({ title: "Log", description: "The NDJSON log of each trial." });

export const Evidence = z
  .strictObject({
    every: samplingInterval(
      "Time between samples of the server, its pooler and the machine; off reads their counters at both ends of the " +
        "window only. Default 1s.",
    ).prefault("1s"),
  })
  .prefault({})
  .meta({ title: "Evidence", description: "Sampling of the server's statistics while it is measured." });

export const Integrity = z
  .strictObject({
    allow: z.array(z.enum(ALLOWABLE_VIOLATIONS)).default([]).meta({
      description:
        "Damage that a fault may do without a violation. lost: work acknowledged in the span that a fault may lose is counted as lost, and the exit code stays 0; any other loss is a violation. Default none.",
    }),
  })
  .prefault({})
  .meta({ title: "Integrity", description: "Violations of the audit of each trial." });

const Expression = z
  .string()
  .regex(CONDITION_PATTERN, "not a threshold in k6's syntax, such as p(99)<500 or violations==0");

const LongCondition = z.strictObject({
  threshold: Expression.meta({ description: "The condition, such as p(99)<500." }),
  abortOnFail: z
    .boolean()
    .default(false)
    .meta({
      description:
        "End the experiment with exit code 108 as soon as a running trial breaks the threshold. A ratio ends the experiment " +
        "as soon as the blocks so far decide that it fails. Default false.",
    }),
  delayAbortEval: duration(
    "Time from the start of a trial's window before which it cannot abort. Default 0.",
  ).prefault(0),
});

const Condition = z
  .union([Expression, LongCondition])
  .transform((one) =>
    typeof one === "string"
      ? { threshold: one, abortOnFail: false, delayAbortEvalMs: 0 }
      : { threshold: one.threshold, abortOnFail: one.abortOnFail, delayAbortEvalMs: one.delayAbortEval },
  );

export const Thresholds = z
  .record(
    // The pattern is for editors; `thresholds.ts` makes the check, also of conditions on any metric.
    z.string().meta({ pattern: `${METRIC_PATTERN.source}|${RATIO_PATTERN.source}` }),
    z.union([Condition, z.array(Condition).min(1)]).transform((one) => (Array.isArray(one) ? one : [one])),
  )
  .prefault({})
  .meta({
    description:
      "Conditions on the results, by metric, in k6's syntax: 'add{payload:text}': ['p(99)<500']. A failed one makes " +
      "exit code 99. 'add{payload:text} / add{payload:jsonb}': ['events/s surely>1.2'] is one on a ratio. " +
      "docs/reference/thresholds.md lists the metrics.",
  });

const PublishedMetric = z
  .string()
  .regex(/^\s*\S+\s+\S+\s*$/, "expected a metric and an aggregate of thresholds, such as add p(95)");
const publishedNumber = z.number().min(0);

const PublishedFigure = z.strictObject({
  source: z.string().min(1).max(200).meta({
    description:
      "Where it was published. Ratios are taken to the first figure of the same source and metric.",
  }),
  treatment: z.string().min(1).meta({
    description: "Its treatment here: levels by factor, such as '{payload:text}', or a name of run --plan.",
  }),
  metric: PublishedMetric.optional().meta({
    title: "metric and aggregate",
    description:
      "Metric and aggregate, written like a threshold's: add events/s, add p(95). Latencies are in milliseconds.",
  }),
  value: publishedNumber.optional().meta({ description: "The published value of the metric." }),
  values: z.record(PublishedMetric, publishedNumber).optional().meta({
    title: "values by metric",
    description:
      "Several values of the treatment, by metric and aggregate: { add p(95): 120, add events/s: 5000 }.",
  }),
  ratios: z
    .record(PublishedMetric, z.union([publishedNumber, z.tuple([publishedNumber, publishedNumber])]))
    .optional()
    .meta({
      title: "ratios by metric",
      description:
        "Ratios to the treatment in against, for a source that prints no values: { add avg: 0.6 }; [0.1, 0.6] for a range.",
    }),
  against: z.string().min(1).optional().meta({
    description:
      "Treatment that the ratio refers to. Default: the treatment of the first figure with the same source and metric.",
  }),
});

export const Published = z.array(PublishedFigure).max(1000).prefault([]).meta({
  description:
    "Figures that others have published. The summary shows them with ours, with both ratios between treatments, and whether direction and size agree. docs/reference/published.md says how that is decided.",
});
