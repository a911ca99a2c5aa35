import { counted } from "../../foundation/units.js";
import type { ResultVocabulary } from "../../workloads/vocabulary.js";
import { operationsIn, figuresOf, type TreatmentFigures } from "./figures.js";
import type { AuditWords } from "../../workloads/workload.js";
import { failuresOf, meanWithFailures, serviceMeanWith } from "../../metrics/figures.js";
import { NOTED_METRICS, valueOf } from "../../metrics/metric-lists.js";
import type {
  Integrity,
  OperationResult,
  TreatmentResult,
  TrialResult,
} from "../../results/result-schema.js";
import { rareCountText } from "../../analysis/statistics/rare-counts.js";
import { printable } from "../../foundation/text/text-table.js";
import { lossDetails, lossText } from "../../results/losses.js";
import { sqlstateCountsText } from "../../results/operation-rows.js";

export const PLANS_TITLE = "Plans of statements at the end of the window, made without their values";

export interface Note {
  readonly text: string;
  readonly tone: "plain" | "good" | "bad";
}

function textPerOperation(
  figures: TreatmentFigures,
  describe: (result: OperationResult) => string | undefined,
): string {
  return operationsIn(figures)
    .flatMap(([operation, result]) => {
      const text = describe(result);
      return text ? [`${operation} ${text}`] : [];
    })
    .join("; ");
}

function countNotes(figures: TreatmentFigures): Note[] {
  const countsTextOf = (counts: Readonly<Record<string, number>>): string | undefined =>
    Object.keys(counts).length > 0 ? sqlstateCountsText(counts) : undefined;
  const failures = textPerOperation(figures, ({ failures: counts, transactions }) => {
    const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
    const share = rareCountText({ count, all: transactions + count, unit: "transaction" });
    return count === 0 ? undefined : `${sqlstateCountsText(counts)}: ${share}`;
  });
  const retries = textPerOperation(figures, (result) => countsTextOf(result.retriesBySqlstate));
  const notedMetricNotes = NOTED_METRICS.flatMap((metric): Note[] => {
    const values = textPerOperation(figures, (result) => {
      const value = valueOf(metric, result);
      return value ? (metric.unit === "ms" ? `${value.toFixed(2)} ms` : String(value)) : undefined;
    });
    return values ? [{ text: `${metric.label}: ${values}`, tone: "plain" }] : [];
  });
  return [
    { text: `failures: ${failures || "none"}`, tone: failures ? "bad" : "plain" },
    { text: `retries: ${retries || "none"}`, tone: "plain" },
    ...notedMetricNotes,
    ...inclusiveMeanNotes(figures),
    ...arrivalNotes(figures),
  ];
}

/** Counts and mean service times with the calls that the table of operations leaves out: empty polls, failed transactions. */
function inclusiveMeanNotes(figures: TreatmentFigures): Note[] {
  const inclusiveText = (count: number, all: number, mean: number | undefined): string | undefined =>
    count > 0 && mean !== undefined
      ? `tot_ops ${all + count}, mean service time ${mean.toFixed(2)} ms`
      : undefined;
  const polls = textPerOperation(figures, (result) => {
    const { emptyPolls, emptyPollTotalMs, transactions } = result;
    return inclusiveText(emptyPolls, transactions, serviceMeanWith(result, emptyPolls, emptyPollTotalMs));
  });
  const failed = textPerOperation(figures, (result) =>
    inclusiveText(failuresOf(result), result.transactions, meanWithFailures(result)),
  );
  return [
    ["with empty polls", polls],
    ["with failed transactions", failed],
  ].flatMap(([name = "", text = ""]): Note[] => (text ? [{ text: `${name}: ${text}`, tone: "plain" }] : []));
}

/**
 * Notes on the arrivals of an open loop: offered, dropped, unfinished, and their start delay, which response times include.
 */
function arrivalNotes(figures: TreatmentFigures): Note[] {
  return operationsIn(figures).flatMap(([operation, result]): Note[] => {
    const { offered, dropped = 0, unfinished = 0, startDelayMs: delay, serviceTimeMs: service } = result;
    if (offered === undefined) return [];
    const delayText = delay
      ? `; start delay ${delay.p50.toFixed(2)} ms (p50), ${delay.p99.toFixed(2)} ms (p99)`
      : "";
    const serviceText = service
      ? `; service time ${service.p50.toFixed(2)} ms (p50), ${service.p99.toFixed(2)} ms (p99)`
      : "";
    const text = `open loop: ${operation} ${offered} offered, ${dropped} dropped, ${unfinished} unfinished${delayText}${serviceText}`;
    return [{ text, tone: dropped > 0 ? "bad" : "plain" }];
  });
}

/** Largest number of a trial's events that are named in notes; `result.json` and the report have more. */
const NAMED_EVENTS_MAX = 10;

function namedEventNotes(named: NonNullable<Integrity["named"]>): Note[] {
  const figures = named.slice(0, NAMED_EVENTS_MAX).map(({ kind, id, words }): Note => {
    return { text: `  ${kind} ${printable(id)}: ${printable(words)}`, tone: "bad" };
  });
  const more = named.length - figures.length;
  return more > 0 ? [...figures, { text: `  and ${more} more in the report`, tone: "bad" }] : figures;
}

const NOT_AUDITED_SENTENCES_MAX = 3;

/** States of published events that an audit counts. A workload may distinguish fewer. */
const EVENT_STATES = ["pending", "processing", "complete", "failed", "archived"] as const;

/** Sentences on what the audits of these trials could not check, each once. */
export function notAuditedSentences(trials: readonly Pick<TrialResult, "integrity">[]): string[] {
  const all = [...new Set(trials.flatMap(({ integrity }) => integrity?.notAudited ?? []))];
  const more = all.length - NOT_AUDITED_SENTENCES_MAX;
  return more > 0 ? [...all.slice(0, NOT_AUDITED_SENTENCES_MAX), `and ${more} more`] : all;
}

const REMARKS_MAX = 6;

/** Remarks of the audits, each once with its trials if not all trials have it. */
function remarkTexts(
  audited: readonly (Pick<Integrity, "remarks"> & { readonly number: number })[],
): string[] {
  const trialsByRemark = new Map<string, number[]>();
  for (const { number, remarks = [] } of audited)
    for (const remark of remarks) trialsByRemark.set(remark, [...(trialsByRemark.get(remark) ?? []), number]);
  const texts = [...trialsByRemark].map(([remark, numbers]) =>
    numbers.length === audited.length ? remark : `trial ${numbers.join(", ")}: ${remark}`,
  );
  const more = texts.length - REMARKS_MAX;
  return more > 0 ? [...texts.slice(0, REMARKS_MAX), `and ${more} more remarks in result.json`] : texts;
}

function integrityNotes(trials: readonly TrialResult[], { acknowledged }: AuditWords): Note[] {
  const auditedTrials = trials.flatMap(({ number, integrity }) =>
    integrity ? [{ number, ...integrity }] : [],
  );
  if (auditedTrials.length === 0 && trials.length > 0)
    return [{ text: "integrity: not checked", tone: "bad" }];
  const ok = auditedTrials.filter(({ verdict }) => verdict === "ok").length;
  const sum = (field: "published" | "inDoubt" | (typeof EVENT_STATES)[number]) =>
    auditedTrials.reduce((total, trial) => total + (trial[field] ?? 0), 0);
  const states = EVENT_STATES.filter((state) => auditedTrials.some((trial) => trial[state] !== undefined));
  const stateText =
    states.length > 0 ? `; found ${states.map((state) => `${sum(state)} ${state}`).join(", ")}` : "";
  const inDoubt = sum("inDoubt");
  const inDoubtFoundCount = auditedTrials.reduce((total, { inDoubtFound = 0 }) => total + inDoubtFound, 0);
  const lost = lossText(auditedTrials);
  const text =
    `integrity: ok in ${ok} of ${trials.length} ${trials.length === 1 ? "trial" : "trials"}: ` +
    `${sum("published")} ${acknowledged}${stateText}` +
    (inDoubt > 0 ? `; ${inDoubt} in doubt, ${inDoubtFoundCount} of them found` : "") +
    (lost === undefined ? "" : `; ${lost}`);
  const losingTrials = auditedTrials.filter(({ losses = [] }) => losses.length > 0);
  const violatedTrials = auditedTrials.filter(({ verdict }) => verdict === "violated");
  const notAuditedTexts = notAuditedSentences(trials);
  const undrainedTrials = auditedTrials.filter(({ drained, pending }) => !drained && pending !== undefined);
  return [
    { text, tone: ok < trials.length ? "bad" : notAuditedTexts.length > 0 ? "plain" : "good" },
    ...notAuditedTexts.map((words): Note => ({ text: `not audited: ${words}`, tone: "bad" })),
    ...remarkTexts(auditedTrials).map((text): Note => ({ text, tone: "plain" })),
    ...violatedTrials.flatMap(({ number, violations, named = [] }): Note[] => [
      { text: `INTEGRITY VIOLATED in trial ${number}: ${violations.join("; ")}`, tone: "bad" },
      ...namedEventNotes(named),
    ]),
    ...losingTrials.map((trial): Note => ({
      text: `lost in trial ${trial.number}: ${lossDetails(trial)}`,
      tone: "plain",
    })),
    ...undrainedTrials.map(({ number, pending, processing }): Note => {
      const text = `not drained in trial ${number}: ${pending} pending and ${processing} processing were left`;
      return { text, tone: "plain" };
    }),
  ];
}

/** Notes on a treatment for all that the columns of the result table do not show. */
export function renderNotes(treatment: TreatmentResult, { audited }: ResultVocabulary): Note[] {
  const figures = figuresOf(treatment);
  const { trials } = treatment;
  const unfinished = trials.flatMap(({ number, status, reason = "no reason given" }): Note[] => {
    if (status === "complete") return [];
    const text = `trial ${number} ${status === "failed" ? "failed" : "is partial"}: ${printable(reason)}`;
    return [{ text, tone: "bad" }];
  });
  const clampedCount = trials.reduce((sum, trial) => sum + (trial.clampedSamples ?? 0), 0);
  const outOfRangeText = `${counted(clampedCount, "sample was", "samples were")} below 0 or above 7 days, recorded at that bound`;
  return [
    ...(figures ? countNotes(figures) : []),
    ...(trials.length > 0
      ? integrityNotes(trials, audited)
      : [{ text: "no trial was run", tone: "bad" } as const]),
    ...(clampedCount > 0 ? [{ text: outOfRangeText, tone: "plain" } as const] : []),
    ...unfinished,
  ];
}
