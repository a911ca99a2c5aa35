// The last table of `summary.txt`: parameters of the run and their values, from the stored document alone.
import { verdictText } from "../../analysis/diagnosis/validity.js";
import { UsageError } from "../../foundation/errors.js";
import { rangeText } from "../../foundation/text/numbers.js";
import { renderParameters } from "../../foundation/text/text-table.js";
import { durationText } from "../../foundation/units.js";
import { SCENARIO_FILE } from "../../results/directory.js";
import type { ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { parseScenario } from "../../scenario/loader.js";
import { conditions } from "../../scenario/plan/conditions.js";
import { labelsOf } from "../findings/treatment-labels.js";

function trialCounts(result: ResultDocument): { complete: number; run: number } {
  const trials = result.treatments.flatMap((treatment) => treatment.trials);
  return { complete: trials.filter((trial) => trial.status === "complete").length, run: trials.length };
}

/** Conditions of the treatments, as names and values; empty if this version cannot read the scenario. */
function workloadParameters({ scenario: { yaml, seed } }: ResultDocument): [string, string][] {
  try {
    const experiment = parseScenario(yaml, SCENARIO_FILE, { defaultSeed: seed });
    return conditions(experiment).map(([name = "", value = ""]) => [name, value]);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

const secondsText = (seconds: number): string => Number(seconds.toFixed(1)).toString();

/** Number and length of a treatment's complete windows. With a budget of iterations, the length is the time of equal work. */
function windowsText({ trials }: TreatmentResult): string {
  const seconds = trials.flatMap(({ status, windowSeconds }) =>
    status === "complete" ? [windowSeconds] : [],
  );
  if (seconds.length === 0) return "none complete";
  const mean = seconds.reduce((sum, each) => sum + each, 0) / seconds.length;
  const range = rangeText(Math.min(...seconds), Math.max(...seconds), secondsText);
  return new Set(seconds.map(secondsText)).size === 1
    ? `${seconds.length} of ${secondsText(mean)} s`
    : `${seconds.length} of ${range} s, mean ${secondsText(mean)} s`;
}

/** Times of the run, from the measurement windows of all trials, and the windows of each treatment; empty without trials. */
function timeParameters({ treatments }: ResultDocument): [string, string][] {
  const windows = treatments
    .flatMap(({ trials }) => trials)
    .map(({ startedAt, windowSeconds }) => ({
      startMs: Date.parse(startedAt),
      windowMs: windowSeconds * 1000,
    }));
  if (windows.length === 0) return [];
  const startMs = windows.reduce(
    (least, window) => Math.min(least, window.startMs),
    Number.POSITIVE_INFINITY,
  );
  const endMs = windows.reduce((most, window) => Math.max(most, window.startMs + window.windowMs), startMs);
  const texts = treatments.map(windowsText);
  const isEqual = new Set(texts).size === 1;
  const labels = labelsOf(treatments);
  const windowTexts = isEqual
    ? [`${texts[0] ?? ""}${treatments.length > 1 ? " for each treatment" : ""}`]
    : texts.map((text, i) => `${labels[i] ?? ""}: ${text}`);
  return [
    ["start", `${new Date(startMs).toISOString()}, of the first measurement window`],
    ["end", `${new Date(endMs).toISOString()}, of the last measurement window`],
    ["elapsed", `${durationText(Math.round((endMs - startMs) / 1000) * 1000)} from start to end`],
    ...windowTexts.map((text, i): [string, string] => [i === 0 ? "windows" : "", text]),
  ];
}

/** Lines of the table Parameter and Value: the run, its times, the conditions of its treatments, its environment. */
export function parameterLines(result: ResultDocument): string[] {
  const { complete, run } = trialCounts(result);
  const { versions, machine, settings } = result.environment;
  const pairs = (record: Readonly<Record<string, string | number>>): string =>
    Object.entries(record)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ");
  const parameters: (readonly [string, string])[] = [
    ["scenario", result.scenario.name],
    ["seed", String(result.scenario.seed)],
    ["treatments", labelsOf(result.treatments).join(", ")],
    ["trials", `${complete} complete of ${run} run, ${result.scenario.trials} planned`],
    ["verdict", verdictText(result.verdict)],
    ...timeParameters(result),
    ...workloadParameters(result),
    ...Object.entries(versions).map(([name, version]): [string, string] => [name, version]),
    ...(Object.keys(settings).length > 0 ? [["settings", pairs(settings)] as [string, string]] : []),
    ...(Object.keys(machine).length > 0 ? [["machine", pairs(machine)] as [string, string]] : []),
  ];
  return renderParameters(parameters);
}
