// What a threshold can be about: its syntax, the metrics by name, and what each can be asked for. It is data, so that the parser,
// its suggestions and the documentation cannot drift apart. A metric offers only what it really measures: a cycle
// has no retries of its own, so `__cycle__` cannot be asked for them.
import { LATENCIES, THRESHOLD_NAMES, thresholdMetric } from "../metrics/metric-lists.js";
import { VIOLATION_KINDS } from "../workloads/train-events/model/conservation.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

/** `add`, `add.poolwait`, `add{payload:text,pool:direct}`; a level may have a colon, as that of a URL. */
export const METRIC_PATTERN =
  /^\s*([A-Za-z_][\w.]*)\s*(?:\{\s*([\w.-]+\s*:[^,{}]+(?:,\s*[\w.-]+\s*:[^,{}]+)*)\})?\s*$/;
/** `p(99.9)<500`, `violations==0`. */
export const CONDITION_PATTERN =
  /^\s*((?!p\d)[A-Za-z_]\w*|p\((?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)\))\s*(<=|>=|===|!==|==|!=|<|>)\s*(-?\d+(?:\.\d+)?)\s*$/;

/** Of a latency, in milliseconds; `p(N)` comes on top. */
export const LATENCY_AGGREGATES = ["avg", "min", "med", "max"] as const;

const CYCLE_AGGREGATES = THRESHOLD_NAMES.filter((name) => thresholdMetric(name)?.isOfCycle);
const INTEGRITY_AGGREGATES = ["violations", ...VIOLATION_KINDS, "inDoubt"];

/** The roles that perform each operation. */
const OPERATION_ROLES: Readonly<Record<string, readonly Role[]>> = {
  add: ["producers", "cycle"],
  process: ["consumers", "cycle"],
  archive: ["archivers", "cycle"],
  read: ["readers"],
  __cycle__: ["cycle"],
};

export interface MetricTraits {
  /** What it can be asked for, `p(N)` aside. */
  readonly aggregates: readonly string[];
  /** Whether it has percentiles. */
  readonly isLatency: boolean;
  /** A treatment without any of these can never have a sample. */
  readonly roles: readonly Role[];
}

function metrics(): [string, MetricTraits][] {
  const latency = (roles: readonly Role[]): MetricTraits => ({
    aggregates: LATENCY_AGGREGATES,
    isLatency: true,
    roles,
  });
  const counts = (aggregates: readonly string[]): MetricTraits => ({
    aggregates,
    isLatency: false,
    roles: ROLES,
  });
  const operations = Object.entries(OPERATION_ROLES).flatMap(
    ([operation, roles]): [string, MetricTraits][] => {
      const isCycle = operation === "__cycle__";
      const measures = LATENCIES.filter((metric) => !isCycle || "isOfCycle" in metric);
      const own = isCycle ? CYCLE_AGGREGATES : THRESHOLD_NAMES;
      return [
        [operation, { aggregates: [...LATENCY_AGGREGATES, ...own], isLatency: true, roles }],
        ...measures.map(({ id }): [string, MetricTraits] => [`${operation}.${id}`, latency(roles)]),
      ];
    },
  );
  return [
    ...operations,
    ["lifecycle.completed", latency(["consumers", "cycle"])],
    ["lifecycle.archived", latency(["archivers", "cycle"])],
    ["integrity", counts(INTEGRITY_AGGREGATES)],
    ["verdict", counts(["tainted"])],
  ];
}

/** By name. An operation by itself is its response time and its counts. */
export const THRESHOLD_METRICS: ReadonlyMap<string, MetricTraits> = new Map(metrics());

/** Whether it is about arrivals, which only what is started by a schedule has. */
export function isOfArrivals(source: string, aggregate: string): boolean {
  return source.endsWith(".startdelay") || thresholdMetric(aggregate)?.presence === "scheduled";
}

/** The roles whose arrivals those are: in a cycle they are rounds, not transactions. */
export function arrivalRoles(source: string): readonly Role[] {
  const [operation = ""] = source.split(".");
  const roles = OPERATION_ROLES[operation] ?? [];
  return operation === "__cycle__" ? roles : roles.filter((role) => role !== "cycle");
}
