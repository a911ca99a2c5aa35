// One finished second as those see it who watch an experiment.
// It only reads what the tally is about to use again, and keeps nothing of it.
import { percentileMs } from "../metrics/histograms.js";
import type { Operation } from "../metrics/operations.js";
import { sumOf, type Totals } from "../metrics/totals.js";
import type { LiveOperation, LiveSecond } from "./observer.js";

export function liveSecond(second: number, totals: Totals): LiveSecond {
  const operations: Partial<Record<Operation, LiveOperation>> = {};
  for (const operation of totals.operations) {
    const counts = totals.countsOf(operation);
    const response = totals.histograms.get(`${operation}.response`);
    operations[operation] = {
      transactions: counts.transactions,
      events: counts.events,
      responseP99Ms: response ? percentileMs(response, 99) : null,
      retries: sumOf(counts.retries),
      failures: sumOf(counts.failures),
    };
  }
  return { second, operations };
}
