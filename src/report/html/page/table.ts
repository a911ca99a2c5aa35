// The table behind a chart, created when opened. Its scroll position stays when it is created again.
import type { ChartTable } from "./charts/drawing.js";
import { element } from "./dom.js";

export function renderTable({ caption, columns, rows }: ChartTable): HTMLTableElement {
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
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
}

/** A frame in which a table scrolls. It can have the focus, so that readers can scroll it by keyboard. */
export function scrollPlace(label: string): HTMLElement {
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label });
}
