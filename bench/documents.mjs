// Measures how many event documents one core makes per second, since the generator shares the machine with the database
// that it measures, and how many it changes per second as a pass does, compared with parsing each document and writing it
// again. Each document is also written out as bytes, like a driver does, because JavaScript would otherwise put off joining
// its fragments and the rate would flatter. The bench exits with 1 if the median of the rounds is below the floor, or if
// changes are not faster than parsing by their factor (documents of the default size only). Run `npm run build` first: it
// measures the built program.
//
//   node bench/documents.mjs [--rounds 9] [--documents 100000] [--bytes 900] [--json]
import os from "node:os";
import { monotonicMs } from "#program/foundation/clock.js";
import { applyBusinessRule } from "#program/workloads/train-events/model/business-rules.js";
import {
  DEFAULT_DOCUMENT_BYTES,
  DocumentGenerator,
} from "#program/workloads/train-events/model/document-generator.js";
import { median } from "#program/analysis/statistics/quantiles.js";
import { readOptions } from "./options.mjs";

/** Smallest number of documents per second and core. A slower generator would distort measurements. */
const FLOOR_PER_SECOND = 100_000;
/**
 * Smallest speed-up of changing a document's text, in comparison with parsing it, changing a member and writing it again.
 */
const CHANGE_FACTOR_MIN = 3;
const WARM_UP_ROUNDS = 2;
const CHANGED_DOCUMENTS = 10_000;

/** Makes `documents` documents from a random stream of this round; returns the rate. */
function measureRound(round, { documents, bytes }) {
  const generator = new DocumentGenerator(42, `bench/${round}`, bytes);
  const wire = Buffer.allocUnsafe(4 * Math.max(bytes, 2048));
  let writtenBytes = 0;
  const startMs = monotonicMs();
  for (let index = 0; index < documents; index++)
    writtenBytes += wire.write(generator.at(index).json, "utf8");
  const elapsedMs = monotonicMs() - startMs;
  return { documentsPerSecond: (documents / elapsedMs) * 1000, meanBytes: writtenBytes / documents };
}

/** Changes a document by parsing its text into an object and writing it again. */
function changeByParsing(json) {
  const document = JSON.parse(json);
  document.state = "IN_PROGRESS";
  document.metrics.flags.fleeted = !document.metrics.flags.fleeted;
  return JSON.stringify(document);
}

/** Rates of both ways to change documents, in changes per second. Documents arrive and leave as bytes. */
function measureChanges(round, bytes) {
  const generator = new DocumentGenerator(42, `bench/changes/${round}`, bytes);
  const read = Array.from({ length: CHANGED_DOCUMENTS }, (_, index) => Buffer.from(generator.at(index).json));
  const wire = Buffer.allocUnsafe(4 * Math.max(bytes, 2048));
  const rateOf = (change) => {
    const startMs = monotonicMs();
    for (const document of read) wire.write(change(document.toString("utf8")), "utf8");
    return (read.length / (monotonicMs() - startMs)) * 1000;
  };
  const byParsing = rateOf(changeByParsing);
  const byText = rateOf((json) => applyBusinessRule(json, "PROCESSING"));
  return { byParsing, byText, factor: byText / byParsing };
}

const options = readOptions({ rounds: 9, documents: 100_000, bytes: DEFAULT_DOCUMENT_BYTES });
for (let round = 0; round < WARM_UP_ROUNDS; round++) {
  measureRound(`warm-up/${round}`, options);
  measureChanges(`warm-up/${round}`, options.bytes);
}
const rounds = Array.from({ length: options.rounds }, (_, round) => ({
  ...measureRound(round, options),
  changes: measureChanges(round, options.bytes),
}));
const changes = (which) => median(rounds.map((round) => round.changes[which]));
const rates = rounds.map((round) => round.documentsPerSecond).sort((a, b) => a - b);
const result = {
  benchmark: "documents",
  node: process.version,
  cpu: os.cpus()[0]?.model ?? "unknown",
  rounds: options.rounds,
  documentsPerRound: options.documents,
  meanBytes: Math.round(rounds[0].meanBytes * 10) / 10,
  documentsPerSecond: {
    median: Math.round(median(rates)),
    min: Math.round(rates[0]),
    max: Math.round(rates[rates.length - 1]),
  },
  floorPerSecond: FLOOR_PER_SECOND,
  changesPerSecond: { median: Math.round(changes("byText")), byParsing: Math.round(changes("byParsing")) },
  changeFactor: { median: Math.round(changes("factor") * 10) / 10, least: CHANGE_FACTOR_MIN },
  passed:
    options.bytes !== DEFAULT_DOCUMENT_BYTES ||
    (median(rates) >= FLOOR_PER_SECOND && changes("factor") >= CHANGE_FACTOR_MIN),
};

if (options.json) {
  console.log(JSON.stringify(result, undefined, 2));
} else {
  const { median: middle, min, max } = result.documentsPerSecond;
  console.log(`documents of ${result.meanBytes} bytes, one core, Node ${result.node}, ${result.cpu}`);
  console.log("round  documents/s");
  rounds.forEach((round, index) => {
    console.log(
      `${String(index + 1).padStart(5)}  ${String(Math.round(round.documentsPerSecond)).padStart(11)}`,
    );
  });
  console.log(`median ${middle} documents/s, range ${min} .. ${max}, floor ${FLOOR_PER_SECOND}`);
  const { changesPerSecond, changeFactor } = result;
  console.log(
    `median ${changesPerSecond.median} changes/s, ${changesPerSecond.byParsing} by parsing: ${changeFactor.median} times, at least ${changeFactor.least}`,
  );
  if (!result.passed) console.error("FAILED: a median is below what it must be at least");
}
if (!result.passed) process.exitCode = 1;
