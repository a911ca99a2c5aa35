// The page of a history needs no script to be read, and its policy forbids the browser to load or send anything.
import type { HistoryChange, HistoryRun } from "../../../analysis/history/run-history.js";
import {
  changeCells,
  changeHeading,
  CHANGE_NUMBER_TITLES,
  changeSurroundings,
  CHANGE_TEXT_TITLES,
  historyConclusions,
  historyHeading,
  historyNotes,
} from "../../findings/history-text.js";
import { html, jsonForScript, type Html } from "../html.js";
import { inlineAssets, type PageAssets } from "../page-assets.js";
import { sectionOf, sentence, tableOf, text } from "../sections/table.js";
import type { HistoryData, NamedHistory } from "./history-data.js";

function list(className: string, sentences: readonly string[]): Html {
  if (sentences.length === 0) return html``;
  return html`<ul class="${className}">
    ${sentences.map((words) => html`<li>${words}</li>`)}
  </ul>`;
}

function renderChange(change: HistoryChange): Html {
  return html`<h3>${changeHeading(change)}</h3>
    ${list("notes", changeSurroundings(change))}
    ${tableOf(
      `Metrics that changed at run ${change.run}`,
      [...CHANGE_TEXT_TITLES.map(text), ...CHANGE_NUMBER_TITLES, text("verdict")],
      change.metrics.map(changeCells),
    )}`;
}

function runRow({ reports }: NamedHistory, run: HistoryRun, number: number | string): (Html | string)[] {
  const { directory, startedAt, verdict, differences } = run;
  const report = reports[directory];
  return [
    String(number),
    startedAt.replace("T", " ").replace(/:\d\d\.\d+Z$/, " UTC"),
    report === undefined ? directory : html`<a href="${report}">${directory}</a>`,
    verdict,
    differences.map(({ words }) => words).join("; "),
  ];
}

function renderRuns(history: NamedHistory): Html {
  const { runs, notJudged } = history.document;
  return tableOf(
    "Runs, the oldest first",
    [
      text("run"),
      text("begun"),
      sentence("report"),
      text("verdict"),
      sentence("changed since the run before"),
    ],
    [
      ...runs.map((run, i) => runRow(history, run, i + 1)),
      ...notJudged.map((run) => runRow(history, run, "not judged")),
    ],
    true,
  );
}

function renderHistorySection(history: NamedHistory, index: number): Html {
  const { name, document } = history;
  const conclusions = historyConclusions(document).map(
    ({ words, items, tone }) =>
      html`<li class="finding" data-tone="${tone ?? "plain"}">${words}${list("because", items)}</li>`,
  );
  return sectionOf(
    `history-${index}`,
    name,
    html`<p class="muted">${historyHeading(document)}</p>
      ${list("notes", historyNotes(document))}
      <ul class="findings">
        ${conclusions}
      </ul>
      <div data-history="${index}"></div>
      ${document.changes.map(renderChange)} ${renderRuns(history)}`,
  );
}

/** Makes the page's HTML. Pure: the same data and assets give the same text. */
export function renderHistoryPage(data: HistoryData, assets: PageAssets): string {
  const { policy, script, style } = inlineAssets(assets);
  const title = data.histories.map(({ name }) => name).join(", ");
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title} - train-sim history</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        <header>
          <h1>train-sim history</h1>
        </header>
        ${list("notes", data.unreadable)}
        <noscript
          ><p>The charts need JavaScript. Changes and runs are in the text and the tables below.</p></noscript
        >
        <main>${data.histories.map(renderHistorySection)}</main>
        <footer>
          <p class="muted">
            Made by train-sim ${data.programVersion} from the result.json of each run. The value of a run is
            the median over its complete trials.
          </p>
        </footer>
        <script type="application/json" id="history-data">
          ${jsonForScript(data.histories)}
        </script>
        ${script}
      </body>
    </html> `;
  return page.markup;
}
