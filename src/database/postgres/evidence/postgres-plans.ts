// Plans by EXPLAIN (GENERIC_PLAN), before version 16 by EXPLAIN EXECUTE, without costs, conditions and aliases.
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

const LIMITS = "SET LOCAL statement_timeout = '1s'; SET LOCAL lock_timeout = '50ms';";
const PREPARED_NAME = "train_sim_plan";

/** Message that prepares the statement and asks for the plan that is kept for any values. */
function preparedQuestion(text: string): string {
  const parameters = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const nulls = Array.from({ length: Math.max(0, ...parameters) }, () => "NULL");
  const args = nulls.length > 0 ? `(${nulls.join(", ")})` : "";
  return `SET LOCAL plan_cache_mode = force_generic_plan; PREPARE ${PREPARED_NAME} AS ${text}
    ; EXPLAIN (COSTS OFF, FORMAT JSON) EXECUTE ${PREPARED_NAME}${args}`;
}

export const POSTGRES_PLANS: PlanSource = {
  async explain(client, text, searchPath) {
    const [row] = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS version");
    const isGeneric = Number(row?.["version"]) >= GENERIC_PLAN_MIN_VERSION;
    const question = isGeneric
      ? `EXPLAIN (GENERIC_PLAN, COSTS OFF, FORMAT JSON) ${text}`
      : preparedQuestion(text);
    // A short time limit and a read-only transaction: further statements in the text could change nothing.
    const path = searchPath === undefined ? "" : `SET LOCAL search_path TO ${searchPath};`;
    try {
      return planOf(
        await client.query(`${LIMITS} SET LOCAL transaction_read_only = on; ${path} ${question}`),
      );
    } finally {
      if (!isGeneric) await client.query(`DEALLOCATE ${PREPARED_NAME}`).catch(() => undefined);
    }
  },
};

/** The plan in the rows of the answer, in a short form. */
export function planOf([row]: readonly SqlRow[]): string {
  const text = row?.["QUERY PLAN"];
  const [explained] = JSON.parse(typeof text === "string" ? text : "[]") as readonly {
    readonly Plan: Step;
  }[];
  if (!explained) throw new Error("EXPLAIN answered without a plan");
  return stepLine(explained.Plan);
}
