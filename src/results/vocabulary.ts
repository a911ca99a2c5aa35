// Stored with the result, since a workload may be the user's.
import * as z from "zod";
import { WORKLOADS } from "../workloads/registry.js";
import type { Workload } from "../workloads/workload.js";
import { OperationName } from "./comparison-schema.js";

const operations = z.array(OperationName);

export const WorkloadResult = z
  .strictObject({
    name: z.string(),
    isOwn: z.literal(true).optional().describe("Present for your own workload"),
    operations: z
      .record(
        OperationName,
        z.strictObject({
          verb: z.string().describe("What it does, as `adds`"),
          unit: z
            .string()
            .describe("What it works on, as `events`: what `events` and `eventsPerSecond` count"),
          flow: z
            .enum(["in", "through", "out"])
            .optional()
            .describe("Its part in the life of what it works on"),
        }),
      )
      .describe("In the order in which they are shown"),
    roles: z
      .record(
        z.string(),
        z.strictObject({
          operations,
          arrivals: operations.describe("Those that a schedule starts"),
        }),
      )
      .describe("Roles and the operations that they perform"),
    audited: z
      .strictObject({ one: z.string(), acknowledged: z.string() })
      .describe("What the audit is about, as `event`, and what an acknowledged one is, as `published`"),
  })
  .describe("What the workload calls its operations");
export type WorkloadResult = z.infer<typeof WorkloadResult>;

/** The words of a workload without an audit. */
const UNAUDITED_WORDS = { one: "transaction", acknowledged: "committed" };

/**
 * The vocabulary to store: words of the first workload with the operations of all, which may differ between the user's
 * workloads.
 */
export function workloadResult(first: Workload, others: readonly Workload[] = []): WorkloadResult {
  const { name, auditing, roles } = first;
  const { one, acknowledged } = auditing ?? UNAUDITED_WORDS;
  const all = [first, ...others];
  const found = Object.assign({}, ...all.map((each) => each.operations)) as Workload["operations"];
  const operations = { ...found, ...first.operations };
  const roleOperations = (role: string, list: "operations" | "arrivals"): string[] => [
    ...new Set(all.flatMap((each) => each.roles[role]?.[list] ?? [])),
  ];
  return {
    name,
    ...(!WORKLOADS.includes(first) && { isOwn: true }),
    operations: mapValues(operations, ({ verb, unit, flow }) => ({
      verb,
      unit,
      ...(flow && { flow }),
    })),
    roles: mapValues(roles, (_, role) => ({
      operations: roleOperations(role, "operations"),
      arrivals: roleOperations(role, "arrivals"),
    })),
    audited: { one, acknowledged },
  };
}

function mapValues<From, To>(
  all: Readonly<Record<string, From>>,
  to: (each: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [name, to(each, name)]));
}

/** The registered workload with this vocabulary; undefined for a workload of the user. */
export function workloadNamed({ name, isOwn }: Pick<WorkloadResult, "name" | "isOwn">): Workload | undefined {
  return isOwn ? undefined : WORKLOADS.find((each) => each.name === name);
}
