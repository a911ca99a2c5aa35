// A plot with its legend, whose entries show and hide series, and with its table.
import type { LegendEntry, Plot } from "./charts/drawing.js";
import { element } from "./dom.js";
import { startChart, type EChartsType } from "./echarts.js";
import { renderTable, scrollPlace } from "./table.js";

/** Width of printed pages: A4 less its margins. */
export const PAPER_WIDTH_PX = 680;

export class Picture {
  readonly place = element("div", { class: "chart-picture", role: "img" });
  readonly legend = element("div", { class: "chart-legend", role: "group", "aria-label": "Legend" });
  readonly table = element("details", { class: "chart-table" }, element("summary", {}, "Table"));
  private readonly tablePlace: HTMLElement;
  private readonly hiddenNames = new Set<string>();
  private drawnChart: EChartsType | undefined;
  private plot: Plot | undefined;

  constructor(id: string, title: string) {
    this.place.id = `${id}-picture`;
    this.tablePlace = scrollPlace(`Table: ${title}`);
    this.table.append(this.tablePlace);
    this.table.addEventListener("toggle", () => this.fillTable());
  }

  /**
   * Draws the plot, or nothing if it is undefined. `objection` precedes the text alternative; `titleOf` gives the tooltip of
   * a legend entry.
   */
  draw(
    plot: Plot | undefined,
    widthPx: number,
    objection = "",
    titleOf: (name: string) => string | undefined = () => undefined,
  ): void {
    this.plot = plot;
    for (const part of [this.place, this.legend, this.table]) part.hidden = plot === undefined;
    if (plot) {
      this.place.setAttribute("aria-label", [objection, plot.words].join(" ").trim());
      this.paint(plot, widthPx);
      this.legend.replaceChildren(
        ...plot.legend.map((entry) => this.legendButton(entry, titleOf(entry.name))),
      );
      this.legend.hidden = plot.legend.length === 0;
    } else this.drawnChart?.clear();
    this.fillTable();
  }

  private paint(plot: Plot, widthPx: number): void {
    this.drawnChart ??= startChart(this.place, widthPx, plot.heightPx);
    this.place.style.height = `${plot.heightPx}px`;
    const isHere = (name: string): boolean => plot.legend.some((entry) => entry.name === name);
    const selected = Object.fromEntries([...this.hiddenNames].filter(isHere).map((name) => [name, false]));
    const legend = { show: false, selected, data: plot.legend.map(({ name }) => name) };
    this.drawnChart.resize({ width: widthPx, height: plot.heightPx, silent: true });
    // Without animation, paper and screen readers get the same picture as the screen.
    this.drawnChart.setOption({ animation: false, ...plot.option, legend }, { notMerge: true });
    this.drawnChart.getZr().flush();
  }

  private legendButton(
    { name, colour, dash, isFilled }: LegendEntry,
    title: string | undefined,
  ): HTMLButtonElement {
    const swatch = element("span", {
      class: `swatch ${isFilled ? "filled" : (dash ?? "solid")}`,
      "aria-hidden": "true",
    });
    swatch.style.color = colour;
    const isShown = (): string => String(!this.hiddenNames.has(name));
    const button = element("button", { type: "button", title, "aria-pressed": isShown() }, swatch, name);
    button.addEventListener("click", () => {
      if (!this.hiddenNames.delete(name)) this.hiddenNames.add(name);
      button.setAttribute("aria-pressed", isShown());
      this.drawnChart?.dispatchAction({ type: "legendToggleSelect", name });
    });
    return button;
  }

  private fillTable(): void {
    const plot = this.table.open ? this.plot : undefined;
    this.tablePlace.replaceChildren(...(plot ? [renderTable(plot.table())] : []));
  }
}
