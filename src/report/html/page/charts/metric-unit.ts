// The unit of a sampled metric, from its name and its kind as the catalogue has them. Charts and the live page's
// table write it alike by it.
import { evidenceMetricOf } from "../../../../workloads/evidence.js";
import type { Unit } from "./values.js";

export function unitOf(metric: string): Unit {
  const isRate = evidenceMetricOf(metric)?.kind === "counter";
  if (/[bB]ytes$/.test(metric)) return isRate ? "bytes/s" : "bytes";
  if (metric.endsWith("Ms")) return isRate ? "ms/s" : "ms";
  if (metric.endsWith("Transactions")) return "transactions";
  return isRate ? "/s" : "";
}
