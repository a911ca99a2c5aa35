// How many event documents one core makes in a second, since the generator shares the machine with the database
// it measures. Each document is also written out as bytes, as a driver does, because JavaScript would otherwise
// put off joining its fragments and the rate would flatter. Exits with 1 when the median of the rounds is below
// the floor (documents of the default size only). Run `npm run build` first: it measures the built program.
//
//   node bench/documents.mjs [--rounds 9] [--documents 100000] [--bytes 900] [--json]
import os from "node:os";
import { monotonicMs } from "#program/foundation/clock.js";
import { DEFAULT_DOCUMENT_BYTES, DocumentGenerator } from "#program/model/document-generator.js";
import { readOptions } from "./options.mjs";

/** The least that leaves the generator out of the picture: documents per second and core. */
const FLOOR_PER_SECOND = 100_000;
const WARM_UP_ROUNDS = 2;

/** Makes `documents` documents of a stream of their own. */
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

function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const options = readOptions({ rounds: 9, documents: 100_000, bytes: DEFAULT_DOCUMENT_BYTES });
for (let round = 0; round < WARM_UP_ROUNDS; round++) measureRound(`warm-up/${round}`, options);
const rounds = Array.from({ length: options.rounds }, (_, round) => measureRound(round, options));
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
  passed: options.bytes !== DEFAULT_DOCUMENT_BYTES || median(rates) >= FLOOR_PER_SECOND,
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
  if (!result.passed) console.error(`FAILED: the median is below ${FLOOR_PER_SECOND} documents per second`);
}
if (!result.passed) process.exitCode = 1;
