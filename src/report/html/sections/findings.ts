// The first section: whether the numbers may be used, findings, thresholds, caveats. Bad news comes first.
import { counted } from "../../../foundation/units.js";
import { verdictText } from "../../../analysis/diagnosis/validity.js";
import type { ResultDocument } from "../../../results/result-schema.js";
import { html, type Html } from "../html.js";
import type { KeyFinding } from "../../findings/key-findings.js";
import type { ReportData } from "../report-data.js";
import { PUBLISHED_COLUMNS, publishedTables } from "../../findings/published-text.js";
import {
  allHoldText,
  judgedTreatmentText,
  thresholdNote,
  outcomeOf,
  measuredThresholdText,
  thresholdHeading,
} from "../../findings/threshold-text.js";
import { resultTable } from "../../findings/result-table.js";
import { PLANS_ID } from "./numbers.js";
import { renderForest } from "./forest.js";
import { foldOf, sectionOf, sentence, tableOf, text } from "./table.js";

export function renderHeader({ scenario, treatments, environment }: ResultDocument): Html {
  const trials = treatments.flatMap((treatment) => treatment.trials);
  const complete = trials.filter(({ status }) => status === "complete").length;
  const started = trials.map(({ startedAt }) => startedAt).sort()[0];
  const versions = Object.entries(environment.versions)
    .filter(([name]) => name !== "node" && name !== "server")
    .map(([name, version]) => `${name} ${version}`);
  return html`<header>
    <p class="muted">train-sim report</p>
    <h1>${scenario.name}</h1>
    <p class="muted">
      ${counted(treatments.length, "treatment")}, ${complete} complete of
      ${counted(scenario.trials, "planned trial")}${
        started &&
        html`, begun
          <time datetime="${started}">${started.replace("T", " ").replace(/\.\d+Z$/, " UTC")}</time>`
      },
      ${versions.join(", ")}
    </p>
  </header> `;
}

/** First words of findings about plans. Such a finding gets a link to the plans in the page. */
const PLAN_FINDING_PREFIX = "Plan flip";

function findingItem({ tone, text: words, because }: KeyFinding): Html {
  const reasons = because.map((reason) => html`<li>${reason}</li>`);
  return html`<li class="finding" data-tone="${tone}">
    ${words.startsWith(PLAN_FINDING_PREFIX) ? html`${words} <a href="#${PLANS_ID}">Plans</a>` : words}${
      because.length > 0 &&
      html`<ul>
        ${reasons}
      </ul>`
    }
  </li> `;
}

function medianTable(result: ResultDocument): Html {
  const { metricTitles, rows, legend } = resultTable(result);
  return html`${tableOf(
    legend,
    [text("operation"), text("treatment"), ...metricTitles, "failed"],
    rows.map(({ operation, treatment, cells, failed }) => [operation, treatment, ...cells, failed]),
    true,
  )}`;
}

function thresholdTable({ thresholds = [] }: ResultDocument): Html {
  const rows = thresholds.map((threshold) => [
    `${threshold.metric} ${threshold.expression}`,
    outcomeOf(threshold).words,
    judgedTreatmentText(threshold),
    measuredThresholdText(threshold),
    thresholdNote(threshold),
  ]);
  const heading = thresholdHeading(thresholds);
  const columns = [text("threshold"), text("verdict"), text("treatment"), "seen", sentence("note")];
  const table = tableOf(heading, columns, rows);
  return allHoldText(thresholds) === undefined ? table : foldOf(heading, table);
}

function publishedFigureTables(result: ResultDocument): Html[] {
  const columns = PUBLISHED_COLUMNS.map(({ title, align }) => (align === "left" ? text(title) : title));
  return publishedTables(result).map(({ title, rows }) => tableOf(title, columns, rows));
}

/** Section with the verdict and all findings. Reasons of the verdict come first among the findings. */
export function renderFindings({ result, findings, notes }: ReportData): Html {
  const verdict = verdictText(result.verdict);
  return sectionOf(
    "findings",
    "Verdict and key findings",
    html`<p class="verdict" data-tone="${verdict === "ok" ? "good" : "bad"}">
        Verdict: <strong>${verdict}</strong>
      </p>
      ${renderForest(result)}
      <ul class="findings">
        ${findings.map(findingItem)}
      </ul>
      ${medianTable(result)} ${thresholdTable(result)} ${publishedFigureTables(result)}
      ${
        notes.length > 0 &&
        html`<h3>Caveats</h3>
          <ul class="notes">
            ${notes.map((note) => html`<li>${note}</li>`)}
          </ul>`
      } `,
  );
}
