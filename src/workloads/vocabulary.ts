import type { AuditWords, Flow, OperationTraits, RoleTraits } from "./workload.js";

export interface Vocabulary {
  readonly name: string;
  /** Operations in display order. */
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, Pick<RoleTraits, "operations" | "arrivals">>>;
}

export interface ResultVocabulary extends Vocabulary {
  readonly audited: AuditWords;
}

/** Unit of what an operation counts. A stage of life is no operation, and its unit is `events`. */
export function unitOf({ operations }: Vocabulary, operation: string): string {
  return operations[operation]?.unit ?? "events";
}

/** Text of the units of several operations, each unit once. */
export function unitsText(units: readonly string[]): string {
  return [...new Set(units)].join(", ") || "events";
}

export function operationsWith({ operations }: Vocabulary, flow: Flow): string[] {
  return Object.keys(operations).filter((operation) => operations[operation]?.flow === flow);
}

/** True if operations pass events on, from one to the next; in other workloads only transactions can be counted. */
export function hasFlow({ operations }: Vocabulary): boolean {
  return Object.values(operations).some(({ flow }) => flow !== undefined);
}
