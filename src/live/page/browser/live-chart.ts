import { liveChart } from "../live-charts.js";
import type { LiveStore } from "../live-store.js";
import type { Plot } from "../../../report/html/page/charts/drawing.js";
import { plotLines } from "../../../report/html/page/charts/line-panels.js";
import { element } from "../../../report/html/page/dom.js";
import { startChart, type EChartsType } from "../../../report/html/page/echarts.js";
import { currentTheme } from "../../../report/html/page/look.js";
import { renderTable, scrollPlace } from "../../../report/html/page/table.js";

export class LiveChart {
  readonly element: HTMLElement;
  private readonly legend = element("div", { class: "chart-legend" });
  private readonly place = element("div", { class: "chart-picture", role: "img", id: "live-picture" });
  private readonly tablePlace = scrollPlace("Table: over time");
  private readonly table = element(
    "details",
    { class: "chart-table" },
    element("summary", {}, "Table"),
    this.tablePlace,
  );
  private drawnChart: EChartsType | undefined;
  private plot: Plot | undefined;

  constructor() {
    this.table.addEventListener("toggle", () => this.fillTable());
    this.element = element(
      "section",
      { class: "chart", hidden: true },
      element("h2", {}, "Over time"),
      this.legend,
      element("figure", {}, this.place),
      this.table,
    );
  }

  draw(store: LiveStore): void {
    const theme = currentTheme();
    const chart = liveChart(store, theme);
    this.element.hidden = chart === undefined;
    if (!chart) return;
    const widthPx = this.element.clientWidth;
    const plot = plotLines(chart, { theme, widthPx });
    this.plot = plot;
    this.drawnChart ??= startChart(this.place, widthPx, plot.heightPx);
    this.place.setAttribute("aria-label", plot.words);
    this.place.style.height = `${plot.heightPx}px`;
    this.drawnChart.resize({ width: widthPx, height: plot.heightPx, silent: true });
    this.drawnChart.setOption(
      { animation: false, ...plot.option, legend: { show: false } },
      { notMerge: true },
    );
    this.legend.replaceChildren(
      ...plot.legend.map(({ name, colour, dash }) => {
        const swatch = element("span", { class: `swatch ${dash ?? "solid"}`, "aria-hidden": "true" });
        swatch.style.color = colour;
        return element("span", { class: "entry" }, swatch, name);
      }),
    );
    this.fillTable();
  }

  private fillTable(): void {
    const plot = this.table.open ? this.plot : undefined;
    this.tablePlace.replaceChildren(...(plot ? [renderTable(plot.table())] : []));
  }
}
