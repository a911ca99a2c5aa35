import type { FilterState } from "./charts/filter-state.js";
import { allOperations, allTreatments, allTrials, operationName } from "./charts/view.js";
import type { ReportData } from "../report-data.js";
import { element } from "./dom.js";
import { currentTheme } from "./look.js";

interface FilterBox {
  readonly value: string;
  readonly input: HTMLInputElement;
  readonly swatch?: HTMLElement;
}

export class Filters {
  readonly element: HTMLElement;
  private readonly treatments: readonly FilterBox[];
  private readonly operations: readonly FilterBox[];
  private readonly trials: HTMLSelectElement;

  constructor(
    private readonly report: ReportData,
    private state: FilterState,
    private readonly onChange: (state: FilterState) => void,
  ) {
    const treatments = allTreatments(report, currentTheme());
    const labels = new Map(treatments.map(({ id, label }) => [id, label]));
    this.treatments = treatments.map(({ id, dash }) => ({
      value: id,
      input: element("input", { type: "checkbox", value: id }),
      swatch: element("span", { class: `swatch ${dash}`, "aria-hidden": "true" }),
    }));
    this.operations = allOperations(report).map((value) => ({
      value,
      input: element("input", { type: "checkbox", value }),
    }));
    this.trials = element(
      "select",
      { id: "filter-trials" },
      element("option", { value: "all" }, "all, summarised"),
      element("option", { value: "each" }, "all, a line each"),
      ...allTrials(report).map(({ number, treatment }) =>
        element(
          "option",
          { value: String(number) },
          `trial ${number} (${labels.get(treatment) ?? treatment})`,
        ),
      ),
    );
    for (const { input } of [...this.treatments, ...this.operations])
      input.addEventListener("change", () => this.read());
    this.trials.addEventListener("change", () => this.read());
    this.element = this.layOut();
    this.show(state);
  }

  /**
   * Shows `state` in the controls without sending an event. Call it after a change of the colour scheme too, for the
   * colours.
   */
  show(state: FilterState): void {
    this.state = state;
    const treatments = allTreatments(this.report, currentTheme());
    for (const [i, { value, input, swatch }] of this.treatments.entries()) {
      input.checked = !state.hiddenTreatments.includes(value);
      if (swatch) swatch.style.color = treatments[i]?.colour ?? "";
    }
    for (const { value, input } of this.operations) input.checked = !state.hiddenOperations.includes(value);
    this.trials.value = String(state.trials);
    if (this.trials.selectedIndex < 0) this.trials.value = "all";
  }

  private read(): void {
    const uncheckedValues = (boxes: readonly FilterBox[]): string[] =>
      boxes.filter(({ input }) => !input.checked).map(({ value }) => value);
    const trials = this.trials.value;
    this.state = {
      ...this.state,
      hiddenTreatments: uncheckedValues(this.treatments),
      hiddenOperations: uncheckedValues(this.operations),
      trials: trials === "all" || trials === "each" ? trials : Number(trials),
    };
    this.onChange(this.state);
  }

  private layOut(): HTMLElement {
    const labels = allTreatments(this.report, currentTheme());
    const group = (
      legend: string,
      boxes: readonly FilterBox[],
      textOf: (value: string, i: number) => string,
    ) =>
      element(
        "fieldset",
        {},
        element("legend", {}, legend),
        ...boxes.map(({ value, input, swatch }, i) =>
          element("label", { title: value }, input, ...(swatch ? [swatch] : []), textOf(value, i)),
        ),
      );
    return element(
      "form",
      { class: "filters", "aria-label": "What the charts show" },
      group("Treatments", this.treatments, (value, i) => labels[i]?.label ?? value),
      group("Operations", this.operations, operationName),
      element("div", {}, element("label", { for: "filter-trials" }, "Trials"), this.trials),
    );
  }
}
