// The names that reports need of a workload, which its result has too. Pure: pages use it.
import type { AuditWords, Flow, OperationTraits, RoleTraits } from "./workload.js";

export interface Vocabulary {
  readonly name: string;
  /** Operations in the order in which they are shown. */
  readonly operations: Readonly<Record<string, OperationTraits>>;
  readonly roles: Readonly<Record<string, Pick<RoleTraits, "operations" | "arrivals">>>;
}

/** The names that a result has of its workload. */
export interface ResultVocabulary extends Vocabulary {
  readonly audited: AuditWords;
}

/** The things that an operation works on; a stage of life has no operation and is of `events`. */
export function unitOf({ operations }: Vocabulary, operation: string): string {
  return operations[operation]?.unit ?? "events";
}

/** Units of several operations, each once. */
export function unitsText(units: readonly string[]): string {
  return [...new Set(units)].join(", ") || "events";
}

export function operationsWith({ operations }: Vocabulary, flow: Flow): string[] {
  return Object.keys(operations).filter((operation) => operations[operation]?.flow === flow);
}
