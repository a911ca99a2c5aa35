// The words of a result's workload. They are stored with it, since a workload may be the user's own; results from before they were
// are of a workload that is known by its operations.
import * as z from "zod";
import { workloadOf, WORKLOADS } from "../workloads/registry.js";
import type { Vocabulary } from "../workloads/vocabulary.js";
import type { Workload } from "../workloads/workload.js";
import { OperationName } from "./comparison-schema.js";

const operations = z.array(OperationName);

export const WorkloadResult = z
  .strictObject({
    name: z.string(),
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
        z.strictObject({ operations, arrivals: operations.describe("Those that a schedule starts") }),
      )
      .describe("Groups of clients and the operations that they perform"),
    audited: z
      .strictObject({ one: z.string(), acknowledged: z.string() })
      .describe("What the audit is about, as `event`, and what an acknowledged one is, as `published`"),
  })
  .describe("What the workload calls its operations");
type WorkloadResult = z.infer<typeof WorkloadResult>;

/** As it is stored: in the words of the first, with the operations of all; of the user's own, each treatment may have another. */
export function workloadResult(first: Workload, others: readonly Workload[] = []): WorkloadResult {
  const { name, audited, roles } = first;
  const { one, acknowledged } = audited;
  const all = [first, ...others];
  const found = Object.assign({}, ...all.map((each) => each.operations)) as Workload["operations"];
  const operations = { ...found, ...first.operations };
  const ofRole = (role: string, list: "operations" | "arrivals"): string[] => [
    ...new Set(all.flatMap((each) => each.roles[role]?.[list] ?? [])),
  ];
  return {
    name,
    operations: mapped(operations, ({ verb, unit, flow }) => ({ verb, unit, ...(flow && { flow }) })),
    roles: mapped(roles, (_, role) => ({
      operations: ofRole(role, "operations"),
      arrivals: ofRole(role, "arrivals"),
    })),
    audited: { one, acknowledged },
  };
}

function mapped<From, To>(
  all: Readonly<Record<string, From>>,
  to: (each: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [name, to(each, name)]));
}

interface WithWorkload {
  readonly workload?: WorkloadResult | undefined;
  readonly treatments: readonly {
    readonly trials: readonly { readonly operations: Readonly<Record<string, unknown>> }[];
  }[];
}

export function vocabularyOf({ workload, treatments }: WithWorkload): Vocabulary {
  const measured = treatments.flatMap(({ trials }) =>
    trials.flatMap((trial) => Object.keys(trial.operations)),
  );
  return workload ?? knownBy(measured);
}

/** The workload of ours that has all these operations. */
export function knownBy(names: readonly string[]): Workload {
  const has = ({ operations: own }: Workload): boolean => names.every((name) => Object.hasOwn(own, name));
  return WORKLOADS.find(has) ?? workloadOf({});
}

/** The workload of ours whose words these are. */
export function workloadNamed(vocabulary: Vocabulary): Workload | undefined {
  const known = knownBy(Object.keys(vocabulary.operations));
  return known.name === vocabulary.name ? known : undefined;
}
