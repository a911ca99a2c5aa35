import { UsageError } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import type { Threshold } from "./judgement.js";
import type { Treatment } from "./settings.js";
import { metricsOf, parseThreshold } from "./thresholds.js";

/** Refuses an option's value with a message. */
export function refuseThreshold(option: string, text: string, message: string): never {
  throw new UsageError(
    elidedText(`${option} ${JSON.stringify(text)}: ${message}`, 500),
    "Write a metric, a colon and a condition, such as 'add: p(99)<50'.",
  );
}

/** Parses the value of a command-line option as a threshold. Throws a UsageError that names the option and the problem. */
export function parseThresholdOption(
  option: string,
  text: string,
  treatments: readonly Treatment[],
): Threshold {
  const match = /^\s*([^{:]+(?:\{[^}]*\})?)\s*:\s*(.+)$/.exec(text);
  const condition = { threshold: match?.[2] ?? "", abortOnFail: false, delayAbortEvalMs: 0 };
  const parsed = match
    ? parseThreshold(match[1] ?? "", condition, metricsOf(treatments))
    : { message: "expected a metric and a condition" };
  return "value" in parsed ? parsed.value : refuseThreshold(option, text, parsed.message);
}
