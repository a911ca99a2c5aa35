// The sentences on an experiment that a reader needs before any table or picture. They come from what is stored; only their
// order is decided here.
import { counted } from "../../foundation/units.js";
import { exploratoryOutlook, fewTrialsOutlook } from "./outlook-text.js";
import type { AuditStatement } from "../../analysis/comparison/run-comparison.js";
import { headlineComparisons } from "../../analysis/comparison/noise-floor.js";
import { invalidTrials, objectionTo } from "../../analysis/diagnosis/validity.js";
import { METRIC_ASPECTS } from "../../metrics/catalogue.js";
import type { FaultRecord, ResultDocument, TrialResult } from "../../results/result-schema.js";
import { believedDifferences, differenceText, loadBoundSentences, reachSentences } from "./claims.js";
import {
  differenceSentences,
  duetSentences,
  flipSentences,
  noiseSentences,
  placeSentences,
  stallSentences,
} from "./caveats.js";
import { capacityText, scalabilityLawText } from "./search-text.js";
import { raceSentences, stoppingSentences } from "./stopping-text.js";
import { isSettled } from "../../analysis/comparison/verdicts.js";
import { loadBounds } from "../../analysis/comparison/load-bound.js";
import { labelOf } from "../../metrics/metric-lists.js";
import { firstOf, shortNumber, trialsText } from "../../foundation/text/numbers.js";
import { publishedSentences } from "./published-text.js";
import { operationsIn, figuresOf, valueCell } from "./figures.js";
import { notAuditedSentences } from "./notes.js";
import {
  allHoldText,
  judgedTreatmentText,
  outcomeOf,
  measuredThresholdText,
  shortfallText,
} from "./threshold-text.js";
import { reasonsOf } from "./headline-reasons.js";
import { operationName } from "../../metrics/names.js";
import { isCycleOperation } from "../../metrics/operations.js";
import { lossText } from "../../results/losses.js";
import { rareCountText } from "../../analysis/statistics/rare-counts.js";
import { unitOf } from "../../workloads/vocabulary.js";

/** Largest numbers of key findings of a kind; the number of the others is stated. */
const DIFFERENCES_MAX = 4;
const INDISTINGUISHABLE_MAX = 6;
/** Largest number of events named from the audits; `result.json` has all. */
const NAMED_MAX = 3;

export interface KeyFinding {
  readonly tone: "bad" | "warn" | "good" | "plain";
  readonly text: string;
  /** Sentences of evidence for the finding. */
  readonly because: readonly string[];
}

type LoadBounds = ReadonlyMap<string, string>;

function finding(tone: KeyFinding["tone"], text: string, because: readonly string[] = []): KeyFinding {
  return { tone, text, because };
}

function trialsOf({ treatments }: ResultDocument): TrialResult[] {
  return treatments.flatMap(({ trials }) => trials).sort((a, b) => a.number - b.number);
}

function numbersOf(trials: readonly TrialResult[]): string {
  return trialsText(trials.map(({ number }) => number));
}

function verdictFindings({ verdict }: ResultDocument): KeyFinding[] {
  const { status, reasons, counts, timings } = verdict;
  const countsText = counts.isValid ? " Counts are valid." : "";
  return [
    ...(status === "aborted" ? [finding("bad", "ABORTED: these results are partial.", reasons)] : []),
    ...(counts.isValid
      ? []
      : [finding("bad", "COUNTS NOT VALID: do not use counts and rates.", counts.reasons)]),
    ...(timings.isValid
      ? []
      : [finding("bad", `TIMINGS NOT VALID: do not use latencies and rates.${countsText}`, timings.reasons)]),
  ];
}

/** Findings on integrity violations, without the violations that the verdict's reasons name already. */
function violationFindings(result: ResultDocument): KeyFinding[] {
  const violatedTrials = trialsOf(result).filter(({ integrity }) => integrity?.verdict === "violated");
  if (violatedTrials.length === 0) return [];
  const words = violatedTrials.flatMap(({ number, integrity }) =>
    (integrity?.violations ?? []).map((each) => ({ each, text: `trial ${number}: ${each}` })),
  );
  const more = words.filter(
    ({ each }) => !result.verdict.counts.reasons.some((reason) => reason.includes(each)),
  );
  const violationExamples = violatedTrials
    .flatMap(({ integrity }) => integrity?.named ?? [])
    .slice(0, NAMED_MAX);
  return [
    finding(
      "bad",
      `Integrity is violated in ${numbersOf(violatedTrials)}: ${result.workload.audited.one}s were lost, duplicated or are unaccounted for.`,
      [
        ...more.map(({ text }) => text),
        ...violationExamples.map(({ kind, id, words }) => `${kind} ${id}: ${words}`),
      ],
    ),
  ];
}

function integrityFindings(result: ResultDocument): KeyFinding[] {
  const all = trialsOf(result);
  if (all.some(({ integrity }) => integrity?.verdict === "violated")) return [];
  const trials = all.filter(({ status }) => status === "complete");
  const auditedTrials = trials.filter(({ integrity }) => integrity?.verdict === "ok");
  if (trials.length === 0 || auditedTrials.length < trials.length) return [];
  const published = auditedTrials.reduce((sum, { integrity }) => sum + (integrity?.published ?? 0), 0);
  const { one } = result.workload.audited;
  const auditedText = `${counted(published, one)} in ${counted(trials.length, "trial")}`;
  const lossSentences = allowedLosses(result);
  const notAuditedTexts = notAuditedSentences(auditedTrials);
  if (notAuditedTexts.length > 0) {
    const text = `Not audited: ${notAuditedTexts.join("; ")}. Otherwise nothing is known to be lost or duplicated: ${auditedText}.`;
    return [...lossSentences.map((words) => finding("plain", words)), finding("warn", text)];
  }
  // Not every workload's audit compares acknowledged work event by event.
  const isWorkChecked = auditedTrials.every(({ integrity }) => integrity?.unexplained !== undefined);
  const what = lossSentences.length > 0 ? `Beyond what a fault may lose, no ${one}` : `No ${one}`;
  const bound =
    lossSentences.length === 0 && published > 0
      ? ` Lost or duplicated: ${rareCountText({ count: 0, all: published, unit: one })}.`
      : "";
  const text = isWorkChecked
    ? `${what} was lost or duplicated, and each shows the work that was acknowledged: ${auditedText}.${bound}`
    : `${what} was lost or duplicated: ${auditedText}.${bound}`;
  return [...lossSentences.map((words) => finding("plain", words)), finding("good", text)];
}

/** Result of the audits of all trials, in one sentence. */
export function auditStatement(result: ResultDocument): AuditStatement {
  const violations = violationFindings(result);
  const words = [...violations, ...integrityFindings(result)].map(({ text }) => text);
  return { isViolated: violations.length > 0, words: words.join(" ") || "Not every trial was audited." };
}

/**
 * Finding on the invariants of a user's SQL that hold in every trial; it names the transactions whose ids an invariant
 * lists.
 */
function invariantFindings(result: ResultDocument): KeyFinding[] {
  const trials = trialsOf(result).filter(({ status }) => status === "complete");
  const [first] = trials;
  const holding = (first?.integrity?.invariants ?? []).filter(({ name }) =>
    trials.every(({ integrity }) => integrity?.invariants?.some((each) => each.name === name && each.holds)),
  );
  if (holding.length === 0) return [];
  const names = holding.map(({ name, acknowledged }) =>
    acknowledged === undefined ? `"${name}"` : `"${name}" (each acknowledged ${acknowledged} is there once)`,
  );
  const verb = holding.length === 1 ? "holds" : "hold";
  return [
    finding(
      "good",
      `${counted(holding.length, "invariant")} ${verb} in ${counted(trials.length, "trial")}: ${names.join("; ")}.`,
    ),
  ];
}

/** Sentences on acknowledged things that each treatment lost, where the scenario allows such a loss. */
function allowedLosses(result: ResultDocument): string[] {
  const { treatments } = result;
  const { one } = result.workload.audited;
  const audits = treatments.map(({ trials }) => trials.map(({ integrity }) => integrity));
  if (audits.every((each) => lossText(each) === undefined)) return [];
  return treatments.flatMap(({ id, trials, summary = [] }, i) => {
    const text = lossText(audits[i] ?? []);
    const all = trials.reduce((sum, { integrity }) => sum + (integrity?.published ?? 0), 0);
    if (text === undefined)
      return all > 0 ? [`${id} lost ${rareCountText({ count: 0, all, unit: one })}.`] : [];
    const cells = summary.filter(({ metric, max }) => metric === "lost" && max > 0);
    const lossesPerTrial = cells.map((each) => `${operationName(each.operation)} ${valueCell(each)}`);
    return [`${id} ${text}${lossesPerTrial.length > 0 ? `; a trial: ${lossesPerTrial.join(", ")}` : ""}.`];
  });
}

function thresholdFindings({ thresholds = [] }: ResultDocument, tone: "bad" | "good"): KeyFinding[] {
  if (tone === "good") {
    const text = allHoldText(thresholds);
    return text === undefined ? [] : [finding("good", `${text}.`)];
  }
  const shortfall = shortfallText(thresholds);
  if (shortfall === undefined) return [];
  const texts = thresholds
    .filter(({ ok }) => ok !== true)
    .map((threshold) => {
      const { metric, expression, seen, ok, reason } = threshold;
      const measuredTexts = seen === null ? [] : [measuredThresholdText(threshold)];
      const words =
        ok === false ? [measuredThresholdText(threshold)] : [...measuredTexts, outcomeOf(threshold).words];
      const why = reason ? ` (${reason})` : "";
      return `${metric} ${expression} of ${judgedTreatmentText(threshold)}: ${words.join(", ")}${why}`;
    });
  return [finding("bad", `Thresholds: ${shortfall}.`, texts)];
}

function differenceFindings(result: ResultDocument, bounds: LoadBounds): KeyFinding[] {
  const { comparisons } = result;
  const { workload: vocabulary } = result;
  return believedDifferences(comparisons, bounds)
    .slice(0, DIFFERENCES_MAX)
    .map((group) => finding("plain", `${differenceText(group, vocabulary)}.`, reasonsOf(group)));
}

function smallerDifferences({ comparisons }: ResultDocument, bounds: LoadBounds): KeyFinding[] {
  const more = believedDifferences(comparisons, bounds).length - DIFFERENCES_MAX;
  const text = `${counted(more, "smaller difference is", "smaller differences are")} in the tables.`;
  return more > 0 ? [finding("plain", text)] : [];
}

function indistinguishableFindings(result: ResultDocument, bounds: LoadBounds): KeyFinding[] {
  const { workload: vocabulary } = result;
  const indistinguishable = headlineComparisons(result.comparisons).filter(
    ({ verdict, metric, operation }) =>
      verdict === "indistinguishable" && !(metric === "eventsPerSecond" && bounds.has(operation)),
  );
  if (indistinguishable.length === 0) return [];
  const names = indistinguishable.map(
    ({ operation, metric, treatment }) =>
      `${operationName(operation)} ${labelOf(metric, unitOf(vocabulary, operation))} of ${treatment}`,
  );
  return [
    finding(
      "plain",
      `Indistinguishable from ${indistinguishable[0]?.baseline ?? ""}: ${firstOf(names, INDISTINGUISHABLE_MAX)}.`,
    ),
  ];
}

/**
 * Findings for an experiment with one treatment, which compares nothing: the rate and the response time of each operation.
 */
function soleTreatmentFindings(result: ResultDocument): KeyFinding[] {
  const { workload: vocabulary } = result;
  const [only, ...others] = result.treatments;
  const figures = only && others.length === 0 ? figuresOf(only) : undefined;
  if (!figures) return [];
  const objection = objectionTo(METRIC_ASPECTS, invalidTrials(only?.trials ?? []));
  return operationsIn(figures).flatMap(
    ([operation, { eventsPerSecond, transactionsPerSecond, responseTimeMs }]) => {
      if (!responseTimeMs) return [];
      const { p50, p99 } = responseTimeMs;
      const cyclesText = isCycleOperation(operation)
        ? `${shortNumber(transactionsPerSecond)} cycles/s, `
        : "";
      const rate = `${cyclesText}${shortNumber(eventsPerSecond)} ${unitOf(vocabulary, operation)}/s`;
      const text = `${operationName(operation)}: ${rate}, response time ${shortNumber(p50)} ms (p50), ${shortNumber(p99)} ms (p99)`;
      return [finding("plain", `${text}${objection === undefined ? "" : `; ${objection}`}.`)];
    },
  );
}

/** Findings on the recovery of throughput after each kind of fault, over the trials of a treatment. */
function faultFindings({ faults }: ResultDocument): KeyFinding[] {
  const nameOf = ({ kind, treatment }: FaultRecord): string => `${kind} (${treatment})`;
  return [...new Set(faults.map(nameOf))].map((name) => {
    const faultsOfName = faults.filter((fault) => nameOf(fault) === name);
    const times = faultsOfName.flatMap(({ recoverySeconds }) => recoverySeconds ?? []);
    const errors = faultsOfName
      .flatMap((fault) => Object.values(fault.errors))
      .reduce((sum, count) => sum + count, 0);
    const span = [...new Set([Math.min(...times), Math.max(...times)])].map((time) => time.toFixed(1));
    const recovery =
      times.length > 0
        ? `throughput was back to 90 % after ${span.join(" to ")} s in ${times.length} of ${counted(faultsOfName.length, "fault")}`
        : `recovery not assessed (${faultsOfName[0]?.recoveryReason ?? "not measured"})`;
    return finding("plain", `${name}: ${recovery}; ${counted(errors, "failed attempt")}.`);
  });
}

function isUndecided({ comparisons, capacity }: ResultDocument): boolean {
  return !capacity && !headlineComparisons(comparisons).some(isSettled);
}

/** Findings on how sure conclusions are, or why there are none, and on the trials that would decide more. */
function reachFindings(result: ResultDocument, tone: "plain" | "warn"): KeyFinding[] {
  const outlooks = [fewTrialsOutlook(result), exploratoryOutlook(result)];
  return [
    ...reachSentences(result).map((text) => finding(tone, text)),
    ...outlooks.flatMap((outlook) => (outlook ? [finding("plain", outlook.text, outlook.because)] : [])),
  ];
}

function steadinessFindings(result: ResultDocument): KeyFinding[] {
  const unsteadyTrials = trialsOf(result).filter(({ steadyState }) => steadyState?.isSteady === false);
  if (unsteadyTrials.length === 0) return [];
  const reasons = unsteadyTrials.map(
    ({ number, steadyState }) => `trial ${number}: ${steadyState?.reason ?? ""}`,
  );
  return [finding("warn", `No steady state in ${numbersOf(unsteadyTrials)}.`, reasons)];
}

function sweepFindings(result: ResultDocument): KeyFinding[] {
  const { sweeps = [] } = result;
  const { workload: vocabulary } = result;
  return sweeps.map((sweep) => {
    const { operation, factor, levels, usl } = sweep;
    const others = Object.entries(levels).map(([name, level]) => `, ${name}=${level}`);
    const text = scalabilityLawText(sweep, unitOf(vocabulary, operation));
    return finding(
      usl.status === "fitted" ? "plain" : "warn",
      `${operation} over ${factor}${others.join("")}: ${text}`,
    );
  });
}

/** Findings that question the numbers: the verdict, integrity violations, missed thresholds. */
export function alarmFindings(result: ResultDocument): KeyFinding[] {
  return [...verdictFindings(result), ...violationFindings(result), ...thresholdFindings(result, "bad")];
}

/** Findings that answer the experiment's question: races, capacities, differences, recovery, published figures. */
export function answerFindings(result: ResultDocument): KeyFinding[] {
  const bounds = loadBounds(result);
  return [
    ...raceSentences(result.stopping).map((text) => finding("plain", text)),
    ...(result.capacity ?? []).map((capacity) => finding("plain", `${capacityText(capacity)}.`)),
    ...differenceFindings(result, bounds),
    ...faultFindings(result),
    ...publishedSentences(result).map((text) => finding("plain", text)),
    ...(isUndecided(result) ? reachFindings(result, "warn") : []),
    ...loadBoundSentences(result, bounds).map((text) => finding("plain", text)),
    ...indistinguishableFindings(result, bounds),
    ...soleTreatmentFindings(result),
    ...sweepFindings(result),
    ...smallerDifferences(result, bounds),
  ];
}

/** Findings on why the experiment ended, if that was open, and on checks that passed. */
export function assuranceFindings(result: ResultDocument): KeyFinding[] {
  const [ended] = stoppingSentences(result);
  return [
    ...(ended === undefined ? [] : [finding("plain", ended)]),
    ...thresholdFindings(result, "good"),
    ...integrityFindings(result),
    ...invariantFindings(result),
  ];
}

/** Findings that limit the answers: order effects, outlying trials, plan flips, noise, trials without a steady state. */
export function caveatFindings(result: ResultDocument): KeyFinding[] {
  const { costly, idle } = flipSentences(result.treatments);
  return [
    ...[...duetSentences(result.treatments), ...placeSentences(result)].map((text) => finding("plain", text)),
    ...[...differenceSentences(result.treatments), ...stallSentences(result), ...costly].map((text) =>
      finding("warn", text),
    ),
    ...stoppingSentences(result)
      .slice(1)
      .map((text) => finding("plain", text)),
    ...(isUndecided(result) ? [] : reachFindings(result, "plain")),
    ...noiseSentences(result).map((text, i) => finding(i === 0 ? "plain" : "warn", text)),
    ...steadinessFindings(result),
    ...(idle === undefined ? [] : [finding("plain", idle)]),
  ];
}

/** All findings of an analysed result, the most important ones first. */
export function keyFindings(result: ResultDocument): KeyFinding[] {
  return [
    ...alarmFindings(result),
    ...answerFindings(result),
    ...assuranceFindings(result),
    ...caveatFindings(result),
  ];
}
