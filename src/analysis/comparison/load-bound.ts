// Operations whose throughput is set by the load: treatments differ there in response times alone.
import type { OperationResult, ResultDocument } from "../../results/result-schema.js";
import { sumOfCounts } from "../../metrics/figures.js";
import { isRound } from "../../metrics/operations.js";
import type { Vocabulary } from "../../workloads/vocabulary.js";
import { NO_FACTOR } from "./noise-floor.js";

/** Busy share of the clients' time below which their think time bounds the throughput. */
const BUSY_MAX = 0.5;
/**
 * Largest share of unserved arrivals at which a schedule sets the throughput, and smallest share of empty polls at which a
 * lack of work does.
 */
const UNSERVED_MAX = 0.01;
const EMPTY_POLLS_MIN = 0.1;
/** Largest factor between throughputs that the load may explain; a larger one is stated as a difference. */
const RATIO_MAX = 1.1;

type Operations = Readonly<Record<string, OperationResult>>;

/**
 * Operations that the clients of `operation` perform. A group of clients counts only if each of its operations was
 * measured.
 */
function operationsOfSameRole(
  operation: string,
  operations: Operations,
  roles: Vocabulary["roles"],
): Set<string> {
  const own = Object.values(roles)
    .map((role) => role.operations)
    .filter((names) => names.includes(operation) && names.every((name) => name in operations));
  return new Set(own.length > 0 ? own.flat().filter((name) => !isRound(name)) : [operation]);
}

/** Share of their time in which the clients of `operation` are busy, over all operations that they perform. */
function busyShare(operation: string, operations: Operations, roles: Vocabulary["roles"]): number {
  const { clients = 0, responseTimeMs } = operations[operation] ?? {};
  if (clients === 0 || !responseTimeMs) return 1;
  const busyMs = [...operationsOfSameRole(operation, operations, roles)].map((name) => {
    const { transactionsPerSecond = 0, responseTimeMs: own } = operations[name] ?? {};
    return transactionsPerSecond * (own?.mean ?? 0);
  });
  return busyMs.reduce((sum, ms) => sum + ms, 0) / 1000 / clients;
}

const isScheduled = ({ offered = 0, dropped = 0, failures }: OperationResult): boolean =>
  offered > 0 && dropped + sumOfCounts(failures) <= UNSERVED_MAX * offered;
const isClosed = ({ emptyPolls, offered }: OperationResult): boolean =>
  emptyPolls === 0 && offered === undefined;
const isWaiting = ({ emptyPolls, transactions }: OperationResult): boolean =>
  emptyPolls >= EMPTY_POLLS_MIN * transactions;

/** Sentences, by operation, that state what bounds its throughput in every treatment. */
export function loadBounds(result: ResultDocument): Map<string, string> {
  const { treatments, comparisons } = result;
  const { workload: vocabulary } = result;
  const rates = comparisons.filter(
    ({ metric, factor }) => metric === "eventsPerSecond" && factor !== NO_FACTOR,
  );
  const isEven = (operation: string): boolean =>
    rates
      .filter((each) => each.operation === operation)
      .every(({ ratio }) => Math.max(ratio, 1 / ratio) <= RATIO_MAX);
  const even = [...new Set(rates.map(({ operation }) => operation))].filter(isEven);
  const holds = (operation: string, test: (result: OperationResult) => boolean): boolean =>
    treatments.every(({ merged }) => {
      const result = merged?.operations[operation];
      return result !== undefined && test(result);
    });
  const isThinking = (operation: string): boolean =>
    holds(operation, isClosed) &&
    treatments.every(
      ({ merged }) => busyShare(operation, merged?.operations ?? {}, vocabulary.roles) < BUSY_MAX,
    );
  const bounds = new Map<string, string>();
  for (const operation of even)
    if (holds(operation, isScheduled)) bounds.set(operation, "the arrival rate");
    else if (isThinking(operation)) bounds.set(operation, "think time");
  const source = [...bounds.keys()].find((operation) => vocabulary.operations[operation]?.flow === "in");
  if (source !== undefined)
    for (const operation of even)
      if (!bounds.has(operation) && holds(operation, isWaiting))
        bounds.set(operation, `the work of ${source}`);
  return bounds;
}
