// Evidence that moves on purpose: for each rule of `why-rules.ts` a way to make a trial show a value of it, and two
// treatments of which one is worse in one respect only.
import { withReasons } from "../../src/analysis/why/because.js";
import { whyRules, type WhyRule } from "../../src/analysis/why/why-rules.js";
import {
  ResultDocument,
  type Comparison,
  type DatabaseEvidence,
  type PerEvent,
  type TrialResult,
} from "../../src/results/result-schema.js";
import { workloadOf } from "../../src/workloads/registry.js";
import { exampleLatency, exampleResult } from "./example-result.js";

export type Compared = Pick<Comparison, "operation" | "metric">;
export const PROCESS_MEAN: Compared = { operation: "process", metric: "mean" };
export const PROCESS_RATE: Compared = { operation: "process", metric: "eventsPerSecond" };
export const COMPLETED: Compared = { operation: "lifecycle.completed", metric: "mean" };

type Put = (trial: TrialResult, value: number) => void;

/** A finding that in one metric text is worse than jsonb, or better. */
export function claim(compared: Compared, isWorse = true): Comparison {
  const isHigher = (compared.metric === "eventsPerSecond") !== isWorse;
  const ratio = isHigher ? 2 : 0.5;
  return {
    ...{ factor: "payload", ...compared, baseline: "jsonb", treatment: "text" },
    ...{ blocks: 5, ratio, ciLow: ratio, ciHigh: ratio, test: "unpaired", pValue: 0.008, pAdjusted: 0.008 },
    ...{ verdict: "finding", familyP: 0.01 },
  };
}

/** Reasons that the program gives for a finding, if trials of the two treatments differ only by what `put` changes. */
export function becauseOf(
  compared: Compared,
  put: (trial: TrialResult, isText: boolean, block: number) => void,
  { isWorse = true, trials = 5 } = {},
): readonly string[] {
  const result = exampleResult(trials, 1);
  for (const treatment of result.treatments)
    for (const trial of treatment.trials) put(trial, treatment.id === "text", trial.block);
  const { treatments } = ResultDocument.parse(result);
  const [explained] = withReasons(
    [claim(compared, isWorse)],
    treatments,
    workloadOf({}),
    result.scenario.seed,
  );
  if (!explained?.because) throw new Error("a claim has a list of reasons");
  return explained.because;
}

export const perEvent =
  (field: keyof PerEvent): Put =>
  ({ database }, value) =>
    (database.perEvent = { events: 1000, ...database.perEvent, [field]: value });
const field =
  (name: keyof DatabaseEvidence, times = 1): Put =>
  ({ database }, value) =>
    Object.assign(database, { [name]: value * times });
const meanOf =
  (name: keyof DatabaseEvidence): Put =>
  ({ database }, value) =>
    Object.assign(database, { [name]: { mean: value, max: value * 2 } });
const perEventOf =
  (name: keyof DatabaseEvidence, times: number): Put =>
  (trial, value) => {
    perEvent("events")(trial, 1000);
    field(name, times)(trial, value);
  };
const processes =
  (change: (value: number) => object): Put =>
  ({ operations }, value) =>
    Object.assign(operations.process ?? {}, change(value));
const pooler =
  (change: (value: number) => object): Put =>
  ({ database }, value) => {
    const quiet = { mean: 0, max: 0 };
    const same = { clientsWaiting: quiet, serversActive: quiet, maxWaitMs: 0, transactions: 1000 };
    const waits = { waitMsPerTransaction: 0, queryMsPerTransaction: 1 };
    database.pooler = { ...same, ...waits, ...change(value) };
  };
const client =
  (change: (value: number) => object): Put =>
  (trial, value) =>
    (trial.client = { cpuSeconds: 1, eventLoopDelayP99Ms: 1, ...change(value) });

/** How to put a value into a trial so that a rule of "why" reads it, by the rule's text. */
const PUT: Readonly<Record<string, Put>> = {
  "{who} wrote {now} of WAL per event against {then}": perEvent("walBytes"),
  "{who}'s indexes grew by {now} per event against {then}": perEvent("indexBytes"),
  "{who}'s tables grew by {now} per event against {then}": perEvent("tableBytes"),
  "{who}'s TOAST grew by {now} per event against {then}": perEvent("toastBytes"),
  "{now} buffers per event became dirty against {then}": perEvent("buffersDirtied"),
  "{now} blocks per event were written against {then}": perEvent("blocksWritten"),
  "the WAL held {now} full pages per event against {then}": perEvent("walFullPageImages"),
  "there were {now} checkpoints a minute against {then}": field("checkpoints", 0.5),
  "one fsync of the WAL took {now} against {then}": ({ database }, value) =>
    Object.assign(database, { walFsyncs: 100, walFsyncMs: 100 * value }),
  "the WAL was written {now} times per transaction for full wal_buffers against {then}": field(
    "walBuffersFull",
    600,
  ),
  "there were {now} fsyncs of the WAL per transaction against {then}": field("walFsyncs", 600),
  "the server took {now} of CPU time per event against {then}": perEvent("serverCpuMs"),
  "train-sim took {now} of CPU time per event against {then}": perEvent("clientCpuMs"),
  "the queue's programs took {now} of CPU time per event against {then}": perEvent("programCpuMs"),
  "{now} blocks per event were not in shared buffers against {then}": perEventOf("blocksRead", 1000),
  "{now} of temporary files per event were written against {then}": perEventOf("temporaryBytes", 1000),
  "{now} writes per event met another write against {then}": perEventOf("writeConflicts", 1000),
  "{now} of the updates were HOT against {then}": field("hotRatio"),
  "the tables held {now} dead rows on average against {then}": meanOf("deadTuples"),
  "{now} rows per event died against {then}": perEvent("deadTuples"),
  "the oldest transaction was open for {now} against {then}": field("oldestTransactionMs"),
  "the oldest snapshot was {now} transactions old against {then}": field("oldestXminAge"),
  "the GIN pending lists held up to {now} pages against {then}": field("ginPendingPages"),
  "{now} sessions on average were blocked by another against {then}": meanOf("blocked"),
  "{now} row locks per event were waited for against {then}": perEventOf("rowLockWaits", 1000),
  "up to {now} transactions were not yet purged against {then}": field("historyLength"),
  "{now} sessions on average were idle in a transaction against {then}": meanOf("sessionsIdleInTransaction"),
  "{operation} waited {now} for a connection against {then}": processes((value) => ({
    poolWaitMs: exampleLatency(value),
  })),
  "a transaction waited {now} for a server connection of the pooler against {then}": pooler((value) => ({
    waitMsPerTransaction: value,
  })),
  "{now} clients on average waited for a server connection of the pooler against {then}": pooler((value) => ({
    clientsWaiting: { mean: value, max: value },
  })),
  "the pooler took {now} of CPU time per event against {then}": perEventOf("poolerCpuSeconds", 1),
  "{operation} was tried again {now} times per transaction against {then}": processes((value) => ({
    retries: Math.round(value * 300),
  })),
  "{now} of the transactions of {operation} failed against {then}": processes((value) => ({
    failures: { "40001": Math.round((value / (1 - value)) * 300) },
  })),
  "a transaction of {operation} had {now} {work} against {then}": processes((value) => ({
    events: Math.round(value * 300),
  })),
  "{now} of the polls of {operation} found nothing to do against {then}": processes((value) => ({
    emptyPolls: Math.round((value / (1 - value)) * 300),
  })),
  "{now} events a second were added against {then}": ({ operations }, value) =>
    Object.assign(operations.add ?? {}, { eventsPerSecond: value }),
  "the oldest waiting event had waited {now} on average against {then}": meanOf("backlogAgeMs"),
  "{now} events on average waited to be claimed against {then}": meanOf("backlog"),
  "an event took {now} passes against {then}": ({ lifecycle }, value) => (lifecycle.passesPerEvent = value),
  "a process transaction took {now} on average against {then}": processes((value) => ({
    responseTimeMs: exampleLatency(value),
  })),
  "train-sim's own event loop was late by {now} (p99) against {then}": client((value) => ({
    eventLoopDelayP99Ms: value,
  })),
  "the hypervisor gave {now} of the CPU time to others against {then}": (trial, value) =>
    (trial.machine = { stealRatio: value, otherCpuRatio: null }),
  "other programs took {now} of the CPU time against {then}": (trial, value) =>
    (trial.machine = { stealRatio: 0, otherCpuRatio: value }),
};

/** The change that puts a value of a rule's evidence into a trial. */
export function putOf({ words }: WhyRule): Put {
  const put = PUT[words];
  if (!put) throw new Error(`no test makes this evidence move: ${words}`);
  return put;
}

/** An operation and metric that the rule explains. */
export function comparedBy(rule: WhyRule): Compared {
  const compared = [PROCESS_MEAN, PROCESS_RATE, COMPLETED].find(rule.explains);
  if (!compared) throw new Error(`explains nothing: ${rule.words}`);
  return compared;
}

/** True if a sentence is made from the rule's text. */
export function isOf(rule: WhyRule, sentence: string): boolean {
  const escaped = rule.words.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, ".+")}`).test(sentence);
}

export const RULES = whyRules([], workloadOf({}));
/** Value of a rule's evidence in the trials of one treatment. It differs from `highOf` by more than any rule requires. */
export const lowOf = ({ unit }: WhyRule): number => unit.floor * 2;
export const highOf = ({ unit }: WhyRule): number => unit.floor * 8;
