import type { Evidence } from "../../workloads/evidence.js";
import type { MeanAndMax, WindowEvidence } from "./evidence-source.js";

export function growthOf(window: WindowEvidence, name: string): number | undefined {
  const [first, last] = [window.first(name), window.last(name)];
  return first === undefined || last === undefined ? undefined : last - first;
}

const FIGURE_READERS: Readonly<
  Record<
    NonNullable<Evidence["take"]>,
    (window: WindowEvidence, name: string) => number | MeanAndMax | undefined
  >
> = {
  total: (window, name) => window.total(name),
  spread: (window, name) => window.gauge(name),
  max: (window, name) => window.gauge(name)?.max,
  last: (window, name) => window.last(name),
  growth: growthOf,
  given: () => undefined,
};

/** Figures by field. A computed figure stands after the figures that it is computed from. */
export function windowFigures(
  window: WindowEvidence,
  figures: readonly Evidence[],
): Record<string, number | MeanAndMax> {
  const numbers: Record<string, number | undefined> = {};
  const found: Record<string, number | MeanAndMax> = {};
  for (const { field, metric, take, compute, isStored, isSeconds } of figures) {
    const read = take ? FIGURE_READERS[take](window, metric.name) : compute?.(numbers);
    if (read === undefined || isStored === false) continue;
    if (typeof read === "number") numbers[field] = found[field] = isSeconds ? read / 1000 : read;
    else found[field] = read;
  }
  return found;
}
