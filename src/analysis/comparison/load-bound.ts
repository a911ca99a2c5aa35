// Operations whose throughput is set by the load: treatments differ there in response times alone.
import type { OperationResult, ResultDocument } from "../../results/result-schema.js";
import { sumOfCounts } from "../../metrics/figures.js";
import { isCycleOperation } from "../../metrics/operations.js";
import type { Vocabulary } from "../../workloads/vocabulary.js";
import { NO_FACTOR } from "./noise-floor.js";

/** Busy share of the clients' time below which their think time bounds the throughput. */
const BUSY_SHARE_MAX = 0.5;
/**
 * Largest share of unserved arrivals at which a schedule sets the throughput, and smallest share of empty polls at which a
 * lack of work does.
 */
const UNSERVED_SHARE_MAX = 0.01;
const EMPTY_POLL_SHARE_MIN = 0.1;
/** Smallest share of the arriving work that an operation does if the arrivals set its rate. */
const KEPT_UP_SHARE_MIN = 0.95;
/** Largest factor between throughputs that the load may explain; a larger one is stated as a difference. */
const THROUGHPUT_RATIO_MAX = 1.1;

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
  const roleOperations = Object.values(roles)
    .map((role) => role.operations)
    .filter((names) => names.includes(operation) && names.every((name) => name in operations));
  return new Set(
    roleOperations.length > 0 ? roleOperations.flat().filter((name) => !isCycleOperation(name)) : [operation],
  );
}

/** Share of their time in which the clients of `operation` are busy, over all operations that they perform. */
function busyShare(operation: string, operations: Operations, roles: Vocabulary["roles"]): number {
  const { clients = 0, responseTimeMs } = operations[operation] ?? {};
  if (clients === 0 || !responseTimeMs) return 1;
  const busyMs = [...operationsOfSameRole(operation, operations, roles)].map((name) => {
    const { transactionsPerSecond = 0, responseTimeMs: operationTimeMs } = operations[name] ?? {};
    return transactionsPerSecond * (operationTimeMs?.mean ?? 0);
  });
  return busyMs.reduce((sum, ms) => sum + ms, 0) / 1000 / clients;
}

const isSetBySchedule = ({ offered = 0, dropped = 0, failures }: OperationResult): boolean =>
  offered > 0 && dropped + sumOfCounts(failures) <= UNSERVED_SHARE_MAX * offered;
const isClosedLoop = ({ emptyPolls, offered }: OperationResult): boolean =>
  emptyPolls === 0 && offered === undefined;
const isWaitingForWork = ({ emptyPolls, transactions }: OperationResult): boolean =>
  emptyPolls >= EMPTY_POLL_SHARE_MIN * transactions;

/** Sentences, by operation, that state what bounds its throughput in every treatment. */
export function loadBounds(
  result: Pick<ResultDocument, "treatments" | "comparisons" | "workload">,
): Map<string, string> {
  const { treatments, comparisons } = result;
  const { workload: vocabulary } = result;
  const rateComparisons = comparisons.filter(
    ({ metric, factor }) => metric === "eventsPerSecond" && factor !== NO_FACTOR,
  );
  const hasEvenThroughput = (operation: string): boolean =>
    rateComparisons
      .filter((each) => each.operation === operation)
      .every(({ ratio }) => Math.max(ratio, 1 / ratio) <= THROUGHPUT_RATIO_MAX);
  const evenOperations = [...new Set(rateComparisons.map(({ operation }) => operation))].filter(
    hasEvenThroughput,
  );
  const holdsInAllTreatments = (operation: string, test: (result: OperationResult) => boolean): boolean =>
    treatments.every(({ merged }) => {
      const result = merged?.operations[operation];
      return result !== undefined && test(result);
    });
  const isIdle = (operation: string): boolean =>
    holdsInAllTreatments(operation, isClosedLoop) &&
    treatments.every(
      ({ merged }) => busyShare(operation, merged?.operations ?? {}, vocabulary.roles) < BUSY_SHARE_MAX,
    );
  const bounds = new Map<string, string>();
  for (const operation of evenOperations)
    if (holdsInAllTreatments(operation, isSetBySchedule)) bounds.set(operation, "the arrival rate");
  const source = evenOperations.find(
    (operation) =>
      vocabulary.operations[operation]?.flow === "in" && (bounds.has(operation) || isIdle(operation)),
  );
  const keepsUpWith = (operation: string, from: string): boolean =>
    vocabulary.operations[operation]?.flow === "out" &&
    isIdle(operation) &&
    treatments.every(({ merged }) => {
      const rateOf = (name: string): number => merged?.operations[name]?.eventsPerSecond ?? 0;
      return rateOf(operation) >= KEPT_UP_SHARE_MIN * rateOf(from);
    });
  for (const operation of evenOperations.filter((each) => !bounds.has(each)))
    if (
      source !== undefined &&
      source !== operation &&
      (holdsInAllTreatments(operation, isWaitingForWork) || keepsUpWith(operation, source))
    )
      bounds.set(operation, `the work of ${source}`);
    else if (isIdle(operation)) bounds.set(operation, "think time");
  return bounds;
}
