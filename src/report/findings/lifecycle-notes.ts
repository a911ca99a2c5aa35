// Lines about the lives of events, and about waits in front of the database that no client can see. A number that was not measured
// has no words.
import type { PoolerEvidence, TreatmentResult } from "../../results/result-schema.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { operationsIn, type TreatmentFigures } from "./figures.js";
import type { Note } from "./notes.js";
import { operationName } from "../../metrics/names.js";
import { isCycleOperation } from "../../metrics/operations.js";
import { answersBegin } from "../../pools/registry.js";
import { LIFE_STAGES } from "../../workloads/registry.js";
import { workloadNamed, type WorkloadResult } from "../../results/vocabulary.js";

/** Note on the lives of events: latencies, passes and the drain; none if nothing of these was measured. */
export function lifecycleNotes({ lifecycle }: TreatmentFigures): Note[] {
  const { passesPerEvent, drainSeconds } = lifecycle;
  const spans = LIFE_STAGES.flatMap(({ stage }) => {
    const latency = lifecycle[`${stage}Ms`];
    if (!latency) return [];
    const name = operationName(`lifecycle.${stage}`);
    return [`${name} ${shortNumber(latency.p50)} ms (p50), ${shortNumber(latency.p99)} ms (p99)`];
  });
  const texts = [
    ...spans,
    ...(passesPerEvent !== undefined ? [`${shortNumber(passesPerEvent)} passes per event`] : []),
    ...(drainSeconds !== undefined ? [`queue drained in ${drainSeconds.toFixed(1)} s`] : []),
  ];
  return texts.length > 0 ? [{ text: `lifecycle: ${texts.join("; ")}`, tone: "plain" }] : [];
}

/** Notes that the workload makes of its measurements. */
export function workloadNotes(
  { operations, windowSeconds }: TreatmentFigures,
  workload: Pick<WorkloadResult, "name" | "isOwn">,
): Note[] {
  const lines = workloadNamed(workload)?.reporting?.lines?.({ operations, windowSeconds }) ?? [];
  return lines.map((text) => ({ text, tone: "plain" }));
}

/**
 * Mean time of the call that begins a transaction, over all committed transactions; undefined if an operation has no such
 * call.
 */
function beginMs(figures: TreatmentFigures): number | undefined {
  let transactions = 0;
  let totalMs = 0;
  for (const [operation, { parts, transactions: count }] of operationsIn(figures)) {
    if (isCycleOperation(operation)) continue;
    const part = parts?.find(({ name }) => name === "begin");
    if (!part) return undefined;
    transactions += count;
    totalMs += part.meanMs * count;
  }
  return transactions > 0 ? totalMs / transactions : undefined;
}

/** Evidence of a pooler that reports its number of transactions and their waits. */
type CountingPooler = PoolerEvidence &
  Record<"transactions" | "waitMsPerTransaction", number> & {
    readonly clientsWaiting: NonNullable<PoolerEvidence["clientsWaiting"]>;
  };

/** Evidence of the poolers that report transactions, for each complete trial of the treatment. */
function poolersOf({ trials }: TreatmentResult): CountingPooler[] {
  const isCountingPooler = (pooler: PoolerEvidence): pooler is CountingPooler =>
    pooler.transactions !== undefined && pooler.clientsWaiting !== undefined;
  return trials.flatMap(({ status, database: { pooler } }) =>
    status === "complete" && pooler && isCountingPooler(pooler) ? [pooler] : [],
  );
}

export function poolerNotes(treatment: TreatmentResult, figures: TreatmentFigures): Note[] {
  const poolers = poolersOf(treatment);
  const transactions = poolers.reduce((sum, pooler) => sum + pooler.transactions, 0);
  if (transactions === 0) return [];
  const waitMs =
    poolers.reduce((sum, pooler) => sum + pooler.waitMsPerTransaction * pooler.transactions, 0) /
    transactions;
  const waiting = poolers.reduce((sum, pooler) => sum + pooler.clientsWaiting.mean, 0) / poolers.length;
  const waitingClientsMax = Math.max(...poolers.map((pooler) => pooler.clientsWaiting.max));
  const { product = "PgBouncer", serversMax: servers } = poolers[0] ?? {};
  const begin = answersBegin(product) ? undefined : beginMs(figures);
  const where =
    begin === undefined
      ? "in the first statement of each transaction"
      : `in begin, which took ${shortNumber(begin)} ms`;
  const text =
    `${product} reports a mean wait of ${shortNumber(waitMs)} ms for a ` +
    `server connection (all transactions, empty polls included). Clients see it ${where}; ${shortNumber(waiting)} clients waited on average, ` +
    `${shortNumber(waitingClientsMax)} at most` +
    (servers === undefined ? "" : `, for ${servers} server ${servers === 1 ? "connection" : "connections"}`);
  return [{ text, tone: "plain" }];
}
