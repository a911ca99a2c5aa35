// Entry of the page of a history. It loads nothing and sends nothing.
import type { NamedHistory } from "../history-data.js";
import { historyCharts, type HistoryChart } from "../../page/charts/history.js";
import { element } from "../../page/dom.js";
import { currentTheme, isOnPaper, onLookChange } from "../../page/look.js";
import { PAPER_WIDTH_PX, Picture } from "../../page/picture.js";

/** Adds the section of a chart to `place`, and returns the function that draws it. */
function addChart(place: HTMLElement, id: string, { title, draw }: HistoryChart): () => void {
  const picture = new Picture(id, title);
  place.append(
    element(
      "section",
      { class: "chart", id, "aria-labelledby": `${id}-title` },
      element(
        "div",
        { class: "chart-head" },
        element("h3", { id: `${id}-title` }, title),
        picture.table,
        picture.legend,
      ),
      element("figure", {}, picture.place),
    ),
  );
  return () => {
    const widthPx = isOnPaper() ? PAPER_WIDTH_PX : place.clientWidth;
    picture.draw(draw({ theme: currentTheme(), widthPx }), widthPx);
  };
}

const histories = JSON.parse(document.getElementById("history-data")?.textContent ?? "[]") as NamedHistory[];
const drawings = histories.flatMap(({ document: history }, index) => {
  const place = document.querySelector<HTMLElement>(`[data-history="${index}"]`);
  if (!place) return [];
  return historyCharts(history).map((chart) => addChart(place, `history-${index}-${chart.metric}`, chart));
});

function drawAll(): void {
  for (const draw of drawings) draw();
}

drawAll();
onLookChange(drawAll);
let widthPx = document.body.clientWidth;
new ResizeObserver(() => {
  if (document.body.clientWidth === widthPx || isOnPaper()) return;
  widthPx = document.body.clientWidth;
  drawAll();
}).observe(document.body);
