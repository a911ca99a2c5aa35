// Bounds beyond which a trial's timings or counts are not valid. A check is relaxed by a higher bound, never silently left out.
import * as z from "zod";
import { duration, HOUR_MS } from "../syntax/scalars.js";

const ratio = (description: string, otherwise: number) =>
  z
    .number()
    .min(0)
    .max(1)
    .default(otherwise)
    .meta({ description: `${description} Default ${otherwise}.` });

export const Diagnosis = z
  .strictObject({
    ceiling: z
      .boolean()
      .default(true)
      .meta({
        description:
          "Measure for a moment, after the first trial of each pool, how many `select 1` the same clients get through it. " +
          "Default true.",
      }),
    maxEventLoopDelay: duration(
      "Most event-loop delay (99th percentile) of a worker thread. Default 50ms.",
      0,
      HOUR_MS,
    ).prefault("50ms"),
    maxWorkerUtilization: ratio("Most busy share of any worker thread.", 0.95),
    maxUnaccountedRatio: ratio("Most of clients x window that is not accounted for.", 0.02),
    maxDroppedRatio: ratio("Most of an open loop's arrivals that may find no free client.", 0.01),
    maxClockStep: duration(
      "Most that the wall clock may move against the monotonic one. Default 100ms.",
      0,
      HOUR_MS,
    ).prefault("100ms"),
    maxAgentClockError: duration(
      "Most by which the clock of an agent may differ from the coordinator's. Default 2ms.",
      0,
      HOUR_MS,
    ).prefault("2ms"),
    maxFailureRatio: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({
        description:
          "Largest share of transactions that may fail. If it is left out, it is 0.01, and transactions given up after conflicts " +
          "(40001, 40P01, 55P03) are only warned of.",
      }),
    maxRetriesPerTransaction: z
      .number()
      .min(0)
      .max(1_000_000)
      .default(1)
      .meta({
        description:
          "Most attempts of an operation that may fail and be tried again, for each transaction that ended (empty polls are none); more is " +
          "warned of as a retry storm. Default 1.",
      }),
    maxStealRatio: ratio("Most of the CPU time that a hypervisor may give to others.", 0.05),
    maxOtherCpuRatio: ratio("Most of the machine's CPU time that other programs may use.", 0.2),
    maxOtherIoRatio: ratio("Most of the bytes moved to and from storage that other programs may move.", 0.2),
    maxForeignSessions: z.number().min(0).max(1_000_000).default(0.5).meta({
      description:
        "Most sessions of others that may be active on the server, on average. A fifth of it is warned of. Default 0.5.",
    }),
    maxForeignTransactionRatio: ratio(
      "Most of the server's transactions that others may make. A fifth of it is warned of.",
      0.1,
    ),
    maxStalledRatio: ratio(
      "Most of the window's seconds in which an operation that ends many times a second may not end once; fewer are warned of.",
      0.25,
    ),
  })
  .prefault({})
  .meta({
    title: "Diagnosis",
    description:
      "Bounds beyond which timings of a trial are not valid; `maxRetriesPerTransaction` only warns, and `maxUnaccountedRatio` " +
      "covers counts too.",
  });
