import { rangeText } from "../../load/load-settings.js";
import type { EventTreatment } from "./actors/assignment.js";

export function conditions({ payload, batch, appDelayMs }: EventTreatment): Readonly<Record<string, string>> {
  const delays = Object.entries(appDelayMs).filter(([, { max }]) => max > 0);
  const delay = delays.map(([operation, range]) => `${operation} ${rangeText(range)}`).join(", ");
  return { payload, batch: `${batch.min} to ${batch.max} events`, "app delay": delay || "none" };
}
