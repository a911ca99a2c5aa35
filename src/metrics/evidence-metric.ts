// What a metric of evidence is: the entries of `evidence-catalogue.ts` and those of workloads.

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

/** A sentence beside a difference, if the figure moved with it. */
export interface EvidenceReason {
  /** Of all reasons on one topic only the one that moved most is told. */
  readonly topic: string;
  /** The least difference that is worth a sentence, in the unit of the metric. */
  readonly least: number;
  /** `{who}` is the treatment, `{now}` its value, `{then}` the baseline's. */
  readonly words: string;
  /** What the figure is divided by. */
  readonly per?: "event" | "transaction" | "minute" | "fsync";
  /** What it can explain, if not everything: spans of an event's life, or these and the operations on queued events. */
  readonly explains?: "lifecycle" | "queue";
}

/** Figures by field. */
export type Numbers = Readonly<Record<string, number | undefined>>;

/** A number of a trial's result. */
export interface EvidenceFigure {
  readonly field: string;
  /**
   * How readings become the figure. A spread is mean and maximum of the samples; a given figure is computed by the source that
   * reads the metric.
   */
  readonly take?: "total" | "spread" | "max" | "last" | "growth" | "given";
  /** Computed from other figures; `undefined` if one of them is missing. */
  readonly compute?: (of: Numbers) => number | undefined;
  /** Metrics that are added up for it, if not its own. */
  readonly of?: readonly string[];
  readonly isStored?: false;
  /** Stored in seconds, sampled in milliseconds. */
  readonly isSeconds?: true;
  readonly isWhole?: true;
  readonly isThreshold?: true;
  /** Title of its bars in the report. */
  readonly chart?: string;
  readonly reason?: EvidenceReason;
  readonly help?: string;
}

/** How the live board, status line and page show the last samples of a metric. */
export interface LiveFigure {
  /** The word before its value on the board, as `backlog`. */
  readonly word?: string;
  /** Whether the board draws its last values behind the number. */
  readonly hasTrend?: true;
  /** Whether the status line has it, too. */
  readonly isInStatus?: true;
  /** Title of the page's panel that has its line, and the line's name there. */
  readonly line?: readonly [panel: string, name: string];
}

interface Options {
  /** Where it is read, if not in the server's statistics, which begin anew after a crash or a reset. */
  readonly source?: "log" | "client" | "statements" | "pooler" | "host";
  readonly better?: "higher";
  /** A difference, or a sum over processes that come and go: it dips now and then. */
  readonly dips?: true;
  readonly isSampled?: false;
  readonly live?: LiveFigure;
  /** Name of its layer in the chart of the queue by state. */
  readonly layer?: string;
  /** Title of its line in the chart of its family. */
  readonly line?: string;
  /** In a trial's `database`; of a pooler's metric in `database.pooler`. */
  readonly window?: EvidenceFigure;
  /** From one end of the window to the other, in a trial's `database`. */
  readonly growth?: EvidenceFigure;
  /** In `database.perEvent`: a counter's growth, or a gauge's, divided by the events of the window. */
  readonly perEvent?: EvidenceFigure;
}

export interface EvidenceMetric extends Options {
  /** In samples, charts and Prometheus. A name that ends in `*` is a family, as `wait.Lock:tuple`. */
  readonly name: string;
  /** A counter is sampled as what was added per second since the sample before. */
  readonly kind: "counter" | "gauge" | "ratio";
  readonly unit: EvidenceUnit;
  readonly meaning: string;
}

/** One sample: values by the name of their metric. A metric that could not be read is left out, never 0. */
export type EvidenceValues = Readonly<Record<string, number>>;

const metric =
  (kind: EvidenceMetric["kind"]) =>
  <const Of extends Options>(
    name: string,
    unit: EvidenceUnit,
    meaning: string,
    options?: Of,
  ): Omit<EvidenceMetric, keyof Options> & Of =>
    ({ name, kind, unit, meaning, ...options }) as Omit<EvidenceMetric, keyof Options> & Of;
export const [counter, gauge, ratio] = [metric("counter"), metric("gauge"), metric("ratio")];

type More = Partial<EvidenceFigure>;
const figure =
  <const Take extends EvidenceFigure["take"]>(take: Take) =>
  <const Field extends string>(field: Field, more: More = {}) => ({ ...more, field, take });
export const [total, spread, most] = [figure("total"), figure("spread"), figure("max")];
export const [last, growth, given] = [figure("last"), figure("growth"), figure("given")];

/** A figure per event: thresholds can ask for each, and the report has bars of that title for it. */
export function cost<const Field extends string>(field: Field, chart: string, more: More = {}) {
  return { ...more, field, chart, isThreshold: true } as const;
}

/** `least` is in the unit of the metric. */
export function because(
  topic: string,
  least: number,
  words: string,
  more: Pick<EvidenceReason, "per" | "explains"> = {},
): EvidenceReason {
  return { topic, least, words, ...more };
}
