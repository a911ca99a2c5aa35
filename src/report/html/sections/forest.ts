// Headline comparisons as a forest plot without script. Its rows are a table, with each ratio and verdict in words.
import type { ResultDocument } from "../../../results/result-schema.js";
import {
  forestOf,
  positionOnAxis,
  type Forest,
  type ForestRow,
  type RatioAxis,
} from "../../findings/forest.js";
import { html, type HtmlValue, type Html } from "../html.js";
import { DARK, LIGHT, treatmentColour } from "../page/charts/theme.js";
import { treatmentNames } from "./table.js";

/** Percentage of the width that stays free at each end of the axis, so that a mark at the end fits. */
const EDGE_PERCENT = 3;
const ROW_HEIGHT_PX = 22;
const MARK_RADIUS_PX = 5;

function positionPercent(axis: RatioAxis, ratio: number): string {
  return `${(EDGE_PERCENT + positionOnAxis(axis, ratio) * (100 - 2 * EDGE_PERCENT)).toFixed(2)}%`;
}

/** Marks of a row, one for each colour scheme, in the colour that the treatment has in all charts. */
function marksOf({ comparison, spread, isBelieved }: ForestRow, axis: RatioAxis, index: number): Html[] {
  return [LIGHT, DARK].map((theme) => {
    const colour = treatmentColour(theme, index);
    const middle = positionPercent(axis, comparison.ratio);
    const fill = isBelieved ? colour : theme.page;
    const line =
      spread &&
      html`<line
        x1="${positionPercent(axis, spread[0])}"
        x2="${positionPercent(axis, spread[1])}"
        y1="50%"
        y2="50%"
      />`;
    return html`<g class="on-${theme.name}" stroke="${colour}" stroke-width="2">
      ${line}<circle cx="${middle}" cy="50%" r="${MARK_RADIUS_PX}" fill="${fill}" />
    </g>`;
  });
}

function rowOf(row: ForestRow, { axis, equivalence }: Forest, index: number): Html {
  const [from, to, one] = [1 / equivalence, equivalence, 1].map((ratio) => positionPercent(axis, ratio));
  const band = `${(parseFloat(to ?? "") - parseFloat(from ?? "")).toFixed(2)}%`;
  return html`<svg width="100%" height="${ROW_HEIGHT_PX}" aria-hidden="true">
    <rect class="band" x="${from}" width="${band}" y="0" height="100%" />
    <line class="one" x1="${one}" x2="${one}" y1="0" y2="100%" />
    ${marksOf(row, axis, index)}
  </svg>`;
}

function renderAxis(axis: RatioAxis): Html {
  const ticks = axis.ticks.map(
    (tick) => html`<text x="${positionPercent(axis, tick)}" y="80%" text-anchor="middle">${tick}x</text>`,
  );
  return html`<svg width="100%" height="${ROW_HEIGHT_PX}" aria-hidden="true">${ticks}</svg>`;
}

export function renderForest(result: ResultDocument): Html {
  const forest = forestOf(result);
  if (!forest) return html``;
  const { rows, omittedCount, equivalence } = forest;
  const nameOf = treatmentNames(result.treatments);
  const baselines = new Set(rows.map(({ comparison }) => comparison.baseline));
  const [baseline = ""] = baselines;
  const pairNames = ({ comparison: { treatment, baseline: other } }: ForestRow): HtmlValue =>
    baselines.size === 1 ? nameOf(treatment) : [nameOf(treatment), " / ", nameOf(other)];
  const hasRangeOverBlocks = rows.some(({ isInterval, spread }) => spread && !isInterval);
  const body = rows.map((row) => {
    const index = result.treatments.findIndex(({ id }) => id === row.comparison.treatment);
    return html`<tr>
      <th scope="row">${row.name}</th>
      <td>${pairNames(row)}</td>
      <td class="plot">${rowOf(row, forest, index)}</td>
      <td class="number">${row.text}</td>
      <td>${row.verdict}</td>
    </tr> `;
  });
  return html`<div class="forest">
    <table>
      <caption>
        Ratio of each treatment to ${baselines.size === 1 ? nameOf(baseline) : "its baseline"}, with its 95 %
        interval${hasRangeOverBlocks && " [a, b], or its range over blocks a..b"}
        ${!result.verdict.timings.isValid && html`<strong class="objection">timings not valid</strong>`}
      </caption>
      <thead>
        <tr>
          <th scope="col">metric</th>
          <th scope="col">treatment</th>
          <th scope="col" class="plot" aria-label="plot">${renderAxis(forest.axis)}</th>
          <th scope="col" class="number">ratio</th>
          <th scope="col">verdict</th>
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
    <p class="muted">
      Less is on the left of the line at 1, more on the right. A filled mark is a finding beyond the noise
      floor. The band is the margin of ${Number(((equivalence - 1) * 100).toFixed(1))} % within which values
      count as the
      same.${omittedCount > 0 && ` ${omittedCount} more headline comparisons are under Every comparison.`}
    </p>
  </div> `;
}
