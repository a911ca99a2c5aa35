// A rule knows no statistics: `evidence.ts` tests its values. No rule proves a cause, and no sentence says so.
import { isLargerBetter } from "../../metrics/metric-lists.js";
import type { EvidenceReason } from "../../metrics/evidence-metric.js";
import { stageOf } from "../../metrics/operations.js";
import { ALL_EVIDENCE, type Evidence } from "../../workloads/evidence.js";
import { hasFlow, operationsWith, type Vocabulary } from "../../workloads/vocabulary.js";
import type { Comparison, TrialResult } from "../../results/result-schema.js";
import * as of from "./why-readings.js";
import { amountUnit, millisecondsUnit, plainUnit, shareUnit, type Unit } from "./why-units.js";

export type ExplainedDifference = Pick<Comparison, "operation" | "metric">;

export interface WhyRule {
  /** Topic of the rule. Only the rule of a topic that moved most is stated, so that four sentences say four things. */
  readonly topic: string;
  readonly read: of.Reading;
  readonly unit: Unit;
  /** Template: `{who}` is the treatment, `{operation}` the operation, `{now}` its value, `{then}` the baseline's. */
  readonly words: string;
  /** Direction of the evidence that goes with longer times and less throughput. */
  readonly worse: "more" | "less";
  readonly explains: (explained: ExplainedDifference) => boolean;
  /** First server version whose view gives the value; a value of an older version counts something else. */
  readonly viewSince?: number;
}

const explainsAll = (): boolean => true;
const isThroughputMetric = ({ metric }: ExplainedDifference): boolean => isLargerBetter(metric);
const isDurationMetric = (explained: ExplainedDifference): boolean => !isThroughputMetric(explained);
const isLifecycleOperation = ({ operation }: ExplainedDifference): boolean =>
  stageOf(operation) !== undefined;

type MakeRule = (words: string, explains?: WhyRule["explains"]) => WhyRule;

/** Makes a rule on evidence: `more` if the slower treatment has more of it, `less` if it has less. */
function rulesOn(topic: string, read: of.Reading, unit: Unit): Readonly<Record<WhyRule["worse"], MakeRule>> {
  const ruleWith =
    (worse: WhyRule["worse"]): MakeRule =>
    (words, explains = explainsAll) => ({ topic, read, unit, words, worse, explains });
  return { more: ruleWith("more"), less: ruleWith("less") };
}

type ExplainedKind = NonNullable<EvidenceReason["explains"]>;

function evidenceRule(
  figure: Evidence,
  { topic, least, words, explains, viewSince }: EvidenceReason,
  explainsByKind: Readonly<Record<ExplainedKind, WhyRule["explains"]>>,
): WhyRule {
  const { metric } = figure;
  const rule = rulesOn(topic, of.readingOf(figure), amountUnit(metric.unit, least));
  return {
    ...rule[metric.better === "higher" ? "less" : "more"](words, explains && explainsByKind[explains]),
    ...(viewSince !== undefined && { viewSince }),
  };
}

/** The reason in the words of the workload: without a flow of events `perEvent` is per transaction. */
function wordsIn(vocabulary: Vocabulary, reason: EvidenceReason): EvidenceReason {
  return hasFlow(vocabulary)
    ? reason
    : { ...reason, words: reason.words.replace(/per event/, "per transaction") };
}

const OPERATION_RULES: readonly WhyRule[] = [
  rulesOn("pool", of.poolWaitMs, millisecondsUnit(0.2)).more(
    "{operation} waited {now} for a connection against {then}",
  ),
  rulesOn("retries", of.retriesReading, plainUnit(0.02)).more(
    "{operation} was tried again {now} times per transaction against {then}",
  ),
  rulesOn("failures", of.failuresReading, shareUnit(0.005)).more(
    "{now} of the transactions of {operation} failed against {then}",
  ),

  // Rules on the amount of available work: a shorter queue makes smaller batches, an empty one no throughput.
  rulesOn("batch", of.eventsPerTransaction, plainUnit(1)).more(
    "a transaction of {operation} had {now} {work} against {then}",
    isDurationMetric,
  ),
  rulesOn("batch", of.eventsPerTransaction, plainUnit(1)).less(
    "a transaction of {operation} had {now} {work} against {then}",
    isThroughputMetric,
  ),
  rulesOn("polls", of.emptyPolls, shareUnit(0.05)).more(
    "{now} of the polls of {operation} found nothing to do against {then}",
    isThroughputMetric,
  ),
];

/** Rules from the evidence catalogue, and rules on work that flows from one operation to the next. */
function evidenceAndFlowRules(vocabulary: Vocabulary): readonly WhyRule[] {
  const incomingOperations = operationsWith(vocabulary, "in");
  const throughOperations = operationsWith(vocabulary, "through");
  const downstreamOperations = [...throughOperations, ...operationsWith(vocabulary, "out")];
  const explainsByKind = {
    lifecycle: isLifecycleOperation,
    queue: (explained: ExplainedDifference) =>
      isLifecycleOperation(explained) || throughOperations.includes(explained.operation),
  };
  const isDownstreamThroughput = (explained: ExplainedDifference): boolean =>
    isThroughputMetric(explained) && downstreamOperations.includes(explained.operation);
  return [
    ...ALL_EVIDENCE.flatMap((figure) =>
      figure.reason ? evidenceRule(figure, wordsIn(vocabulary, figure.reason), explainsByKind) : [],
    ),
    rulesOn("arrivals", of.eventsPerSecondOf(incomingOperations), plainUnit(1)).less(
      "{now} events a second were added against {then}",
      isDownstreamThroughput,
    ),
    rulesOn("passes", of.passesPerEvent, plainUnit(0.05)).more(
      "an event took {now} passes against {then}",
      isLifecycleOperation,
    ),
    rulesOn("process", of.meanMsOf(throughOperations), millisecondsUnit(0.2)).more(
      `a ${throughOperations.join(" or ")} transaction took {now} on average against {then}`,
      isLifecycleOperation,
    ),
  ];
}

/** Rules on disturbances from outside the database, which speak against the measurement itself. */
const DISTURBANCE_RULES: readonly WhyRule[] = [
  rulesOn("train-sim", of.eventLoopDelayMs, millisecondsUnit(2)).more(
    "train-sim's own event loop was late by {now} (p99) against {then}",
  ),
  rulesOn("machine", of.stealRatio, shareUnit(0.02)).more(
    "the hypervisor gave {now} of the CPU time to others against {then}",
  ),
  rulesOn("machine", of.otherCpuRatio, shareUnit(0.05)).more(
    "other programs took {now} of the CPU time against {then}",
  ),
];

/** Rule on a wait event. Heavyweight locks have another sentence than the other events, which are internal to the server. */
function waitRule(event: string): WhyRule {
  if (event === "CPU")
    return rulesOn("running", of.waitShare(event), shareUnit(0.1)).more(
      "active sessions were on a CPU, or waited for one, {now} of the time against {then}",
    );
  const topic = event.startsWith("Lock:") ? "locks" : "waits";
  const words = `sessions waited on ${event} {now} of the time against {then}`;
  return rulesOn(topic, of.waitShare(event), shareUnit(0.05)).more(words);
}

export function whyRules(trials: readonly TrialResult[], vocabulary: Vocabulary): readonly WhyRule[] {
  const events = new Set(trials.flatMap(({ database }) => database.waits?.map(({ event }) => event) ?? []));
  return [
    ...OPERATION_RULES,
    ...evidenceAndFlowRules(vocabulary),
    ...DISTURBANCE_RULES,
    ...[...events].sort().map(waitRule),
  ];
}
