// A rule knows no statistics: `evidence.ts` tests its values. No rule proves a cause, and no sentence says so.
import { isLargerBetter } from "../../metrics/metric-lists.js";
import type { EvidenceReason } from "../../metrics/evidence-metric.js";
import { stageOf } from "../../metrics/operations.js";
import { ALL_EVIDENCE, type Evidence } from "../../workloads/evidence.js";
import { operationsWith, type Vocabulary } from "../../workloads/vocabulary.js";
import type { Comparison, TrialResult } from "../../results/result-schema.js";
import * as of from "./why-readings.js";
import { amounts, millisecondsUnit, plainUnit, shareUnit, type Unit } from "./why-units.js";

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
}

const always = (): boolean => true;
const isThroughputMetric = ({ metric }: ExplainedDifference): boolean => isLargerBetter(metric);
const isDurationMetric = (explained: ExplainedDifference): boolean => !isThroughputMetric(explained);
const isLifecycleOperation = ({ operation }: ExplainedDifference): boolean =>
  stageOf(operation) !== undefined;

type MakeRule = (words: string, explains?: WhyRule["explains"]) => WhyRule;

/** Makes a rule on evidence: `more` if the slower treatment has more of it, `less` if it has less. */
function on(topic: string, read: of.Reading, unit: Unit): Readonly<Record<WhyRule["worse"], MakeRule>> {
  const tell =
    (worse: WhyRule["worse"]): MakeRule =>
    (words, explains = always) => ({ topic, read, unit, words, worse, explains });
  return { more: tell("more"), less: tell("less") };
}

type Explains = NonNullable<EvidenceReason["explains"]>;

function evidenceRule(
  figure: Evidence,
  { topic, least, words, explains }: EvidenceReason,
  kinds: Readonly<Record<Explains, WhyRule["explains"]>>,
): WhyRule {
  const { metric } = figure;
  const rule = on(topic, of.readingOf(figure), amounts(metric.unit, least));
  return rule[metric.better === "higher" ? "less" : "more"](words, explains && kinds[explains]);
}

const OPERATION_RULES: readonly WhyRule[] = [
  on("pool", of.poolWaitMs, millisecondsUnit(0.2)).more(
    "{operation} waited {now} for a connection against {then}",
  ),
  on("retries", of.retriesReading, plainUnit(0.02)).more(
    "{operation} was tried again {now} times per transaction against {then}",
  ),
  on("failures", of.failuresReading, shareUnit(0.005)).more(
    "{now} of the transactions of {operation} failed against {then}",
  ),

  // Rules on the amount of available work: a shorter queue makes smaller batches, an empty one no throughput.
  on("batch", of.eventsPerTransaction, plainUnit(1)).more(
    "a transaction of {operation} had {now} {work} against {then}",
    isDurationMetric,
  ),
  on("batch", of.eventsPerTransaction, plainUnit(1)).less(
    "a transaction of {operation} had {now} {work} against {then}",
    isThroughputMetric,
  ),
  on("polls", of.emptyPolls, shareUnit(0.05)).more(
    "{now} of the polls of {operation} found nothing to do against {then}",
    isThroughputMetric,
  ),
];

/** Rules from the evidence catalogue, and rules on work that flows from one operation to the next. */
function evidenceAndFlow(vocabulary: Vocabulary): readonly WhyRule[] {
  const incoming = operationsWith(vocabulary, "in");
  const through = operationsWith(vocabulary, "through");
  const downstream = [...through, ...operationsWith(vocabulary, "out")];
  const explains = {
    lifecycle: isLifecycleOperation,
    queue: (explained: ExplainedDifference) =>
      isLifecycleOperation(explained) || through.includes(explained.operation),
  };
  const isDownstream = (explained: ExplainedDifference): boolean =>
    isThroughputMetric(explained) && downstream.includes(explained.operation);
  return [
    ...ALL_EVIDENCE.flatMap((figure) => (figure.reason ? evidenceRule(figure, figure.reason, explains) : [])),
    on("arrivals", of.eventsPerSecondOf(incoming), plainUnit(1)).less(
      "{now} events a second were added against {then}",
      isDownstream,
    ),
    on("passes", of.passesPerEvent, plainUnit(0.05)).more(
      "an event took {now} passes against {then}",
      isLifecycleOperation,
    ),
    on("process", of.meanMsOf(through), millisecondsUnit(0.2)).more(
      `a ${through.join(" or ")} transaction took {now} on average against {then}`,
      isLifecycleOperation,
    ),
  ];
}

/** Rules on disturbances from outside the database, which speak against the measurement itself. */
const DISTURBANCE_RULES: readonly WhyRule[] = [
  on("train-sim", of.eventLoopDelayMs, millisecondsUnit(2)).more(
    "train-sim's own event loop was late by {now} (p99) against {then}",
  ),
  on("machine", of.stealRatio, shareUnit(0.02)).more(
    "the hypervisor gave {now} of the CPU time to others against {then}",
  ),
  on("machine", of.otherCpuRatio, shareUnit(0.05)).more(
    "other programs took {now} of the CPU time against {then}",
  ),
];

/** Rule on a wait event. Heavyweight locks have another sentence than the other events, which are internal to the server. */
function waitRule(event: string): WhyRule {
  if (event === "CPU")
    return on("running", of.waitShare(event), shareUnit(0.1)).more(
      "active sessions were on a CPU, or waited for one, {now} of the time against {then}",
    );
  const topic = event.startsWith("Lock:") ? "locks" : "waits";
  const words = `sessions waited on ${event} {now} of the time against {then}`;
  return on(topic, of.waitShare(event), shareUnit(0.05)).more(words);
}

export function whyRules(trials: readonly TrialResult[], vocabulary: Vocabulary): readonly WhyRule[] {
  const events = new Set(trials.flatMap(({ database }) => database.waits?.map(({ event }) => event) ?? []));
  return [
    ...OPERATION_RULES,
    ...evidenceAndFlow(vocabulary),
    ...DISTURBANCE_RULES,
    ...[...events].sort().map(waitRule),
  ];
}
