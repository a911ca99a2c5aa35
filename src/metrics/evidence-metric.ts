// The type of a metric of evidence, and functions that make the entries of `evidence-catalogue.ts` and of workloads.

export type EvidenceUnit =
  | ""
  | "%"
  | "ms"
  | "bytes"
  | "records"
  | "pages"
  | "blocks"
  | "rows"
  | "events"
  | "sessions"
  | "clients"
  | "connections"
  | "transactions";

/** A sentence that is shown with a difference if this figure changed with it. */
export interface EvidenceReason {
  /** Subject of the reason. If several reasons have one topic, the report shows the reason that moved most. */
  readonly topic: string;
  /** The least change that deserves a sentence, in the unit of the metric. */
  readonly least: number;
  /** The sentence, in which `{who}` is the treatment, `{now}` its value, `{then}` the baseline's. */
  readonly words: string;
  /** What the metric is divided by to give the figure. */
  readonly per?: "event" | "transaction" | "minute" | "fsync";
  /**
   * The differences that the reason can explain; default: all. `lifecycle` is the spans, `queue` also operations on queued
   * events.
   */
  readonly explains?: "lifecycle" | "queue";
  /** First version of PostgreSQL whose view gives the figure; figures of older versions count something else. */
  readonly viewSince?: number;
}

export type Numbers = Readonly<Record<string, number | undefined>>;

export interface EvidenceFigure {
  readonly field: string;
  /**
   * How readings give the figure. A spread is mean and maximum of the samples; a given figure is computed by the source
   * that reads the metric.
   */
  readonly take?: "total" | "spread" | "max" | "last" | "growth" | "given";
  /** Computes the figure from other figures; `undefined` if any of them is missing. */
  readonly compute?: (of: Numbers) => number | undefined;
  /** Names of the metrics whose sum is the figure. Default: the metric itself. */
  readonly of?: readonly string[];
  readonly isStored?: false;
  /** Present if the figure is stored in seconds and sampled in milliseconds. */
  readonly isSeconds?: true;
  readonly isWhole?: true;
  readonly isThreshold?: true;
  /** Title of the figure's bars in the report. */
  readonly chart?: string;
  readonly reason?: EvidenceReason;
  readonly help?: string;
}

/** Presentation of the last samples of a metric on the live board, the status line and the page. */
export interface LiveFigure {
  /** The word before the value on the board, such as `backlog`. */
  readonly word?: string;
  /** Present if the board draws the last values as a trend behind the number. */
  readonly hasTrend?: true;
  /** Present if the status line shows the metric, too. */
  readonly isInStatus?: true;
  /** Title of the page's panel that draws the metric, and the name of its line there. */
  readonly line?: readonly [panel: string, name: string];
}

interface EvidenceMetricOptions {
  /** Source of the readings. Default: the server's statistics, which restart at 0 after a crash or a reset. */
  readonly source?: "log" | "client" | "statements" | "pooler" | "host";
  readonly better?: "higher";
  /** Present if the counter may fall a little, because it is a difference or a sum over processes that come and go. */
  readonly mayFall?: true;
  readonly isSampled?: false;
  readonly live?: LiveFigure;
  /** Key of the metric in the `backlog` of a fault's record, if the metric counts waiting things. */
  readonly backlog?: string;
  /** Name of the metric's layer in the chart of the queue by state. */
  readonly layer?: string;
  /** Title of the metric's line in the chart of its family. */
  readonly line?: string;
  /** Figure of the window in a trial's `database`; for a pooler's metric, in `database.pooler`. */
  readonly window?: EvidenceFigure;
  /** Figure in a trial's `database`: the change from one end of the window to the other. */
  readonly growth?: EvidenceFigure;
  /** Figure in `database.perEvent`: the growth in the window divided by its events. */
  readonly perEvent?: EvidenceFigure;
}

export interface EvidenceMetric extends EvidenceMetricOptions {
  /** Name in samples, charts and Prometheus. A name that ends in `*` is a family: `wait.*` holds `wait.Lock:tuple`. */
  readonly name: string;
  /** Kind of the reading. A counter is sampled as its increase per second since the previous sample. */
  readonly kind: "counter" | "gauge" | "ratio";
  readonly unit: EvidenceUnit;
  readonly meaning: string;
}

/** One sample: values by the name of their metric. A metric that could not be read is left out, never 0. */
export type EvidenceValues = Readonly<Record<string, number>>;

const metric =
  (kind: EvidenceMetric["kind"]) =>
  <const Of extends EvidenceMetricOptions>(
    name: string,
    unit: EvidenceUnit,
    meaning: string,
    options?: Of,
  ): Omit<EvidenceMetric, keyof EvidenceMetricOptions> & Of =>
    ({ name, kind, unit, meaning, ...options }) as Omit<EvidenceMetric, keyof EvidenceMetricOptions> & Of;
export const [counter, gauge, ratio] = [metric("counter"), metric("gauge"), metric("ratio")];

type FigureOverrides = Partial<EvidenceFigure>;
const figure =
  <const Take extends EvidenceFigure["take"]>(take: Take) =>
  <const Field extends string>(field: Field, more: FigureOverrides = {}) => ({ ...more, field, take });
export const [total, spread, most] = [figure("total"), figure("spread"), figure("max")];
export const [last, growth, given] = [figure("last"), figure("growth"), figure("given")];

/** A figure per event: thresholds can ask for it, and the report shows it as bars titled `chart`. */
export function cost<const Field extends string>(field: Field, chart: string, more: FigureOverrides = {}) {
  return { ...more, field, chart, isThreshold: true } as const;
}

/** Reason of a figure; `least` is in the unit of the metric. */
export function evidenceReason(
  topic: string,
  least: number,
  words: string,
  more: Pick<EvidenceReason, "per" | "explains" | "viewSince"> = {},
): EvidenceReason {
  return { topic, least, words, ...more };
}
