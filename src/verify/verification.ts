/** Parts of a result that are recomputed, each with its source. */
export const FIGURE_KINDS = {
  latencies: { what: "latencies of trials", from: "histograms.hlog" },
  counts: { what: "counts of trials", from: "timeseries.csv" },
  log: { what: "window, counts, response times", from: "log.ndjson" },
  events: { what: "published, in doubt, archived", from: "ledger-*.bin, work-*.bin" },
  rates: { what: "rates and clients of trials", from: "counts, window, scenario" },
  copies: { what: "entries of trials", from: "trial.json" },
  endpoints: { what: "endpoints and regions", from: "their stored histograms" },
  judgement: {
    what: "steady state, stall, findings of trials",
    from: "histograms, counts, evidence",
  },
  merged: { what: "merged trials of treatments", from: "merged histograms, counts" },
  plan: { what: "scenario, treatments, faults", from: "scenario, trials" },
  statistics: { what: "medians, comparisons, effects, sweeps", from: "trials, seed" },
  capacity: { what: "capacity and its probes", from: "trials of the probes" },
  thresholds: { what: "thresholds", from: "merged histograms, counts" },
  published: { what: "published figures with ours", from: "histograms, counts, scenario" },
  verdict: { what: "verdict and diagnosis", from: "trials, scenario" },
  pages: { what: "summary.txt, report.html", from: "result.json, histograms" },
} as const satisfies Record<string, { what: string; from: string }>;
export type FigureKind = keyof typeof FIGURE_KINDS;

/** A figure that differs between the result and the files. `stored` or `recomputed` is undefined if that side lacks it. */
export interface Difference {
  readonly kind: FigureKind;
  /** Path in `result.json`, such as `treatments[text].trials[3].operations.add.responseTimeMs.p99`, or a file. */
  readonly path: string;
  readonly stored?: unknown;
  readonly recomputed?: unknown;
}

/**
 * A figure that was not recomputed. `isMissing` is true if a file that every run leaves is missing: the result cannot be
 * believed without it.
 */
export interface NotRecomputed {
  readonly what: string;
  readonly reason: string;
  readonly isMissing: boolean;
}

export interface Verification {
  readonly directory: string;
  readonly programVersion: string;
  /** Version of the program that made the result; null if the result does not state it. */
  readonly resultVersion: string | null;
  readonly figures: readonly {
    readonly kind: FigureKind;
    readonly recomputed: number;
    readonly differing: number;
  }[];
  readonly differences: readonly Difference[];
  readonly notRecomputed: readonly NotRecomputed[];
}

/** True if all figures that can be recomputed agree with the result, and no file that every run leaves is missing. */
export function isVerified({ differences, notRecomputed }: Verification): boolean {
  return differences.length === 0 && notRecomputed.every(({ isMissing }) => !isMissing);
}
