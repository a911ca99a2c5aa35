// A histogram that takes counts by bin, a million samples in one addition, and writes the text format itself. The library's
// histogram takes single values only.

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  readonly bins: number[];
  sum: number;
}

export class BinnedHistogram {
  private readonly series = new Map<string, Series>();

  /** `bounds` are ascending, inclusive, in the unit at the end of the name. */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
  ) {}

  /** `bins` has one entry for each bound and one for samples above all bounds; `sum` is the sum of the samples. */
  addBins(labels: Labels, bins: readonly number[], sum: number): void {
    const key = JSON.stringify(labels);
    const series = this.series.get(key) ?? { labels, bins: [...this.bounds.map(() => 0), 0], sum: 0 };
    this.series.set(key, series);
    bins.forEach((count, i) => (series.bins[i] = (series.bins[i] ?? 0) + count));
    series.sum += sum;
  }

  /** The histogram in Prometheus' text format. */
  text(): string {
    const lines = [...this.series.values()].flatMap((series) => this.linesOf(series));
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} histogram`, ...lines, ""].join("\n");
  }

  /** Lines of a series. A bucket counts all samples up to its bound, including the samples of the buckets before it. */
  private linesOf({ labels, bins, sum }: Series): string[] {
    let upTo = 0;
    const buckets = bins.map((count, i) => {
      upTo += count;
      return `${this.name}_bucket${labelText({ ...labels, le: String(this.bounds[i] ?? "+Inf") })} ${upTo}`;
    });
    return [
      ...buckets,
      `${this.name}_sum${labelText(labels)} ${sum}`,
      `${this.name}_count${labelText(labels)} ${upTo}`,
    ];
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escapedValue = value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n");
    return `${name}="${escapedValue}"`;
  });
  return `{${pairs.join(",")}}`;
}
