// The table behind a chart: a real one, with a caption and headed rows and columns, made when somebody opens it.
// It shows what the chart was made of, written as in its tooltips.
import type { ChartTable } from "./charts/drawing.js";
import { element } from "./dom.js";

export function renderTable({ caption, columns, rows }: ChartTable): HTMLElement {
  const head = columns.map((title, i) =>
    title === ""
      ? element("td")
      : element("th", { scope: "col", class: i > 0 ? "number" : undefined }, title),
  );
  const body = rows.map(([first = "", ...cells]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, String(first)),
      ...cells.map((cell) => element("td", { class: "number" }, String(cell))),
    ),
  );
  const table = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
  // What scrolls must be reached by keyboard too.
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
}
