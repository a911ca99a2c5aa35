// The cost of one event, from the counters of a window and the growth of the database. A part that was not read is left out.
import type { DatabaseEvidence, PerEvent } from "../../results/result-schema.js";
import { isCycleOperation, type Operation } from "../../metrics/operations.js";
import { hasFlow, operationsWith, type Vocabulary } from "../../workloads/vocabulary.js";
import type { Flow } from "../../workloads/workload.js";
import { evidenceMetricOf, PER_EVENT_EVIDENCE, type Evidence } from "../../workloads/evidence.js";
import type { WindowEvidence } from "./evidence-source.js";
import { growthOf } from "./window-figures.js";

export interface WindowWork {
  readonly workload: Vocabulary;
  readonly operations: Readonly<
    Record<Operation, { readonly events: number; readonly transactions: number }>
  >;
  /** Transactions on the load's connections that ended in the window, including retries, polls and look-ups. */
  readonly serverTransactions?: number;
  /**
   * Transactions that the pooler adds to each of the load's transactions, or the reason why the number is unknown. Default:
   * none.
   */
  readonly poolerTransactions?: number | string;
  /** CPU time of train-sim itself; undefined if it was not read. */
  readonly clientCpuSeconds: number | undefined;
}

/**
 * Events that arrived within the window or, if none did, events that were worked on. A workload whose operations pass no
 * events on counts its transactions.
 */
function eventsOf({ workload, operations }: WindowWork): number {
  if (!hasFlow(workload))
    return Object.entries(operations).reduce(
      (sum, [operation, { transactions }]) => sum + (isCycleOperation(operation) ? 0 : transactions),
      0,
    );
  const eventsIn = (flow: Flow): number =>
    operationsWith(workload, flow).reduce((sum, operation) => sum + (operations[operation]?.events ?? 0), 0);
  return eventsIn("in") || eventsIn("through");
}

export function perEventOf(
  database: Pick<DatabaseEvidence, "statements">,
  window: WindowEvidence,
  done: WindowWork,
): PerEvent | undefined {
  const events = eventsOf(done);
  if (events === 0) return undefined;
  const computedAmounts = new Map([
    ["host.clientCpuMs", done.clientCpuSeconds && done.clientCpuSeconds * 1000],
    ["statements.blocksDirtied", blocksDirtiedBy(database.statements)],
    ["statements.calls", database.statements?.reduce((sum, { calls }) => sum + calls, 0)],
  ]);
  const amountOf = ({ metric, of = [metric.name] }: Evidence): number | undefined => {
    if (computedAmounts.has(metric.name)) return computedAmounts.get(metric.name);
    const parts = of.map((name) =>
      evidenceMetricOf(name)?.kind === "gauge" ? growthOf(window, name) : window.total(name),
    );
    return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part));
  };
  const known = PER_EVENT_EVIDENCE.flatMap((figure) => {
    const amount = amountOf(figure);
    return amount === undefined ? [] : [[figure.field, amount / events] as const];
  });
  return { events, ...Object.fromEntries(known) };
}

function blocksDirtiedBy(statements: DatabaseEvidence["statements"]): number | undefined {
  if (!statements || statements.some(({ blocksDirtied }) => blocksDirtied === undefined)) return undefined;
  return statements.reduce((sum, { blocksDirtied = 0 }) => sum + blocksDirtied, 0);
}
