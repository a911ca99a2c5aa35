// The catalogue of evidence with the workloads' own metrics, in one list for each consumer. Pure: pages use it.
import { EVIDENCE as GENERAL } from "../metrics/evidence-catalogue.js";
import type { EvidenceFigure, EvidenceMetric } from "../metrics/evidence-metric.js";
import { EVIDENCE as TRAIN_EVENTS } from "./train-events/evidence.js";

type Entry = (typeof GENERAL)[number] | (typeof TRAIN_EVENTS)[number];
const ALL_METRICS: readonly EvidenceMetric[] = [...TRAIN_EVENTS, ...GENERAL];
const BY_NAME: ReadonlyMap<string, EvidenceMetric> = new Map(
  ALL_METRICS.map((metric) => [metric.name, metric]),
);

/** Metrics that are sampled during a trial. */
export const SAMPLED_METRICS = ALL_METRICS.filter(({ isSampled }) => isSampled !== false);

/** Sampled metrics that live views show, each with its display. */
export const LIVE_METRICS = SAMPLED_METRICS.flatMap(({ live, ...metric }) =>
  live ? [{ ...metric, live }] : [],
);

type BacklogNameOf<E> = E extends { readonly backlog: infer Name extends string } ? Name : never;
/** Names of the backlogs in a fault's record. */
export type BacklogName = BacklogNameOf<Entry>;
/** Sampled metrics that count waiting things, each with the name of its backlog. */
export const BACKLOG_METRICS = SAMPLED_METRICS.flatMap(({ backlog, ...metric }) =>
  backlog === undefined ? [] : [{ ...metric, backlog: backlog as BacklogName }],
);

/** The metric of that name. A member of a family has no metric of its name, but the family's. */
export function evidenceMetricOf(name: string): EvidenceMetric | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replace(/\..*$/s, ".*"));
}

type Place = "window" | "growth" | "perEvent";
export interface Evidence extends EvidenceFigure {
  readonly metric: EvidenceMetric;
  readonly place: Place;
}

function evidenceIn(place: Place, metrics = ALL_METRICS): readonly Evidence[] {
  return metrics.flatMap((metric) => (metric[place] ? [{ ...metric[place], metric, place }] : []));
}

const isPooler = ({ source }: EvidenceMetric): boolean => source === "pooler";
/** Figures of evidence that a result has in a trial's `database`, `pooler` and `perEvent`. */
export const DATABASE_EVIDENCE = [
  ...evidenceIn("window").filter(({ metric }) => !isPooler(metric)),
  ...evidenceIn("growth"),
];
export const POOLER_EVIDENCE = evidenceIn("window", ALL_METRICS.filter(isPooler));
export const PER_EVENT_EVIDENCE = evidenceIn("perEvent");
export const ALL_EVIDENCE = [...DATABASE_EVIDENCE, ...POOLER_EVIDENCE, ...PER_EVENT_EVIDENCE];

type FigureIn<E, At extends Place> = E extends { readonly [P in At]: infer Figure } ? Figure : never;
type PoolerEntry = Extract<Entry, { readonly source: "pooler" }>;
type StoredFigure<E, At extends Place> = Exclude<FigureIn<E, At>, { readonly isStored: false }>;
type SpreadFieldOf<F> =
  Extract<F, { readonly take: "spread" }> extends { readonly field: infer Name extends string }
    ? Name
    : never;
type NumberFieldOf<F> =
  Exclude<F, { readonly take: "spread" }> extends { readonly field: infer Name extends string }
    ? Name
    : never;

type DatabaseFigure = StoredFigure<Exclude<Entry, PoolerEntry>, "window"> | StoredFigure<Entry, "growth">;
type PoolerFigure = StoredFigure<PoolerEntry, "window">;
/**
 * Names of figures of the database that are stored as a mean and a maximum. Types that end with `Number` name figures
 * stored as one number.
 */
export type DatabaseSpread = SpreadFieldOf<DatabaseFigure>;
export type DatabaseNumber = NumberFieldOf<DatabaseFigure>;
export type PoolerSpread = SpreadFieldOf<PoolerFigure>;
export type PoolerNumber = NumberFieldOf<PoolerFigure>;
export type PerEventNumber = NumberFieldOf<StoredFigure<Entry, "perEvent">>;
