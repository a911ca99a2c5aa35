// Measures the cost of validating an event's document against its schema. First it measures the processor time of one
// document, its text parsed and checked, both the generated text and JSONB's. Then it measures the processor time of
// train-sim for each event that is added and processed, with every document validated, one in a hundred and none,
// interleaved in one run at one rate. The bench exits with 1 if one in a hundred costs more than 3 %. Run `npm run build`
// first: it measures the built program.
import { median } from "#program/analysis/statistics/quantiles.js";
import { processCpuSeconds } from "#program/foundation/process-usage.js";
import { DocumentGenerator } from "#program/workloads/train-events/model/document-generator.js";
import { jsonbText } from "#program/workloads/train-events/model/document-values.js";
import { invalidityOf } from "#program/workloads/train-events/model/event.js";
import { percent, treatmentsOf } from "./paired-cost.mjs";

const BOUND = 0.03;
const DOCUMENTS = 10_000;
const ROUNDS = 9;
const WARM_UP_ROUNDS = 3;

const generator = new DocumentGenerator(1, "bench");
const indices = Array.from({ length: DOCUMENTS }, (_, index) => index);
const TEXTS = {
  "as made": indices.map((index) => generator.at(index).json),
  "as JSONB": indices.map((index) => jsonbText(generator.valuesAt(index))),
};

function microsOfOne(texts) {
  const before = processCpuSeconds();
  for (const text of texts) if (invalidityOf(text) !== undefined) throw new Error(`invalid: ${text}`);
  return ((processCpuSeconds() - before) / texts.length) * 1e6;
}

/** Text with the median, the smallest and the largest value of a figure. */
function spread(values, format) {
  const sorted = values.toSorted((a, b) => a - b);
  return `${format(median(sorted))} (${format(sorted[0])} .. ${format(sorted.at(-1))}, ${sorted.length} rounds)`;
}

for (const [name, texts] of Object.entries(TEXTS)) {
  const rounds = Array.from({ length: WARM_UP_ROUNDS + ROUNDS }, () => microsOfOne(texts));
  console.log(
    `a document ${name}: ${spread(rounds.slice(WARM_UP_ROUNDS), (micros) => `${micros.toFixed(1)} us`)}`,
  );
}

/** Processor time of train-sim in microseconds per event that was added or processed, by block. */
function microsOfEvents({ trials }) {
  return trials.map(
    ({ client, operations: { add, process } }) => (client.cpuSeconds / (add.events + process.events)) * 1e6,
  );
}

const treatments = treatmentsOf("validation.yaml");
const [off, sample, all] = ["off", "sample", "all"].map((level) =>
  microsOfEvents(treatments.find(({ levels }) => levels.validate === level)),
);
console.log(`client CPU of an event, off: ${spread(off, (micros) => `${micros.toFixed(1)} us`)}`);
for (const [name, micros] of Object.entries({ sample, all })) {
  const costs = micros.map((each, block) => each / off[block] - 1);
  console.log(`${name} costs ${spread(costs, percent)} more`);
  if (name === "sample" && median(costs.toSorted((a, b) => a - b)) > BOUND) process.exitCode = 1;
}
