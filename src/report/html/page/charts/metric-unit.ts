import { evidenceMetricOf } from "../../../../workloads/evidence.js";
import type { Unit } from "./values.js";

const UNITS: readonly Unit[] = ["bytes", "ms", "transactions"];

export function unitOf(metric: string): Unit {
  const { kind, unit = "" } = evidenceMetricOf(metric) ?? {};
  if (kind === "counter") return unit === "bytes" || unit === "ms" ? `${unit}/s` : "/s";
  return UNITS.includes(unit) ? unit : "";
}
