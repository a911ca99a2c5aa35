// `report.html` needs no script to be read, and its policy forbids the browser to load or send anything.
import { html, jsonForScript, type Html } from "./html.js";
import { inlineAssets, type PageAssets } from "./page-assets.js";
import type { ReportData } from "./report-data.js";
import { renderComparisons } from "./sections/comparisons.js";
import { renderFaults } from "./sections/faults.js";
import { renderFindings, renderHeader } from "./sections/findings.js";
import { renderNumbers } from "./sections/numbers.js";
import { renderEnvironment, renderParameters } from "./sections/parameters.js";

/** Sections in the order of the page. */
const SECTIONS: readonly (readonly [id: string, title: string])[] = [
  ["findings", "Findings"],
  ["charts", "Charts"],
  ["comparisons", "Every comparison"],
  ["faults", "Faults"],
  ["numbers", "Every number"],
  ["parameters", "Parameters"],
  ["environment", "Environment"],
];

function bodyOf(data: ReportData): Html {
  const { result, programVersion } = data;
  const sections = SECTIONS.filter(([id]) => id !== "faults" || result.faults.length > 0);
  const links = sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li> `);
  return html`<a class="skip" href="#findings">To the findings</a>
    ${renderHeader(result)}
    <nav id="sections" aria-label="Sections">
      <ul>
        ${links}
      </ul>
    </nav>
    ${renderFindings(data)}
    <noscript
      ><p>The charts need JavaScript. Every number that they show is in the tables below.</p></noscript
    >
    <main id="charts"></main>
    ${renderComparisons(result)}${renderFaults(result)}${renderNumbers(result)}${renderParameters(result)}
    ${renderEnvironment(result)}
    <footer>
      <p class="muted">
        Made by train-sim ${programVersion} from result.json and the files of the trials. Times are in
        milliseconds. Percentiles of a trial come from its merged histogram; those of a treatment are medians
        of its trials' percentiles.
      </p>
    </footer> `;
}

/** Makes the report's HTML. Pure: the same data and assets give the same text. */
export function renderReport(data: ReportData, assets: PageAssets): string {
  const { policy, script, style } = inlineAssets(assets);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${data.result.scenario.name} - train-sim report</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        ${bodyOf(data)}${dataElement(data)} ${script}
      </body>
    </html> `;
  return page.markup;
}

function dataElement(data: ReportData): Html {
  return html`<script type="application/json" id="report-data">
    ${jsonForScript(data)}
  </script>`;
}
