// What must be known of a workload to speak of what it measured. A workload has it, and so has its result. Pure: pages use it.
import type { Flow, OperationTraits, RoleTraits } from "./workload.js";

export interface Vocabulary {
  readonly name: string;
  /** In the order in which they are shown. */
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, Pick<RoleTraits, "operations" | "arrivals">>>;
  /** What an audit is about, as `event`, and what an acknowledged one is, as `published`. */
  readonly audited: { readonly one: string; readonly acknowledged: string };
}

/** What it works on; `events` are what the lifecycle is of. */
export function unitOf({ operations }: Vocabulary, operation: string): string {
  return operations[operation]?.unit ?? "events";
}

/** For what is about several operations: each of their units once. */
export function unitsText(units: readonly string[]): string {
  return [...new Set(units)].join(", ") || "events";
}

export function operationsWith({ operations }: Vocabulary, flow: Flow): string[] {
  return Object.keys(operations).filter((operation) => operations[operation]?.flow === flow);
}
