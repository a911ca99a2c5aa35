// One operation of one trial, added up from its summary lines. A line whose histogram does not fit its count is refused
// whole, before any part of it is added.
import { messageOf } from "../foundation/errors.js";
import { sumOfCounts } from "../metrics/figures.js";
import { addEncodedHistogram } from "../metrics/encoded-histogram.js";
import { createHistogram, summaryMs, type Histogram } from "../metrics/histograms.js";
import { addCounts, zeroCounts } from "../metrics/metric-lists.js";
import type { SummaryLine } from "../results/log-lines.js";
import type { OperationTotals } from "./log-report.js";
import { SecondTrack } from "./second-track.js";

export class OperationFold {
  readonly track = new SecondTrack();
  clients = 0;
  threads = 0;
  private readonly counts = zeroCounts();
  private histogram: Histogram | undefined;
  /** Number of transactions in lines without a histogram. */
  private transactionsWithoutHistogram = 0;

  /** Adds a line; returns the reason if its fields contradict each other, undefined once it is counted. */
  add(line: SummaryLine): string | undefined {
    const { transactions, responseHistogram } = line;
    if (responseHistogram === undefined) this.transactionsWithoutHistogram += transactions;
    else {
      try {
        addEncodedHistogram((this.histogram ??= createHistogram()), responseHistogram, transactions);
      } catch (error) {
        return `responseHistogram: ${messageOf(error)}`;
      }
    }
    addCounts(this.counts, line);
    this.track.add(line.second, {
      finished: transactions + line.emptyPolls,
      failed: sumOfCounts(line.retries) + sumOfCounts(line.failures),
      longestMs: line.maxResponseMs,
    });
    return undefined;
  }

  totals(secondsCounted: number | null): OperationTotals {
    const { counts, clients, threads } = this;
    const { transactions, events, emptyPolls, offered, dropped, retries, failures } = counts;
    const perSecond = (count: number): number | null =>
      secondsCounted !== null && secondsCounted > 0 ? count / secondsCounted : null;
    return {
      transactions,
      events,
      transactionsPerSecond: perSecond(transactions),
      eventsPerSecond: perSecond(events),
      responseTimeMs: this.transactionsWithoutHistogram > 0 ? null : summaryMs(this.histogram),
      retries: sumOfCounts(retries),
      retriesBySqlstate: { ...retries },
      failures: { ...failures },
      emptyPolls,
      ...(offered + dropped > 0 && { offered, dropped }),
      ...(threads > 0 && { clients, threads }),
    };
  }
}
