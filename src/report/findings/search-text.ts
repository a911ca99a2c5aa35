import { counted } from "../../foundation/units.js";
import { intervalText, shortNumber } from "../../foundation/text/numbers.js";
import { CAPACITY_PRECISION, type Capacity } from "../../results/capacity-schema.js";
import type { Estimate, Sweep } from "../../results/result-schema.js";

/** Text of the capacity's confidence interval; empty if the search found no rate. */
function intervalOf({ ciLow = null, ciHigh = null }: Capacity): string {
  if (ciLow === null && ciHigh === null) return "";
  const [low, high] = [ciLow, ciHigh].map((end) => (end === null ? "open" : shortNumber(end)));
  return `95 % CI [${low ?? ""}, ${high ?? ""}], `;
}

/** Text on the number of times that the found rate was probed again, and how often it held if not always. */
function repetitionCountText({ confirmations, probes, ratePerSecond }: Capacity): string {
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

/** Sentence with the result of the search. */
export function capacityText(capacity: Capacity): string {
  const { treatment, outcome, ratePerSecond, failsAtPerSecond } = capacity;
  const { metric, expression, clients, probes } = capacity;
  const holds = `${metric}: ${expression} holds`;
  const confirmationText = intervalOf(capacity) + repetitionCountText(capacity);
  const limit = `with at most ${counted(clients, "client")} at work`;
  switch (outcome) {
    case "found":
      return `${treatment}: ${holds} up to ${ratePerSecond ?? "?"} arrivals/s (${confirmationText}), not at ${failsAtPerSecond ?? "?"}/s, ${limit}`;
    case "at-least":
      return `${treatment}: ${holds} at ${ratePerSecond ?? "?"} arrivals/s (${confirmationText}), the highest rate of a search, ${limit}`;
    case "none":
      return `${treatment}: no rate was found at which ${holds}, ${limit}`;
    case "inconclusive":
      return `${treatment}: inconclusive for ${metric}: ${expression}: ${contradictionText(capacity)}, ${limit}`;
    case "stopped":
      return `${treatment}: the search was stopped after ${counted(probes.length, "probe")}: no rate is confirmed`;
  }
}

const STEADINESS_ADVICE =
  "Find the cause (another load, a growing table, a hot processor), then search again.";
const LONGER_TRIALS_ADVICE = "Use more trials or a longer trial.duration.";

/** Sentences on probes that do not count, on an interval wider than the search aims at, and on the remedy. */
export function resolutionTexts({ probes, resolution, outcome, drift }: Capacity): string[] {
  const discardedProbe = probes.find((probe) => probe.discarded);
  const recoverProbes = probes.filter(({ purpose }) => purpose === "recover");
  const failed = recoverProbes.filter(({ held }) => !held).length;
  const recoverProbesText = `${counted(recoverProbes.length, "recover probe does", "recover probes do")} not count: each follows an overload, ${failed} failed.`;
  const percent = Math.round((resolution ?? 0) * 100);
  return [
    ...(discardedProbe
      ? [`Trial ${discardedProbe.trial} is discarded: the first probe meets a cold server.`]
      : []),
    ...(recoverProbes.length > 0 ? [recoverProbesText] : []),
    ...(percent > CAPACITY_PRECISION * 100
      ? [
          `The interval is ${percent} % wide, the search aims at ${CAPACITY_PRECISION * 100} %: probes near the capacity disagree. ${LONGER_TRIALS_ADVICE}`,
        ]
      : []),
    ...(outcome === "inconclusive" ? [drift ? STEADINESS_ADVICE : LONGER_TRIALS_ADVICE] : []),
  ];
}

/** Text of an estimate and its interval with three significant digits, since coefficients may be very small. */
function estimateText({ value, low, high }: Estimate): string {
  const [middle, ...ends] = [value, low, high].map((each) => Number(each.toPrecision(3)).toString());
  return `${middle ?? ""} [${ends.join(", ")}]`;
}

/**
 * Sentence with the coefficients of the fitted scalability law, their intervals and the peak, or with the reason why there
 * is no law.
 */
export function scalabilityLawText({ usl }: Pick<Sweep, "usl">, unit: string): string {
  if (usl.status === "refused") return `No scalability law: ${usl.reason}.`;
  const { lambda, sigma, kappa, peakClients, peakReason, rSquared } = usl;
  const peak = peakClients
    ? `throughput peaks at ${counted(Math.round(peakClients.value), "client")} ${intervalText(Math.round(peakClients.low), Math.round(peakClients.high), String)}`
    : (peakReason ?? "no peak is known");
  return (
    `Universal Scalability Law, with 95 % intervals: lambda ${estimateText(lambda)} ${unit}/s of one client, contention ` +
    `sigma ${estimateText(sigma)}, coherency kappa ${estimateText(kappa)}; R squared ${rSquared.toFixed(3)}; ${peak}.`
  );
}
