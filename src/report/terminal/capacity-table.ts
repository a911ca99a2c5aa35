// A search for capacity as text: the answer in a sentence for each treatment, then the curve that was walked, in the
// order of the probes, each with what it was asked, offered and achieved and why it does not hold. What speaks against
// the probes themselves follows: a limit of the generator is no limit of the database.
import { counted } from "../../foundation/units.js";
import { CAPACITY_PRECISION, type Capacity, type CapacityProbe } from "../../results/capacity-schema.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import {
  printable,
  renderTable,
  shorten,
  wrap,
  WIDTH_MAX,
  type Column,
  type Marks,
} from "../../foundation/text/text-table.js";

const WHY_WIDTH_MAX = 52;

const COLUMNS: readonly Column[] = [
  "trial",
  "probe",
  "asked/s",
  "offered/s",
  "done/s",
  "p99(ms)",
  "held",
].map((title): Column => ({ title, align: title === "probe" || title === "held" ? "left" : "right" }));

/** Empty if the search found no rate. */
function intervalOf({ ciLow = null, ciHigh = null }: Capacity): string {
  if (ciLow === null && ciHigh === null) return "";
  const [low, high] = [ciLow, ciHigh].map((end) => (end === null ? "open" : shortNumber(end)));
  return `95 % CI [${low ?? ""}, ${high ?? ""}], `;
}

/** How often the rate was asked again, and how often it held where that is not always. */
function repeatedText({ confirmations, probes, ratePerSecond }: Capacity): string {
  const failed = probes.filter(
    (each) => each.purpose === "confirm" && each.ratePerSecond === ratePerSecond && !each.held,
  ).length;
  return failed === 0
    ? `repeated ${counted(confirmations, "time")}`
    : `held ${confirmations} of ${counted(confirmations + failed, "repetition")}`;
}

function contradictionText({ drift, probes }: Capacity): string {
  if (!drift) return `${counted(probes.length, "probe")} contradict each other`;
  const { firstPerSecond: first, lastPerSecond: last } = drift;
  const verb = last < first ? "fell" : "rose";
  return `the capacity ${verb} from ${shortNumber(first)} to ${shortNumber(last)} arrivals/s during the search`;
}

/** The result of the search, in a sentence. */
export function capacityText(capacity: Capacity): string {
  const { treatment, outcome, ratePerSecond, failsAtPerSecond } = capacity;
  const { metric, expression, clients, probes } = capacity;
  const holds = `${metric}: ${expression} holds`;
  const repeated = intervalOf(capacity) + repeatedText(capacity);
  const limit = `with at most ${counted(clients, "client")} at work`;
  switch (outcome) {
    case "found":
      return `${treatment}: ${holds} up to ${ratePerSecond ?? "?"} arrivals/s (${repeated}), not at ${failsAtPerSecond ?? "?"}/s, ${limit}`;
    case "at-least":
      return `${treatment}: ${holds} at ${ratePerSecond ?? "?"} arrivals/s (${repeated}), the highest rate of a search, ${limit}`;
    case "none":
      return `${treatment}: no rate was found at which ${holds}, ${limit}`;
    case "inconclusive":
      return `${treatment}: inconclusive for ${metric}: ${expression}: ${contradictionText(capacity)}, ${limit}`;
    case "stopped":
      return `${treatment}: the search was stopped after ${counted(probes.length, "probe")}: no rate is confirmed`;
  }
}

function heldText({ held, discarded, reason = "" }: CapacityProbe): string {
  if (discarded === true) return "discarded";
  return held ? "yes" : `no: ${shorten(printable(reason), WHY_WIDTH_MAX)}`;
}

function table({ probes }: Capacity): string[] {
  const rows = probes.map((probe) => [
    String(probe.trial),
    probe.purpose,
    String(probe.ratePerSecond),
    shortNumber(probe.offeredPerSecond),
    shortNumber(probe.achievedPerSecond),
    probe.p99Ms === null ? "-" : shortNumber(probe.p99Ms),
    heldText(probe),
  ]);
  return renderTable(COLUMNS, rows);
}

const STEADY = "Find the cause (another load, a growing table, a hot processor), then search again.";
const LONGER = "Use more trials or a longer trial.duration.";

/** Probes without a part in the result, the width of the interval if it misses its aim, and the remedy. */
export function resolutionTexts({ probes, resolution, outcome, drift }: Capacity): string[] {
  const discarded = probes.find((probe) => probe.discarded);
  const recovering = probes.filter(({ purpose }) => purpose === "recover");
  const failed = recovering.filter(({ held }) => !held).length;
  const recovered = `${counted(recovering.length, "recover probe does", "recover probes do")} not count: each follows an overload, ${failed} failed.`;
  const percent = Math.round((resolution ?? 0) * 100);
  return [
    ...(discarded ? [`Trial ${discarded.trial} is discarded: the first probe meets a cold server.`] : []),
    ...(recovering.length > 0 ? [recovered] : []),
    ...(percent > CAPACITY_PRECISION * 100
      ? [
          `The interval is ${percent} % wide, the search aims at ${CAPACITY_PRECISION * 100} %: probes near the capacity disagree. ${LONGER}`,
        ]
      : []),
    ...(outcome === "inconclusive" ? [drift ? STEADY : LONGER] : []),
  ];
}

/** What speaks against the probes themselves, once for each check: was it the database that could not do more? */
function doubts(capacity: Capacity): string[] {
  const probes = capacity.probes.filter(({ discarded }) => discarded !== true);
  const byCheck = new Map<string, string[]>();
  for (const { check, words } of probes.flatMap((probe) => probe.doubts ?? []))
    byCheck.set(check, [...(byCheck.get(check) ?? []), words]);
  return [...byCheck.values()].map(
    (words) => `in doubt, ${words.length} of ${counted(probes.length, "probe")}: ${words[0] ?? ""}`,
  );
}

/** Empty where no capacity was searched for. */
export function renderCapacity(capacities: readonly Capacity[], marks: Marks): string[] {
  return capacities.flatMap((capacity) => [
    ...wrap(printable(capacityText(capacity)), WIDTH_MAX).map(marks.bold),
    ...table(capacity),
    ...resolutionTexts(capacity).flatMap((words) => wrap(words, WIDTH_MAX)),
    ...doubts(capacity).flatMap((words) => wrap(printable(words), WIDTH_MAX).map(marks.bad)),
    "",
  ]);
}
