// Every number of the result; the terminal's notes stand beneath the tables.
import { counted } from "../../../foundation/units.js";
import type { LatencySummary } from "../../../metrics/histograms.js";
import { AMOUNT_METRICS, columnTitle, LATENCIES, valueOf } from "../../../metrics/metric-lists.js";
import { invalidTrials, objectionTo } from "../../../analysis/diagnosis/validity.js";
import { METRIC_ASPECTS } from "../../../metrics/catalogue.js";
import { planRows } from "../../../analysis/why/plans.js";
import { LIFE_STAGES } from "../../../workloads/registry.js";
import { Integrity } from "../../../results/integrity-schema.js";
import type {
  LatencyPart,
  ResultDocument,
  TreatmentResult,
  TrialResult,
  EndpointResult,
  RegionResult,
} from "../../../results/result-schema.js";
import { operationsIn, figuresOf, type TreatmentFigures } from "../../findings/figures.js";
import { PLANS_TITLE, renderNotes } from "../../findings/notes.js";
import {
  STATEMENT_COST_COLUMNS,
  STATEMENT_COSTS_TITLE,
  statementCostRows,
} from "../../findings/statement-costs.js";
import { renderTrustNotes } from "../../findings/trust-notes.js";
import type { ResultVocabulary } from "../../../workloads/vocabulary.js";
import { html, type HtmlValue, type Html } from "../html.js";
import {
  figure,
  foldOf,
  storedValueText,
  operationText,
  sectionOf,
  sentence,
  tableOf,
  text,
} from "./table.js";

const LATENCY_FIELDS = ["mean", "p50", "p90", "p95", "p99", "p999", "max"] as const;
const LATENCY_COLUMNS = ["mean", "p50", "p90", "p95", "p99", "p99.9", "max"] as const;

type NamedLatency = readonly [measure: string, latency: LatencySummary | null | undefined];

function latencyRows(name: string, measures: readonly NamedLatency[]): HtmlValue[][] {
  return measures.flatMap(([measure, latency]) =>
    latency ? [[name, measure, ...LATENCY_FIELDS.map((field) => figure(latency[field]))]] : [],
  );
}

function latencyTable(figures: TreatmentFigures, about: string): Html {
  const operations = operationsIn(figures).flatMap(([operation, result]) =>
    latencyRows(
      operation,
      LATENCIES.map(({ label, field }) => [label, result[field]]),
    ),
  );
  const spans = latencyRows(
    "event",
    LIFE_STAGES.map(({ stage }) => [operationText(`lifecycle.${stage}`), figures.lifecycle[`${stage}Ms`]]),
  );
  const columns = [text("operation"), text("ms"), ...LATENCY_COLUMNS];
  return tableOf(`Latencies in ms, ${about}`, columns, [...operations, ...spans]);
}

function countTable(figures: TreatmentFigures, about: string): Html {
  const rows = operationsIn(figures).map(([operation, result]) => [
    operation,
    ...AMOUNT_METRICS.map((metric) => figure(valueOf(metric, result))),
    figure(result.clients),
    figure(result.threads),
  ]);
  const columns = [text("operation"), ...AMOUNT_METRICS.map(columnTitle), "clients", "threads"];
  return tableOf(`Counts in ${figure(figures.windowSeconds)} s, ${about}`, columns, rows);
}

function partTable(figures: TreatmentFigures, about: string): Html {
  const rows = operationsIn(figures).flatMap(([operation, { parts = [] }]) =>
    parts.map(({ name, meanMs, calls, slowMeanMs }: LatencyPart) => [
      operation,
      name,
      ...[meanMs, calls, slowMeanMs].map(figure),
    ]),
  );
  return tableOf(
    `Latency breakdown, ${about}`,
    [
      text("operation"),
      text("part"),
      "mean ms",
      "calls per transaction",
      "mean ms of the slowest transactions",
    ],
    rows,
  );
}

/** One column for each trial, one row for each field that any trial has. */
function trialTable({ id, trials }: TreatmentResult): Html {
  const columns = trials.map((trial) => new Map(flattenedValues(trial)));
  const names = new Set(columns.flatMap((column) => [...column.keys()]));
  const rows = [...names].map((name) => [name, ...columns.map((column) => column.get(name) ?? "-")]);
  return tableOf(
    `${id}: all that is stored of each trial`,
    [text("field"), ...trials.map(({ number }) => text(`trial ${number}`))],
    rows,
  );
}

function renderTreatment(treatment: TreatmentResult, vocabulary: ResultVocabulary): Html {
  const { id, levels, trials, merged } = treatment;
  const figures = figuresOf(treatment);
  const levelTexts = Object.entries(levels).map(([factor, level]) => `${factor}=${level}`);
  const objection = objectionTo(METRIC_ASPECTS, invalidTrials(trials));
  const mergedTrialsText = `${counted(merged?.trials ?? 0, "complete trial")} of ${id} merged`;
  const about = merged
    ? `${mergedTrialsText}${objection === undefined ? "" : `; ${objection}`}`
    : `the last trial of ${id} that measured anything, which is not complete`;
  const notes = [...renderNotes(treatment, vocabulary), ...renderTrustNotes(treatment)].map(
    ({ text: words, tone }) => html`<li data-tone="${tone}">${words}</li>`,
  );
  return foldOf(
    id,
    html`${levelTexts.length > 0 && html`<p class="muted">${levelTexts.join(", ")}</p>`}
      ${
        figures
          ? html`${latencyTable(figures, about)}${countTable(figures, about)}${partTable(figures, about)}${endpointTables(figures, about)}`
          : html`<p>Nothing was measured.</p>`
      }
      <ul class="notes">
        ${notes}
      </ul>
      ${
        trials.length > 0 &&
        html`<details>
          <summary>Every number of the trials of ${id}</summary>
          ${trialTable(treatment)}
        </details>`
      } `,
  );
}

function countOf(integrity: TrialResult["integrity"], field: keyof Integrity): number | undefined {
  const value = integrity?.[field];
  return typeof value === "number" ? value : undefined;
}

/** Words of a field's name: `inDoubtFound` becomes `in doubt found`. */
function wordsOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function auditTable({ treatments }: ResultDocument): Html {
  const trials = treatments
    .flatMap((treatment) => treatment.trials.map((trial) => ({ id: treatment.id, ...trial })))
    .sort((a, b) => a.number - b.number);
  const counts = Integrity.keyof().options.filter((field) =>
    trials.some(({ integrity }) => countOf(integrity, field) !== undefined),
  );
  const rows = trials.map(({ id, number, integrity }): HtmlValue[] => [
    number,
    id,
    integrity?.verdict ?? "not checked",
    ...counts.map((field) => figure(countOf(integrity, field))),
    integrity && (integrity.drained ? "yes" : "no"),
    integrity?.violations.join("; "),
  ]);
  return tableOf(
    "Integrity: what the database acknowledged, and what the audit found in its tables",
    [
      "trial",
      text("treatment"),
      text("verdict"),
      ...counts.map(wordsOf),
      text("drained"),
      sentence("violations"),
    ],
    rows,
  );
}

/** Table of acknowledged work that was lost; false if nothing was lost. */
function lossTable({ treatments }: ResultDocument): Html | false {
  const rows = treatments
    .flatMap(({ id, trials }) => trials.map(({ number, integrity }) => ({ id, number, integrity })))
    .sort((a, b) => a.number - b.number)
    .flatMap(({ id, number, integrity }) =>
      (integrity?.losses ?? []).map(({ operation, lost, unexplained, firstAtSeconds, lastAtSeconds }) => [
        number,
        id,
        operation,
        ...[lost, unexplained, firstAtSeconds, lastAtSeconds].map(figure),
      ]),
    );
  const columns = [
    "trial",
    text("treatment"),
    text("operation"),
    "lost",
    "unexplained",
    "first acknowledged, s",
    "last, s",
  ];
  return (
    rows.length > 0 &&
    tableOf("Acknowledged and lost; moments from the start of the window, where known", columns, rows)
  );
}

function auditFindingTable({ treatments }: ResultDocument): Html | false {
  const rows = treatments
    .flatMap(({ id, trials }) => trials.map((trial) => ({ treatment: id, ...trial })))
    .sort((a, b) => a.number - b.number)
    .flatMap(({ treatment, number, integrity }) =>
      (integrity?.named ?? []).map(({ kind, id, words }): HtmlValue[] => [
        number,
        treatment,
        kind,
        id,
        words,
      ]),
    );
  const columns = ["trial", text("treatment"), text("kind"), text("id"), sentence("what is wrong with it")];
  return rows.length > 0 && tableOf("Findings of the audit, by id", columns, rows);
}

/** Anchor of the plans in the page. Following a link to it unfolds them. */
export const PLANS_ID = "plans";

function planTable(result: ResultDocument): Html | false {
  const rows = planRows(result).map(({ statement, plan, where, hash }) => [statement, plan, where, hash]);
  const columns = [text("statement"), sentence("plan"), sentence("where"), text("hash")];
  return (
    rows.length > 0 &&
    foldOf("Plans", html`<div id="${PLANS_ID}">${tableOf(PLANS_TITLE, columns, rows)}</div> `)
  );
}

function statementTable(result: ResultDocument): Html | false {
  const rows = statementCostRows(result);
  const columns = STATEMENT_COST_COLUMNS.map(({ title, align }) => ({ title, isText: align === "left" }));
  return rows.length > 0 && foldOf("Statements", tableOf(STATEMENT_COSTS_TITLE, columns, rows));
}

export function renderNumbers(result: ResultDocument): Html {
  const { workload: vocabulary } = result;
  return sectionOf(
    "numbers",
    "Every number",
    result.treatments.map((treatment) => renderTreatment(treatment, vocabulary)),
    foldOf("Integrity", auditTable(result), lossTable(result), auditFindingTable(result)),
    statementTable(result),
    planTable(result),
  );
}

function measurementRows(names: readonly string[], part: Pick<EndpointResult, "operations">): HtmlValue[][] {
  return Object.entries(part.operations).map(([operation, result]) => {
    const { transactions, events, retries, failures, responseTimeMs } = result;
    const latency = LATENCY_FIELDS.map((field) => figure(responseTimeMs?.[field]));
    return [...names, operation, ...[transactions, events, retries, failures].map(figure), ...latency];
  });
}

const MEASUREMENT_COLUMNS = [
  text("operation"),
  "transactions",
  "events",
  "retries",
  "failures",
  "mean ms",
  "p50 ms",
  "p90 ms",
  "p95 ms",
  "p99 ms",
  "p99.9 ms",
  "max ms",
];

function connectionCells({ clients, connections, connects, refused, lost }: EndpointResult): string[] {
  return [clients, connections, connects, refused, lost].map(figure);
}

function regionTable(regions: readonly RegionResult[], about: string): Html {
  const rows = regions.flatMap((region) => measurementRows([region.region ?? "none named"], region));
  return tableOf(`By region, response times in ms, ${about}`, [text("region"), ...MEASUREMENT_COLUMNS], rows);
}

export function endpointTables({ endpoints = [], regions = [] }: TreatmentFigures, about: string): Html {
  const endpointRows = endpoints.flatMap((endpoint) =>
    measurementRows([endpoint.endpoint, endpoint.region ?? "-"], endpoint),
  );
  const contacts = endpoints.map((endpoint): HtmlValue[] => [
    endpoint.endpoint,
    endpoint.region ?? "-",
    figure(endpoint.weight),
    ...connectionCells(endpoint),
  ]);
  const names = [text("endpoint"), text("region")];
  const counts = ["weight", "clients", "connections", "opened", "refused", "lost"];
  return html`${regionTable(regions, about)}${tableOf(
    `By endpoint, response times in ms, ${about}`,
    [...names, ...MEASUREMENT_COLUMNS],
    endpointRows,
  )}${tableOf(`Connections of each endpoint over the whole of each trial, ${about}`, [...names, ...counts], contacts)}`;
}

/** Fields whose value names an entry of a list. An entry without any of them is named by its number. */
const ENTRY_NAME_FIELDS = [
  "endpoint",
  "region",
  "name",
  "event",
  "check",
  "source",
  "statement",
  "query",
] as const;

function keyOf(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  return ENTRY_NAME_FIELDS.map((key) => (entry as Readonly<Record<string, unknown>>)[key]).find(
    (value) => typeof value === "string",
  );
}

function joinedPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/**
 * Leaves of a value by path, such as `operations.add.responseTimeMs.p99` or `database.waits[LWLock:WALWrite].share`. A
 * repeated name gets a number: `database.skipped[queue depth 2].reason`. A list of plain values is one leaf; empty lists
 * and objects are left out.
 */
export function flattenedValues(value: unknown, path = ""): [name: string, value: string][] {
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    const isPlain = entries.every((entry) => typeof entry !== "object" || entry === null);
    if (isPlain)
      return entries.length > 0
        ? [[path, entries.map((entry) => storedValueText(path, entry)).join("; ")]]
        : [];
    const keys = entries.map(keyOf);
    const nameOf = (i: number): string => {
      const key = keys[i];
      if (key === undefined) return String(i + 1);
      const before = keys.slice(0, i).filter((each) => each === key).length;
      return before === 0 ? key : `${key} ${before + 1}`;
    };
    return entries.flatMap((entry, i) => flattenedValues(entry, `${path}[${nameOf(i)}]`));
  }
  if (typeof value !== "object" || value === null) return [[path, storedValueText(path, value)]];
  return Object.entries(value).flatMap(([name, field]) => flattenedValues(field, joinedPath(path, name)));
}
