import { chosenValue, type Chart, type LegendEntry, type Plot, type View } from "./charts/drawing.js";
import { validityObjection } from "./charts/view.js";
import { element } from "./dom.js";
import { startChart, type EChartsType } from "./echarts.js";
import { renderTable, scrollPlace } from "./table.js";

export type ChoiceHandler = (chart: string, control: string, value: string) => void;

/** Width of printed pages: A4 less its margins. */
export const PAPER_WIDTH_PX = 680;

export class ChartSection {
  readonly element: HTMLElement;
  private readonly place = element("div", { class: "chart-picture", role: "img" });
  private readonly legend = element("div", { class: "chart-legend", role: "group", "aria-label": "Legend" });
  private readonly note = element("span", { class: "chart-note" });
  private readonly objection = element("strong", { class: "objection" });
  private readonly tablePlace: HTMLElement;
  private readonly table = element("details", { class: "chart-table" }, element("summary", {}, "Table"));
  private readonly selects = new Map<string, HTMLSelectElement>();
  private readonly hiddenNames = new Set<string>();
  private drawnChart: EChartsType | undefined;
  private plot: Plot | undefined;

  constructor(
    readonly chart: Chart,
    view: View,
    choose: ChoiceHandler,
  ) {
    this.place.id = `${chart.id}-picture`;
    this.tablePlace = scrollPlace(`Table: ${chart.title}`);
    this.table.append(this.tablePlace);
    this.table.addEventListener("toggle", () => this.fillTable());
    const controls = this.makeControls(view, choose);
    const title = element("h3", { id: `${chart.id}-title` }, chart.title);
    const content = [
      element(
        "div",
        { class: "chart-head" },
        ...(chart.isFolded ? [] : [title]),
        this.objection,
        ...(controls.length > 0 ? [element("div", { class: "chart-controls" }, ...controls)] : []),
        this.table,
        this.legend,
      ),
      element(
        "p",
        { class: "chart-words muted" },
        element("span", { class: "chart-lead" }, `${chart.lead} `),
        this.note,
      ),
      element("figure", {}, this.place),
    ];
    this.element = element(
      "section",
      { class: "chart", id: chart.id, "data-chart": chart.id, "aria-labelledby": `${chart.id}-title` },
      ...(chart.isFolded
        ? [element("details", { class: "fold" }, element("summary", {}, title), ...content)]
        : content),
    );
  }

  get widthPx(): number {
    return this.element.clientWidth;
  }

  draw(view: View): void {
    const drawing = this.chart.draw(view);
    this.plot = drawing.kind === "plot" ? drawing : undefined;
    this.element.classList.toggle("is-empty", this.plot === undefined);
    for (const part of [this.place, this.legend, this.table]) part.hidden = this.plot === undefined;
    this.note.textContent = drawing.kind === "plot" ? (drawing.note ?? "") : drawing.why;
    this.objection.textContent = this.plot ? (validityObjection(view) ?? "") : "";
    this.objection.hidden = this.objection.textContent === "";
    for (const control of this.chart.controls?.(view.report) ?? []) {
      const select = this.selects.get(control.id);
      if (select) select.value = chosenValue(view, control);
    }
    if (this.plot) this.paint(this.plot, view);
    else this.drawnChart?.clear();
    this.fillTable();
  }

  private paint(plot: Plot, view: View): void {
    this.drawnChart ??= startChart(this.place, view.widthPx, plot.heightPx);
    this.place.setAttribute("aria-label", [this.objection.textContent, plot.words].join(" ").trim());
    this.place.style.height = `${plot.heightPx}px`;
    const isHere = (name: string): boolean => plot.legend.some((entry) => entry.name === name);
    const selected = Object.fromEntries([...this.hiddenNames].filter(isHere).map((name) => [name, false]));
    const legend = { show: false, selected, data: plot.legend.map(({ name }) => name) };
    this.drawnChart.resize({ width: view.widthPx, height: plot.heightPx, silent: true });
    // Without animation, paper and screen readers get the same picture as the screen.
    this.drawnChart.setOption({ animation: false, ...plot.option, legend }, { notMerge: true });
    this.drawnChart.getZr().flush();
    this.legend.replaceChildren(...plot.legend.map((entry) => this.legendButton(entry, view)));
    this.legend.hidden = plot.legend.length === 0;
  }

  private legendButton(
    { name, colour, dash, isFilled }: LegendEntry,
    { treatments }: View,
  ): HTMLButtonElement {
    const swatch = element("span", {
      class: `swatch ${isFilled ? "filled" : (dash ?? "solid")}`,
      "aria-hidden": "true",
    });
    swatch.style.color = colour;
    const isShown = (): string => String(!this.hiddenNames.has(name));
    const title = treatments.find(({ label }) => label === name)?.id;
    const button = element("button", { type: "button", title, "aria-pressed": isShown() }, swatch, name);
    button.addEventListener("click", () => {
      if (!this.hiddenNames.delete(name)) this.hiddenNames.add(name);
      button.setAttribute("aria-pressed", isShown());
      this.drawnChart?.dispatchAction({ type: "legendToggleSelect", name });
    });
    return button;
  }

  private makeControls(view: View, choose: ChoiceHandler): HTMLElement[] {
    return (this.chart.controls?.(view.report) ?? []).map((control) => {
      const options = control.choices.map(([value, text]) => element("option", { value }, text));
      const select = element("select", { id: `${this.chart.id}-${control.id}` }, ...options);
      select.addEventListener("change", () => choose(this.chart.id, control.id, select.value));
      this.selects.set(control.id, select);
      return element("label", {}, control.label, " ", select);
    });
  }

  private fillTable(): void {
    const plot = this.table.open ? this.plot : undefined;
    this.tablePlace.replaceChildren(...(plot ? [renderTable(plot.table())] : []));
  }
}
