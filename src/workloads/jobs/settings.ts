import * as z from "zod";
import { formatDuration } from "../../foundation/units.js";
import type { Finding } from "../../syntax/problems.js";
import { duration, durationRange, HOUR_MS, size } from "../../syntax/scalars.js";
import type { ValueRange } from "../../load/load-settings.js";
import type { WorkloadTreatment } from "../workload.js";
import { defaultStorageRule, refuseStatementMode } from "../common-rules.js";
import {
  DEFAULT_LEASE_MS,
  designProblem,
  DESIGN_NAMES,
  DESIGNS,
  type DesignName,
  type DesignSettings,
} from "./designs.js";

/** Libraries with an adapter in train-sim. */
export const LIBRARIES = ["pg-boss", "graphile-worker", "dbos", "pgmq"] as const;

const RETIREMENTS = ["delete", "archive", "keep", "drop-partition"] as const;
const LAYOUTS = ["status-index", "hot", "two-tables"] as const;
const ID_KINDS = ["bigint", "uuidv4", "uuidv7"] as const;
const PROFILES = ["defaults", "tuned"] as const;

/** Largest payload: adapters send it as a line of JSON. */
const PAYLOAD_BYTES_MAX = 1024 ** 2;
/** Milliseconds between polls of a design that is notified, in case a notification is missed. */
const NOTIFIED_POLL_MS = 5_000;
const DEFAULT_POLL_MS = 100;
const LEASE_MIN_MS = 100;

const share = (description: string) => z.number().min(0).max(1).default(0).meta({ description });

export const keys = {
  queue: z
    .string()
    .regex(/^[a-z][\w-]{0,39}$/, "expected the name of a design, a library or an entry of commands")
    .default("lease")
    .meta({
      description:
        `The queue: a design in SQL (${DESIGN_NAMES.join(", ")}), an installed library (${LIBRARIES.join(", ")}), ` +
        "or a name in commands. Default lease.",
    }),
  profile: z
    .enum(PROFILES)
    .default("defaults")
    .meta({
      description:
        "Settings of a library: defaults are those of its README, tuned those that its documentation recommends for " +
        "throughput. Default defaults.",
    }),
  commands: z
    .record(z.string().regex(/^[a-z][\w-]{0,39}$/), z.array(z.string().min(1)).min(1))
    .default({})
    .meta({
      description:
        "Programs that speak the protocol of queues, by name, each as a list of words. They run in `libraries`.",
    }),
  libraries: z.string().optional().meta({
    description:
      "Directory whose node_modules has the libraries, and in which commands run. Default: the directory of the scenario's file.",
  }),
  handler: durationRange("Time that the handler of a job takes. Default 0.").prefault(0),
  failing: share("Share of jobs whose first run fails, so that the queue runs them again. Default 0."),
  payloadSize: size("Size of a job's payload as JSON. Default 200B.", 150, PAYLOAD_BYTES_MAX).prefault(
    "200B",
  ),
  priorities: z.int().min(1).max(100).default(1).meta({
    description: "Number of priorities, drawn uniformly for each job. 1: jobs have none. Default 1.",
  }),
  delay: duration(
    "Time from the enqueueing of a job to the earliest start of its run. Default 0.",
    0,
    HOUR_MS,
  ).prefault(0),
  enqueue: z
    .strictObject({
      batch: z.int().min(1).max(10_000).default(1).meta({ description: "Jobs of one call. Default 1." }),
      transaction: z
        .boolean()
        .default(false)
        .meta({ description: "True if jobs go in together with a row of the caller's. Default false." }),
    })
    .prefault({})
    .meta({ title: "Enqueue", description: "How jobs are enqueued." }),
  wakeup: z
    .union([
      z.strictObject({
        poll: duration("Pause after a poll that found no job.", 1, HOUR_MS),
      }),
      z.enum(["notify", "both"]),
    ])
    .prefault({ poll: `${DEFAULT_POLL_MS}ms` })
    .meta({
      description:
        `How an idle worker of a design learns of jobs: poll, notify (LISTEN, and a poll every ` +
        `${formatDuration(NOTIFIED_POLL_MS)}), or both (a poll every ${DEFAULT_POLL_MS} ms). Default { poll: 100ms }.`,
    }),
  retire: z.enum(RETIREMENTS).optional().meta({
    description:
      "Completed jobs of a design: deleted, moved to an archive, kept, or dropped with their partition. Default: the design's.",
  }),
  claim: z
    .strictObject({
      batch: z
        .int()
        .min(1)
        .max(1000)
        .default(1)
        .meta({ description: "Jobs of one claim of a design. Default 1." }),
      lease: duration(
        "Time after which a claimed job may run again. pg-boss and pgmq take it, too, in whole seconds; graphile-worker " +
          `and DBOS have no such setting. Default: ${formatDuration(DEFAULT_LEASE_MS)} in a design, a library's own.`,
        LEASE_MIN_MS,
        24 * HOUR_MS,
      ).optional(),
    })
    .prefault({})
    .meta({ title: "Claim", description: "How workers claim jobs." }),
  jobIds: z
    .enum(ID_KINDS)
    .default("bigint")
    .meta({ description: "Primary key of a design's jobs. Default bigint." }),
  fillfactor: z
    .int()
    .min(10)
    .max(100)
    .default(100)
    .meta({ description: "Fill factor of a design's tables, in percent. Default 100." }),
  layout: z
    .enum(LAYOUTS)
    .default("status-index")
    .meta({
      description:
        "Tables of a design: the state in an index, or outside of indexes so that claims are HOT updates, or waiting " +
        "and running jobs in two tables. Default status-index.",
    }),
  foreignKey: z
    .boolean()
    .default(false)
    .meta({ description: "True if a design's jobs refer to a row of another table. Default false." }),
  attempts: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .meta({ description: "Largest number of runs of a design's job. Default 5." }),
  retryAfter: duration(
    "Time from a failed run of a design's job to its next. Default 1s.",
    0,
    HOUR_MS,
  ).prefault("1s"),
} as const;

type Keys = { readonly [Key in keyof typeof keys]: z.output<(typeof keys)[Key]> };

export interface JobsSettings {
  readonly queue: string;
  readonly profile: (typeof PROFILES)[number];
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** Absolute path. */
  readonly libraries: string;
  readonly handlerMs: ValueRange;
  readonly failing: number;
  readonly payloadBytes: number;
  readonly priorities: number;
  readonly delayMs: number;
  readonly enqueue: { readonly batch: number; readonly transaction: boolean };
  /** Settings of a design; a library takes the lease alone, and has its own for the rest. */
  readonly design: DesignSettings;
}
export type Treatment = JobsSettings & WorkloadTreatment;

export function resolve(given: Keys): JobsSettings {
  const {
    queue,
    profile,
    commands,
    libraries = process.cwd(),
    failing,
    priorities,
    enqueue,
    wakeup,
    claim,
    retire,
  } = given;
  const pollMs =
    typeof wakeup === "object" ? wakeup.poll : wakeup === "notify" ? NOTIFIED_POLL_MS : DEFAULT_POLL_MS;
  return {
    queue,
    profile,
    commands,
    libraries,
    handlerMs: given.handler,
    failing,
    payloadBytes: given.payloadSize,
    priorities,
    delayMs: given.delay,
    enqueue,
    design: {
      wakeup: { pollMs, isNotified: typeof wakeup === "string" },
      ...(retire !== undefined && { retire }),
      claimBatch: claim.batch,
      ...(claim.lease !== undefined && { leaseMs: claim.lease }),
      ids: given.jobIds,
      fillfactor: given.fillfactor,
      layout: given.layout,
      foreignKey: given.foreignKey,
      attempts: given.attempts,
      retryAfterMs: given.retryAfter,
    },
  };
}

export const isDesign = ({ queue }: Pick<JobsSettings, "queue">): boolean =>
  (DESIGN_NAMES as readonly string[]).includes(queue);
export const isLibrary = ({ queue }: Pick<JobsSettings, "queue">): boolean =>
  (LIBRARIES as readonly string[]).includes(queue);

/** Largest number of jobs that a claim of a library takes and may run one after the other, with the lease of all. */
const LIBRARY_BATCH_MAX = 50;

/** True if the lease of a claimed job may end before or during its run. */
export function mayLeaseEnd(settings: JobsSettings): boolean {
  const { handlerMs, design } = settings;
  const [claimed, defaultMs] = isDesign(settings)
    ? [design.claimBatch, DEFAULT_LEASE_MS]
    : [LIBRARY_BATCH_MAX, Infinity];
  return claimed * handlerMs.max >= (design.leaseMs ?? defaultMs);
}

function queueRules(_: unknown, settings: Treatment): Finding[] {
  const { queue, commands, design } = settings;
  if (Object.hasOwn(commands, queue) || isLibrary(settings)) return [];
  if (!isDesign(settings)) {
    const known = [...DESIGN_NAMES, ...LIBRARIES, ...Object.keys(commands)].join(", ");
    return [
      { path: ["queue"], message: `there is no queue ${queue}; use one of ${known}, or add it to commands` },
    ];
  }
  const problem = designProblem(queue, design);
  return problem ? [{ path: [problem.key], message: problem.message }] : [];
}

function nameRules({ commands }: Keys): Finding[] {
  const taken = [...DESIGN_NAMES, ...LIBRARIES] as readonly string[];
  return Object.keys(commands)
    .filter((name) => taken.includes(name))
    .map((name) => ({
      path: ["commands", name],
      message: `${name} is a queue of train-sim; use another name`,
    }));
}

/** Refuses loads of workers other than a number of clients: the queue's program takes jobs when they come. */
function workerRules(_: unknown, { actors }: Treatment): Finding[] {
  const { executor = "constant-clients" } = actors["workers"]?.load ?? {};
  if (executor === "constant-clients") return [];
  const message =
    "the queue's program takes jobs when they come; use executor constant-clients, and the rate for enqueuers";
  return [{ path: ["actors", "workers", "load", "executor"], message }];
}

/** Refuses levels that need a session, which a pooler in transaction mode does not keep. */
function poolerRules(_: unknown, settings: Treatment): Finding[] {
  const { queue, design, pool } = settings;
  if (!("mode" in pool) || pool.mode === "session" || !isDesign(settings)) return [];
  const mode = `a pooler in ${pool.mode} mode gives the connection to others after each transaction`;
  if (DESIGNS[queue as DesignName].keeps === "session")
    return [{ path: ["queue"], message: `${queue} holds a session lock, and ${mode}; use mode: session` }];
  if (design.wakeup.isNotified)
    return [
      {
        path: ["wakeup"],
        message: `LISTEN needs a session, and ${mode}; use { poll: 100ms } or mode: session`,
      },
    ];
  return [];
}

/** Refuses a pool that has fewer connections than the queue has programs. */
function poolSizeRules(_: unknown, { actors, pool }: Treatment): Finding[] {
  if (pool.strategy !== "own") return [];
  const programs = (actors["enqueuers"]?.workers ?? 0) + (actors["workers"]?.workers ?? 0);
  if (pool.size >= programs) return [];
  const message = `the queue runs in ${programs} programs, each with a connection or more; use ${programs} at least`;
  return [{ path: ["pool", "size"], message }];
}

export const rules = [
  refuseStatementMode,
  queueRules,
  poolSizeRules,
  poolerRules,
  workerRules,
  nameRules,
  defaultStorageRule("workload jobs"),
];

/** Rows of the table that bystanders update. */
export const BYSTANDERS = 1_000;
