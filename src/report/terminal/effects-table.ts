// Marginal effects, and interactions that forbid to use them. Only interactions that the trials show are listed.
import type { Effect, Interaction, ResultDocument } from "../../results/result-schema.js";
import { HEADLINE_METRICS, labelOf } from "../../metrics/metric-lists.js";
import { noInteractionSentence } from "../findings/claims.js";
import { intervalText, ratioText } from "../../foundation/text/numbers.js";
import {
  REPORT_WIDTH_MAX,
  shorten,
  wrap,
  columnsOf,
  renderTableWithinWidth,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import { boundsOf } from "../../analysis/statistics/limits.js";
import { verdictLegend, markOf } from "../../metrics/names.js";
import { unitOf, unitsText, type Vocabulary } from "../../workloads/vocabulary.js";

const EFFECT_NAME_WIDTH_MAX = 48;

function cell(effect: Effect | undefined): string {
  if (!effect) return "-";
  const interval = intervalText(effect.ciLow, effect.ciHigh);
  return `${ratioText(effect.ratio)}${interval && ` ${interval}`} ${markOf(effect.verdict)}`;
}

function nameOf({ factor, level, baselineLevel }: Effect): string {
  return shorten(`${factor}: ${level} / ${baselineLevel}`, EFFECT_NAME_WIDTH_MAX);
}

function rows(effects: readonly Effect[]): string[][] {
  const keyOf = (effect: Effect): string =>
    JSON.stringify([effect.operation, effect.factor, effect.level, effect.baselineLevel]);
  const firstEffects = new Map(effects.map((effect) => [keyOf(effect), effect] as const).reverse());
  return [...firstEffects]
    .reverse()
    .map(([key, effect]) => [
      effect.operation,
      nameOf(effect),
      ...HEADLINE_METRICS.map((metric) =>
        cell(effects.find((each) => keyOf(each) === key && each.metric === metric)),
      ),
    ]);
}

/**
 * Line such as `- process mean: the ratio of payload text to jsonb is 1.4x as large with pool direct as with pg-pool (95 %
 * CI [1.2, 1.6])`.
 */
function interactionText(interaction: Interaction, vocabulary: Vocabulary): string {
  const { operation, metric, factor, level, baselineLevel, ratio, ciLow, ciHigh } = interaction;
  const { otherFactor, otherLevel, otherBaselineLevel } = interaction;
  return (
    `- ${operation} ${labelOf(metric, unitOf(vocabulary, operation))}: the ratio of ${factor} ${level} to ` +
    `${baselineLevel} is ${ratioText(ratio)} as large with ${otherFactor} ${otherLevel} as with ` +
    `${otherBaselineLevel} (95 % CI ${intervalText(ciLow, ciHigh)})`
  );
}

function interactionLines(interactions: readonly Interaction[], vocabulary: Vocabulary): string[] {
  if (interactions.length === 0) return [];
  const findings = interactions.filter(({ verdict }) => verdict === "finding");
  if (findings.length === 0) return [noInteractionSentence(interactions)];
  return [
    "Interactions: the effects above average over effects that differ; read the treatments one by one.",
    ...findings.map((each) => interactionText(each, vocabulary)),
  ];
}

/** Lines about main effects and interactions; empty unless two or more factors vary. */
export function renderEffects(result: ResultDocument, marks: TerminalMarks): string[] {
  const { effects = [], interactions = [] } = result;
  if (effects.length === 0) return [];
  const { workload: vocabulary } = result;
  const unit = unitsText(effects.map(({ operation }) => unitOf(vocabulary, operation)));
  const metrics = HEADLINE_METRICS.map((metric) => labelOf(metric, unit));
  return [
    marks.bold("Effects of each factor over the combinations of the others (geometric mean of ratios)"),
    ...wrap(`${verdictLegend(boundsOf(result).equivalence - 1)}.`, REPORT_WIDTH_MAX),
    "",
    ...renderTableWithinWidth(
      columnsOf(["operation", "level against baseline level"], metrics),
      rows(effects),
      marks,
    ),
    ...interactionLines(interactions, vocabulary).flatMap((line) => wrap(line, REPORT_WIDTH_MAX)),
    "",
  ];
}
