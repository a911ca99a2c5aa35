// One operation of one trial, added up from its summary lines: the same counts as in the result, and the same
// percentiles, because each line brings the histogram of its second. A line whose histogram does not fit its count is
// refused whole, before anything of it is added.
import { messageOf } from "../foundation/errors.js";
import { sumOfCounts } from "../metrics/figures.js";
import { addEncodedHistogram } from "../metrics/encoded-histogram.js";
import { createHistogram, summaryMs, type Histogram } from "../metrics/histograms.js";
import type { SummaryLine } from "../results/log-lines.js";
import type { OperationTotals } from "./log-report.js";
import { SecondTrack } from "./second-track.js";

type Counts = Record<string, number>;

export function addCounts(into: Counts, counts: Readonly<Counts>): void {
  for (const [key, count] of Object.entries(counts)) into[key] = (into[key] ?? 0) + count;
}

export class OperationFold {
  readonly track = new SecondTrack();
  /** Of the workers that say so. */
  clients = 0;
  threads = 0;
  private transactions = 0;
  private events = 0;
  private emptyPolls = 0;
  private offered = 0;
  private dropped = 0;
  private readonly retries: Counts = {};
  private readonly failures: Counts = {};
  private histogram: Histogram | undefined;
  /** Transactions of lines that bring no histogram. */
  private undistributed = 0;

  /** Why the line cannot be what it says; undefined once it is counted. */
  add(line: SummaryLine): string | undefined {
    const { transactions, responseHistogram } = line;
    if (responseHistogram === undefined) this.undistributed += transactions;
    else {
      try {
        addEncodedHistogram((this.histogram ??= createHistogram()), responseHistogram, transactions);
      } catch (error) {
        return `responseHistogram: ${messageOf(error)}`;
      }
    }
    this.transactions += transactions;
    this.events += line.events;
    this.emptyPolls += line.emptyPolls;
    this.offered += line.offered ?? 0;
    this.dropped += line.dropped ?? 0;
    addCounts(this.retries, line.retries);
    addCounts(this.failures, line.failures);
    this.track.add(line.second, {
      finished: transactions + line.emptyPolls,
      failed: sumOfCounts(line.retries) + sumOfCounts(line.failures),
      longestMs: line.maxResponseMs,
    });
    return undefined;
  }

  totals(secondsCounted: number | null): OperationTotals {
    const { transactions, events, offered, dropped, clients, threads } = this;
    const perSecond = (count: number): number | null =>
      secondsCounted !== null && secondsCounted > 0 ? count / secondsCounted : null;
    return {
      transactions,
      events,
      transactionsPerSecond: perSecond(transactions),
      eventsPerSecond: perSecond(events),
      responseTimeMs: this.undistributed > 0 ? null : summaryMs(this.histogram),
      retries: sumOfCounts(this.retries),
      retriesBySqlstate: { ...this.retries },
      failures: { ...this.failures },
      emptyPolls: this.emptyPolls,
      ...(offered + dropped > 0 && { offered, dropped }),
      ...(threads > 0 && { clients, threads }),
    };
  }
}
