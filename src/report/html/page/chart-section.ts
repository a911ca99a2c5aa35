import { chosenValue, type Chart, type View } from "./charts/drawing.js";
import { validityObjection } from "./charts/view.js";
import { element } from "./dom.js";
import { Picture } from "./picture.js";

export type ChoiceHandler = (chart: string, control: string, value: string) => void;

export class ChartSection {
  readonly element: HTMLElement;
  private readonly picture: Picture;
  private readonly note = element("span", { class: "chart-note" });
  private readonly objection = element("strong", { class: "objection" });
  private readonly selects = new Map<string, HTMLSelectElement>();

  constructor(
    readonly chart: Chart,
    view: View,
    choose: ChoiceHandler,
  ) {
    this.picture = new Picture(chart.id, chart.title);
    const controls = this.makeControls(view, choose);
    const title = element("h3", { id: `${chart.id}-title` }, chart.title);
    const content = [
      element(
        "div",
        { class: "chart-head" },
        ...(chart.isFolded ? [] : [title]),
        this.objection,
        ...(controls.length > 0 ? [element("div", { class: "chart-controls" }, ...controls)] : []),
        this.picture.table,
        this.picture.legend,
      ),
      element(
        "p",
        { class: "chart-words muted" },
        element("span", { class: "chart-lead" }, `${chart.lead} `),
        this.note,
      ),
      element("figure", {}, this.picture.place),
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
    const plot = drawing.kind === "plot" ? drawing : undefined;
    this.element.classList.toggle("is-empty", plot === undefined);
    this.note.textContent = drawing.kind === "plot" ? (drawing.note ?? "") : drawing.why;
    const objection = plot ? (validityObjection(view) ?? "") : "";
    this.objection.textContent = objection;
    this.objection.hidden = objection === "";
    for (const control of this.chart.controls?.(view.report) ?? []) {
      const select = this.selects.get(control.id);
      if (select) select.value = chosenValue(view, control);
    }
    const idOf = (name: string): string | undefined =>
      view.treatments.find(({ label }) => label === name)?.id;
    this.picture.draw(plot, view.widthPx, objection, idOf);
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
}
