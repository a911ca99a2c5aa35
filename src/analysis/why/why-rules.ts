// Which evidence may be told beside a difference, as one table to be read and argued with: its topic, where a trial shows
// it, its unit, the least difference that matters, the sentence, what it can have to do with.
// A rule knows no statistics and decides nothing: `evidence.ts` asks whether its value really differs between two
// treatments, and tells it only where it moved with the difference. None of it proves a cause, and no sentence says so.
import { isLargerBetter } from "../../metrics/metric-lists.js";
import { stageOf } from "../../metrics/operations.js";
import { operationsWith, type Vocabulary } from "../../workloads/vocabulary.js";
import type { Comparison, TrialResult } from "../../results/result-schema.js";
import * as of from "./why-readings.js";
import { bytes, milliseconds, plain, share, type Unit } from "./why-units.js";

/** What is to be explained. */
export type Explained = Pick<Comparison, "operation" | "metric">;

export interface WhyRule {
  /** Of all rules on one topic only the one that moved most is told, so that four sentences say four things. */
  readonly topic: string;
  readonly read: of.Reading;
  readonly unit: Unit;
  /** `{who}` is the treatment, `{operation}` what was compared, `{now}` its value, `{then}` the baseline's. */
  readonly words: string;
  /** What goes with longer times and less throughput: more of it, or less. */
  readonly worse: "more" | "less";
  readonly explains: (explained: Explained) => boolean;
}

const anything = (): boolean => true;
const isThroughput = ({ metric }: Explained): boolean => isLargerBetter(metric);
const isDuration = (explained: Explained): boolean => !isThroughput(explained);
const isLifecycle = ({ operation }: Explained): boolean => stageOf(operation) !== undefined;

type Tell = (words: string, explains?: WhyRule["explains"]) => WhyRule;

/** Evidence; `more` says that the slower treatment has more of it, `less` that it has less. */
function on(topic: string, read: of.Reading, unit: Unit): Readonly<Record<WhyRule["worse"], Tell>> {
  const tell =
    (worse: WhyRule["worse"]): Tell =>
    (words, explains = anything) => ({ topic, read, unit, words, worse, explains });
  return { more: tell("more"), less: tell("less") };
}

/** Of any workload. */
const GENERAL: readonly WhyRule[] = [
  // What was written.
  on("wal", of.perEvent("walBytes"), bytes(100)).more("{who} wrote {now} of WAL per event against {then}"),
  on("indexes", of.perEvent("indexBytes"), bytes(50)).more(
    "{who}'s indexes grew by {now} per event against {then}",
  ),
  on("tables", of.perEvent("tableBytes"), bytes(100)).more(
    "{who}'s tables grew by {now} per event against {then}",
  ),
  on("tables", of.perEvent("toastBytes"), bytes(100)).more(
    "{who}'s TOAST grew by {now} per event against {then}",
  ),
  on("blocks", of.perEvent("buffersDirtied"), plain(0.1)).more(
    "{now} buffers per event became dirty against {then}",
  ),
  on("blocks", of.perEvent("blocksWritten"), plain(0.1)).more(
    "{now} blocks per event were written against {then}",
  ),
  on("pages", of.perEvent("walFullPageImages"), plain(0.05)).more(
    "the WAL held {now} full pages per event against {then}",
  ),
  on("pages", of.checkpointsPerMinute, plain(1)).more("there were {now} checkpoints a minute against {then}"),
  on("fsync", of.fsyncMs, milliseconds(0.1)).more("one fsync of the WAL took {now} against {then}"),
  on("fsync", of.fsyncs, plain(0.05)).more(
    "there were {now} fsyncs of the WAL per transaction against {then}",
  ),

  // What was read and computed, and what vacuum had left.
  on("cpu", of.perEvent("serverCpuMs"), milliseconds(0.05)).more(
    "the server took {now} of CPU time per event against {then}",
  ),
  on("client", of.perEvent("clientCpuMs"), milliseconds(0.05)).more(
    "train-sim took {now} of CPU time per event against {then}",
  ),
  on("reads", of.perEventOf("blocksRead"), plain(0.1)).more(
    "{now} blocks per event were not in shared buffers against {then}",
  ),
  on("files", of.perEventOf("temporaryBytes"), bytes(100)).more(
    "{now} of temporary files per event were written against {then}",
  ),
  on("HOT", of.hotRatio, share(0.05)).less("{now} of the updates were HOT against {then}"),
  on("dead", of.meanOf("deadTuples"), plain(500)).more(
    "the tables held {now} dead rows on average against {then}",
  ),
  on("dead", of.perEvent("deadTuples"), plain(0.1)).more("{now} rows per event died against {then}"),
  on("xmin", of.oldestTransactionMs, milliseconds(1000)).more(
    "the oldest transaction was open for {now} against {then}",
  ),
  on("xmin", of.oldestXminAge, plain(1000)).more(
    "the oldest snapshot was {now} transactions old against {then}",
  ),
  on("gin", of.ginPendingPages, plain(8)).more("the GIN pending lists held up to {now} pages against {then}"),

  // Who waited for whom; wait events are below.
  on("locks", of.meanOf("blocked"), plain(0.2)).more(
    "{now} sessions on average were blocked by another against {then}",
  ),
  on("idle", of.meanOf("sessionsIdleInTransaction"), plain(0.3)).more(
    "{now} sessions on average were idle in a transaction against {then}",
  ),
  on("pool", of.poolWaitMs, milliseconds(0.2)).more(
    "{operation} waited {now} for a connection against {then}",
  ),
  on("pooler", of.poolerWaitMs, milliseconds(0.2)).more(
    "a transaction waited {now} for a server connection of the pooler against {then}",
  ),
  on("pooler", of.poolerClientsWaiting, plain(0.3)).more(
    "{now} clients on average waited for a server connection of the pooler against {then}",
  ),
  on("pooler CPU", of.poolerCpuMs, milliseconds(0.02)).more(
    "the pooler took {now} of CPU time per event against {then}",
  ),
  on("retries", of.retries, plain(0.02)).more(
    "{operation} was tried again {now} times per transaction against {then}",
  ),
  on("failures", of.failures, share(0.005)).more(
    "{now} of the transactions of {operation} failed against {then}",
  ),

  // How much there was to do: a shorter queue makes smaller batches, an empty one no throughput.
  on("batch", of.eventsPerTransaction, plain(1)).more(
    "a transaction of {operation} had {now} {work} against {then}",
    isDuration,
  ),
  on("batch", of.eventsPerTransaction, plain(1)).less(
    "a transaction of {operation} had {now} {work} against {then}",
    isThroughput,
  ),
  on("polls", of.emptyPolls, share(0.05)).more(
    "{now} of the polls of {operation} found nothing to do against {then}",
    isThroughput,
  ),
];

/** Of work that flows from one operation to the next. */
function flowRules(vocabulary: Vocabulary): readonly WhyRule[] {
  const incoming = operationsWith(vocabulary, "in");
  const through = operationsWith(vocabulary, "through");
  const downstream = [...through, ...operationsWith(vocabulary, "out")];
  const isQueued = (explained: Explained): boolean =>
    isLifecycle(explained) || through.includes(explained.operation);
  const isDownstream = (explained: Explained): boolean =>
    isThroughput(explained) && downstream.includes(explained.operation);
  return [
    on("arrivals", of.eventsPerSecondOf(incoming), plain(1)).less(
      "{now} events a second were added against {then}",
      isDownstream,
    ),
    on("queue", of.meanOf("backlogAgeMs"), milliseconds(20)).more(
      "the oldest waiting event had waited {now} on average against {then}",
      isLifecycle,
    ),
    on("queue", of.meanOf("backlog"), plain(50)).more(
      "{now} events on average waited to be claimed against {then}",
      isQueued,
    ),
    on("passes", of.passesPerEvent, plain(0.05)).more(
      "an event took {now} passes against {then}",
      isLifecycle,
    ),
    on("process", of.meanMsOf(through), milliseconds(0.2)).more(
      `a ${through.join(" or ")} transaction took {now} on average against {then}`,
      isLifecycle,
    ),
  ];
}

/** What is none of the database's doing: it speaks against the measurement itself. */
const DISTURBANCES: readonly WhyRule[] = [
  on("train-sim", of.eventLoopDelayMs, milliseconds(2)).more(
    "train-sim's own event loop was late by {now} (p99) against {then}",
  ),
  on("machine", of.stealRatio, share(0.02)).more(
    "the hypervisor gave {now} of the CPU time to others against {then}",
  ),
  on("machine", of.otherCpuRatio, share(0.05)).more(
    "other programs took {now} of the CPU time against {then}",
  ),
];

/** Heavyweight locks are told apart from the rest, which is the server's own business. */
function waitRule(event: string): WhyRule {
  if (event === "CPU")
    return on("running", of.waitShare(event), share(0.1)).more(
      "active sessions were on a CPU, or waited for one, {now} of the time against {then}",
    );
  const topic = event.startsWith("Lock:") ? "locks" : "waits";
  const words = `sessions waited on ${event} {now} of the time against {then}`;
  return on(topic, of.waitShare(event), share(0.05)).more(words);
}

/** All rules, with one for each wait event that these trials saw. */
export function whyRules(trials: readonly TrialResult[], vocabulary: Vocabulary): readonly WhyRule[] {
  const events = new Set(trials.flatMap(({ database }) => database.waits?.map(({ event }) => event) ?? []));
  return [...GENERAL, ...flowRules(vocabulary), ...DISTURBANCES, ...[...events].sort().map(waitRule)];
}
