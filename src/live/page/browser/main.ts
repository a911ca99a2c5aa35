// Entry of the live page. If the connection is lost before an `end` event, the page says so; the browser reconnects by
// itself, and after a refused connection the page opens a new one.
import type { RunningThreshold } from "../../../engine/session/observer.js";
import type { LiveEnd, LiveUpdate, LiveView } from "../live-data.js";
import { LiveStore } from "../live-store.js";
import {
  endedTrialsTable,
  evidenceTable,
  operationTable,
  phaseProgress,
  phaseWords,
  thresholdWords,
  timeWords,
  trialHeading,
} from "../live-words.js";
import { element } from "../../../report/html/page/dom.js";
import { onLookChange } from "../../../report/html/page/look.js";
import { scrollPlace } from "../../../report/html/page/table.js";
import { LiveChart } from "./live-chart.js";
import { Notes, Section } from "./live-sections.js";

/** Milliseconds after which a page that was refused connects again. */
const AGAIN_MS = 2000;

class LivePage {
  private readonly store = new LiveStore();
  private hasEnded = false;
  private readonly state = element("p", { class: "verdict live-state", role: "status", hidden: true });
  private readonly title = element("h1", {}, "train-sim");
  // Screen readers announce its changes, once a trial; they do not announce seconds.
  private readonly trial = element("p", { "aria-live": "polite" });
  private readonly phase = element("p");
  private readonly progress = element("progress", { "aria-label": "Phase" });
  private readonly operations = new Section("operations", "Operations");
  private readonly thresholds = new Section(
    "thresholds",
    "Thresholds",
    element("ul", { class: "thresholds" }),
  );
  private readonly chart = new LiveChart();
  private readonly ended = new Section("trials", "Finished trials");
  private readonly evidence = new Section(
    "samples",
    "Samples of database, pooler and machine",
    scrollPlace("Samples"),
    true,
  );
  private readonly notes = new Notes();

  constructor(place: HTMLElement) {
    place.replaceChildren(
      element("div", { class: "live-head" }, this.title, this.trial, this.phase, this.progress),
      this.state,
      this.operations.element,
      this.thresholds.element,
      this.chart.element,
      this.ended.element,
      this.notes.element,
      this.evidence.element,
    );
    onLookChange(() => this.draw());
    window.addEventListener("resize", () => this.draw());
    this.listen();
  }

  private listen(): void {
    const source = new EventSource("/events");
    const updateOf = (event: MessageEvent<string>): LiveUpdate => JSON.parse(event.data) as LiveUpdate;
    source.addEventListener("whole", (event: MessageEvent<string>) => {
      this.showMessage(undefined);
      this.store.start(updateOf(event));
      this.draw();
    });
    source.addEventListener("update", (event: MessageEvent<string>) => {
      this.store.add(updateOf(event));
      this.draw();
    });
    source.addEventListener("end", (event: MessageEvent<string>) => {
      source.close();
      const { words, isGood } = JSON.parse(event.data) as LiveEnd;
      this.hasEnded = true;
      this.showMessage(words, isGood ? "good" : "bad");
      this.draw();
    });
    source.addEventListener("error", () => {
      // A browser does not reconnect after a refusal, for example by a program that has enough listeners, so the page
      // does.
      if (source.readyState === EventSource.CLOSED && !this.hasEnded)
        setTimeout(() => this.listen(), AGAIN_MS);
      this.showMessage(
        "The connection to train-sim is lost: it has been stopped, or is busy. Trying again.",
        "warn",
      );
    });
  }

  /** Shows a message about the page itself. */
  private showMessage(words: string | undefined, tone: "good" | "warn" | "bad" = "good"): void {
    this.state.hidden = words === undefined;
    this.state.dataset["tone"] = tone;
    this.state.textContent = words ?? "";
  }

  private draw(): void {
    const { view } = this.store;
    if (!view) return;
    this.drawHead(view);
    this.operations.show(operationTable(view));
    this.thresholds.render(JSON.stringify(view.thresholds), view.thresholds.map(thresholdItem));
    this.chart.draw(this.store);
    this.ended.show(endedTrialsTable(this.store.ended));
    this.evidence.show(evidenceTable(view));
    this.notes.show(this.store.notes);
  }

  private drawHead(view: LiveView): void {
    const heading = trialHeading(view);
    document.title = `${this.hasEnded ? "Ended" : heading} - train-sim`;
    this.title.textContent = view.scenario;
    if (this.trial.textContent !== heading) this.trial.textContent = heading;
    this.progress.hidden = this.hasEnded;
    this.phase.textContent = this.hasEnded ? "ended" : `${phaseWords(view)}; ${timeWords(view)}`;
    const progress = phaseProgress(view);
    if (progress === undefined) this.progress.removeAttribute("value");
    else this.progress.value = progress;
  }
}

function thresholdItem(threshold: RunningThreshold): HTMLElement {
  const tone = threshold.ok === null ? undefined : threshold.ok ? "good" : "bad";
  return element("li", { "data-tone": tone }, thresholdWords(threshold));
}

const place = document.getElementById("live");
if (place) new LivePage(place);
