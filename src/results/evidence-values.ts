import type { Evidence } from "../workloads/evidence.js";
import type { DatabaseEvidence } from "./result-schema.js";

function numberOrMean(value: unknown): number | undefined {
  const amount = typeof value === "object" && value !== null && "mean" in value ? value.mean : value;
  return typeof amount === "number" ? amount : undefined;
}

/** The value of a figure (the mean, if it is a spread); undefined if the trial does not have it. */
export function evidenceValue(
  { field, metric, place, compute, isStored }: Evidence,
  database: DatabaseEvidence,
): number | undefined {
  const holder =
    (place === "perEvent" ? database.perEvent : metric.source === "pooler" ? database.pooler : database) ??
    {};
  const fields: Readonly<Record<string, unknown>> = holder;
  if (isStored !== false || !compute) return numberOrMean(fields[field]);
  return compute(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, numberOrMean(value)])),
  );
}
