// Values that a server's version or a role's rights hide are absent and named in `skipped`, never 0.
import * as z from "zod";
import {
  DATABASE_EVIDENCE,
  PER_EVENT_EVIDENCE,
  POOLER_EVIDENCE,
  type DatabaseNumber,
  type DatabaseSpread,
  type Evidence,
  type PerEventNumber,
  type PoolerNumber,
  type PoolerSpread,
} from "../workloads/evidence.js";

const count = z.int().min(0);
const amount = z.number().min(0);
const ratio = amount.describe("0 .. 1");

export const LatencyPart = z
  .strictObject({
    name: z
      .string()
      .describe(
        "startDelay, poolWait, begin, a statement's name, appDelay, commit, rollback, release, backoff, or program: " +
          "what train-sim itself took between them; of `__cycle__` its transactions",
      ),
    meanMs: amount.describe(
      "Over all committed transactions of the operation, those without the part included",
    ),
    calls: amount.describe("Calls per transaction; 0 for what is no call"),
    slowMeanMs: amount
      .optional()
      .describe("The same over the slowest transaction of each second and worker: what the tail is made of"),
  })
  .describe("A part of the response time; the parts of an operation add up to its mean");
export type LatencyPart = z.infer<typeof LatencyPart>;

const MeanMax = z.strictObject({ mean: amount, max: amount });

const AGGREGATE_PHRASES = {
  max: ", at most",
  last: ", at the end of the window",
  growth: ", growth over the window",
};

function fieldSchemaOf({ take, isWhole, place, metric, help }: Evidence): z.ZodType {
  const mayFall = take === "growth" || (place === "perEvent" && metric.kind === "gauge");
  const value = take === "spread" ? MeanMax : isWhole ? count : mayFall ? z.number() : amount;
  const when =
    place === "perEvent"
      ? ", per event"
      : take && take in AGGREGATE_PHRASES
        ? AGGREGATE_PHRASES[take as keyof typeof AGGREGATE_PHRASES]
        : "";
  return value.optional().describe(help ?? `${metric.meaning}${when}`);
}

type EvidenceFields<Numbers extends string, Spreads extends string = never> = Record<
  Numbers,
  z.ZodOptional<typeof amount>
> &
  Record<Spreads, z.ZodOptional<typeof MeanMax>>;

function fieldSchemasOf(figures: readonly Evidence[]): Record<string, z.ZodType> {
  const stored = figures.filter(({ isStored }) => isStored !== false);
  return Object.fromEntries(stored.map((figure) => [figure.field, fieldSchemaOf(figure)]));
}

export const PerEvent = z
  .strictObject({
    events: count.describe(
      "Divisor of the others: events published in the window, else processed; transactions of a workload without a flow of events",
    ),
    ...(fieldSchemasOf(PER_EVENT_EVIDENCE) as EvidenceFields<PerEventNumber>),
  })
  .describe("Per event");
export type PerEvent = z.infer<typeof PerEvent>;

export const WaitShare = z.strictObject({
  event: z.string().describe("As `LWLock:WALWrite`; `CPU` where a session waits for nothing"),
  share: ratio.describe("Of the samples of active sessions of the load"),
  sessions: amount.describe("On average"),
});
export type WaitShare = z.infer<typeof WaitShare>;

export const StatementEvidence = z
  .strictObject({
    name: z.string().describe("As in the parts of a latency: process.claim"),
    query: z.string(),
    calls: count,
    rows: count,
    totalMs: amount,
    blocksDirtied: count.optional(),
    walBytes: amount.optional(),
  })
  .describe("A statement of the workload, from pg_stat_statements: what the window added");
export type StatementEvidence = z.infer<typeof StatementEvidence>;

export const ScanCount = z
  .strictObject({
    name: z.string().describe("Of the table or the index"),
    kind: z.enum(["index", "table"]).describe("Of a table: read from end to end"),
    scans: count,
  })
  .describe("How often a table or an index of the workload was read");
export type ScanCount = z.infer<typeof ScanCount>;

export const StatementPlan = z
  .strictObject({
    statement: z.string().describe("As in the parts of a latency: process.claim"),
    hash: z.string().describe("Of the plan: SHA-256, its first 16 digits"),
    plan: z
      .string()
      .describe(
        "Its steps with what each reads, the first on the left: Index Scan events_pkey > Update events",
      ),
  })
  .describe("What the planner made of a statement at the end of the window, without its values");
export type StatementPlan = z.infer<typeof StatementPlan>;

export const TableChange = z
  .strictObject({
    part: z.string().describe("As `index events_pkey`, `column events.payload`, `table events`"),
    table: z.string(),
    before: z.string().nullable().describe("Its definition; null if it was not there"),
    after: z.string().nullable(),
  })
  .describe("A part of a measured table that was defined otherwise at the end of the window");
export type TableChange = z.infer<typeof TableChange>;

export const PoolerEvidence = z
  .strictObject({
    product: z.string().optional().describe("Which pooler; PgBouncer where it is left out"),
    ...(fieldSchemasOf(POOLER_EVIDENCE) as EvidenceFields<PoolerNumber, PoolerSpread>),
    serversActive: MeanMax,
    serversMax: count
      .optional()
      .describe("Server connections that the pool may have, all instances together"),
  })
  .describe("The pooler, from its own statistics, as far as it has them");
export type PoolerEvidence = z.infer<typeof PoolerEvidence>;

export const ForeignWork = z
  .strictObject({
    transactions: amount
      .optional()
      .describe("In other databases, and in that of the load beyond what train-sim made"),
    transactionsHere: amount.optional().describe("Of these, in the database of the load"),
    transactionRatio: ratio.optional().describe("Of these and the load's own together"),
    sessionsActive: MeanMax.optional().describe("Of all databases that could be looked into"),
    sessionsActiveHere: MeanMax.optional().describe("Of these, in the database of the load"),
    sessions: z
      .array(z.strictObject({ name: z.string().describe("database/user/application"), mean: amount }))
      .optional()
      .describe("Who they were, most active sessions first"),
    cpuSeconds: amount.optional().describe("CPU time of their backends, as far as samples saw them"),
  })
  .describe("What sessions that are not train-sim's did on the server");
export type ForeignWork = z.infer<typeof ForeignWork>;

export const DatabaseEvidence = z.strictObject({
  ...(fieldSchemasOf(DATABASE_EVIDENCE) as EvidenceFields<DatabaseNumber, DatabaseSpread>),
  perEvent: PerEvent.optional(),
  waits: z.array(WaitShare).optional().describe("Most frequent first"),
  statements: z
    .array(StatementEvidence)
    .optional()
    .describe("Those of the workload, longest total time first"),
  scans: z
    .array(ScanCount)
    .optional()
    .describe("Those of the workload's tables and indexes, most frequent first"),
  tableChanges: z.array(TableChange).optional().describe("Left out if no part of a table changed"),
  pooler: PoolerEvidence.optional(),
  foreign: ForeignWork.optional(),
  sampling: z
    .strictObject({
      samples: count,
      missed: count.describe("Samples that came too late, or in which a part did not answer"),
      meanMs: amount.describe("Time that one sample took"),
    })
    .optional(),
  skipped: z
    .array(
      z.strictObject({
        source: z.string(),
        reason: z.string(),
        isPartial: z.literal(true).optional().describe("Some of it was read, as a part of the samples"),
      }),
    )
    .optional()
    .describe("Views that this version or role does not show, or not wholly"),
});
export type DatabaseEvidence = z.infer<typeof DatabaseEvidence>;
