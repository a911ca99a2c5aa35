// Plans by EXPLAIN (GENERIC_PLAN), from version 16 on, without costs, conditions and aliases.
import type { SqlClient } from "../admin.js";
import type { SqlRow } from "../../sql.js";
import type { PlanSource } from "./view.js";

const GENERIC_PLAN_MIN_VERSION = 16;

interface Step {
  readonly "Node Type": string;
  readonly "Parallel Aware"?: boolean;
  /** Kind of change, such as `Insert`; only in a ModifyTable step. */
  readonly Operation?: string;
  /** Strategy of aggregation; only in an Aggregate step. */
  readonly Strategy?: string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "CTE Name"?: string;
  readonly "Function Name"?: string;
  readonly Plans?: readonly Step[];
}

/** Names of aggregate steps as the text form of EXPLAIN shows them, by strategy. */
const AGGREGATE_NAMES: Readonly<Record<string, string>> = {
  Sorted: "GroupAggregate",
  Hashed: "HashAggregate",
  Mixed: "MixedAggregate",
};

function stepKind({ "Node Type": type, Operation, Strategy = "" }: Step): string {
  if (type === "ModifyTable") return Operation ?? type;
  return type === "Aggregate" ? (AGGREGATE_NAMES[Strategy] ?? type) : type;
}

function stepLine(step: Step): string {
  const { Plans = [], "Parallel Aware": isParallel = false } = step;
  const read = step["Index Name"] ?? step["Relation Name"] ?? step["CTE Name"] ?? step["Function Name"];
  const stepText = [isParallel ? "Parallel" : [], stepKind(step), read ?? []].flat().join(" ");
  const inputs = Plans.map(stepLine).join(", ");
  if (Plans.length === 0) return stepText;
  return `${Plans.length > 1 ? `(${inputs})` : inputs} > ${stepText}`;
}

export const POSTGRES_PLANS: PlanSource = {
  async obstacle(client: SqlClient) {
    const [row] = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS version");
    const version = Number(row?.["version"]);
    return version >= GENERIC_PLAN_MIN_VERSION
      ? undefined
      : `version ${version} of the server plans no statement without its values; ${GENERIC_PLAN_MIN_VERSION} and later do`;
  },
  // A short time limit and a read-only transaction: further statements in the text could change nothing.
  question: (text, searchPath) =>
    `SET LOCAL statement_timeout = '1s'; SET LOCAL lock_timeout = '50ms'; SET LOCAL transaction_read_only = on;
    ${searchPath === undefined ? "" : `SET LOCAL search_path TO ${searchPath}; `}EXPLAIN (GENERIC_PLAN, COSTS OFF, FORMAT JSON) ${text}`,
  planOf([row]: readonly SqlRow[]) {
    const text = row?.["QUERY PLAN"];
    const [explained] = JSON.parse(typeof text === "string" ? text : "[]") as readonly {
      readonly Plan: Step;
    }[];
    if (!explained) throw new Error("EXPLAIN answered without a plan");
    return stepLine(explained.Plan);
  },
};
