// Entry of report.html. It loads nothing and sends nothing.
import type { ReportData } from "../report-data.js";
import { ChartSection } from "./chart-section.js";
import { canDraw } from "./charts/drawable.js";
import type { View } from "./charts/drawing.js";
import { stateFromHash, stateToHash, stateWithChoice, type FilterState } from "./charts/filter-state.js";
import { CHARTS } from "./charts/registry.js";
import { viewOf } from "./charts/view.js";
import { element } from "./dom.js";
import { Filters } from "./filters.js";
import { currentTheme, isOnPaper, onLookChange } from "./look.js";
import { PAPER_WIDTH_PX } from "./picture.js";

/**
 * Reads the data that the program embedded in the page. Its shape is not checked here, because the compiler checks the
 * writer.
 */
function readReport(): ReportData {
  const text = document.getElementById("report-data")?.textContent ?? "";
  return JSON.parse(text) as ReportData;
}

class ReportPage {
  private state: FilterState = stateFromHash(location.hash);
  private readonly filters: Filters;
  private readonly sections: readonly ChartSection[];

  constructor(
    private readonly report: ReportData,
    place: HTMLElement,
  ) {
    this.filters = new Filters(report, this.state, (state) => this.choose(state));
    this.sections = CHARTS.map(
      (chart) =>
        new ChartSection(chart, this.viewFor(chart.id, 0), (id, control, value) =>
          this.choose(stateWithChoice(this.state, id, control, value)),
        ),
    );
    place.append(
      element("h2", { id: "charts-title" }, "Charts"),
      this.filters.element,
      ...this.sections.map((section) => section.element),
    );
    place.setAttribute("aria-labelledby", "charts-title");
    this.draw();
    this.appendEmptySections(place);
    this.listen(place);
  }

  private viewFor(chart: string, widthPx: number): View {
    return viewOf(this.report, this.state, chart, currentTheme(), widthPx);
  }

  private draw(): void {
    for (const section of this.sections) {
      const widthPx = isOnPaper() ? PAPER_WIDTH_PX : section.widthPx;
      section.draw(this.viewFor(section.chart.id, widthPx));
    }
  }

  private appendEmptySections(place: HTMLElement): void {
    const sections = this.sections.filter(({ chart }) => !canDraw(chart, this.report));
    if (sections.length === 0) return;
    place.append(
      element(
        "div",
        { class: "not-drawn" },
        element("h3", {}, "Not in this report"),
        ...sections.map((section) => section.element),
      ),
    );
  }

  private choose(state: FilterState): void {
    this.state = state;
    this.writeAddress();
    this.draw();
  }

  private writeAddress(): void {
    const hash = stateToHash(this.state);
    history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
  }

  private listen(place: HTMLElement): void {
    onLookChange(() => {
      this.filters.show(this.state);
      this.draw();
    });
    let widthPx = place.clientWidth;
    new ResizeObserver(() => {
      if (place.clientWidth === widthPx || isOnPaper()) return;
      widthPx = place.clientWidth;
      this.draw();
    }).observe(place);
    window.addEventListener("hashchange", () => {
      // An anchor such as #numbers only scrolls: the address gets the reader's choices back afterwards.
      if (!location.hash.includes("=")) {
        if (stateToHash(this.state) !== "") this.writeAddress();
        return;
      }
      this.state = stateFromHash(location.hash);
      this.filters.show(this.state);
      this.draw();
    });
  }
}

const place = document.getElementById("charts");
if (place) new ReportPage(readReport(), place);
