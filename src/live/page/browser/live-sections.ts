// An element that a reader scrolls or has focused stays in the page; only its content is replaced.
import type { LiveNote } from "../live-data.js";
import { secondsText } from "../live-words.js";
import type { ChartTable } from "../../../report/html/page/charts/drawing.js";
import { element } from "../../../report/html/page/dom.js";
import { renderTable, scrollPlace } from "../../../report/html/page/table.js";

function sectionElement(id: string, title: string, content: HTMLElement): HTMLElement {
  return element("section", { id, hidden: true }, element("h2", {}, title), content);
}

export class Section {
  readonly element: HTMLElement;
  private renderedName = "";

  /** A section with `isFolded` starts closed; the reader opens it. */
  constructor(
    id: string,
    title: string,
    private readonly place: HTMLElement = scrollPlace(title),
    isFolded = false,
  ) {
    const content = isFolded ? element("details", {}, element("summary", {}, "Show"), place) : place;
    this.element = sectionElement(id, title, content);
  }

  show(table: ChartTable): void {
    this.render(JSON.stringify(table), table.rows.length > 0 ? [renderTable(table)] : []);
  }

  /** Shows the section's content. Leaves the page alone if nothing changed, so that a reader's text selection stays. */
  render(name: string, children: readonly Node[]): void {
    if (name === this.renderedName) return;
    this.renderedName = name;
    this.element.hidden = children.length === 0;
    this.place.replaceChildren(...children);
  }
}

/** A growing log: screen readers announce new entries only. */
export class Notes {
  readonly element: HTMLElement;
  private readonly log = element("pre", {
    class: "live-notes",
    tabindex: "0",
    role: "log",
    "aria-label": "Notes",
  });
  private printedJson = "";

  constructor() {
    this.element = sectionElement("notes", "Notes", this.log);
  }

  show(notes: readonly LiveNote[]): void {
    const text = notes.map((note) => `[${secondsText(note.atMs)}] ${note.text}\n`).join("");
    if (text === this.printedJson) return;
    this.element.hidden = text === "";
    if (text.startsWith(this.printedJson)) this.log.append(text.slice(this.printedJson.length));
    else this.log.textContent = text;
    this.printedJson = text;
  }
}
