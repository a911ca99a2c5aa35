import { evidenceMetricOf } from "../../../../workloads/evidence.js";
import type { Unit } from "./values.js";

const SHOWN_UNITS: readonly Unit[] = ["bytes", "ms", "transactions"];

export function unitOf(metric: string): Unit {
  const { kind, unit = "" } = evidenceMetricOf(metric) ?? {};
  if (kind === "counter") return unit === "bytes" || unit === "ms" ? `${unit}/s` : "/s";
  return SHOWN_UNITS.includes(unit) ? unit : "";
}
