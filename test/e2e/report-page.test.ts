// report.html in a real Chromium, opened from disk like a reader does: nothing leaves the file, every chart draws, filters
// change the charts, each has its table, both colour schemes, paper, narrow and wide. Without a Chromium on this machine it
// states that it was not run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { casesOf, fullIt } from "../support/lanes.js";
import type { TrialResult } from "../../src/results/result-schema.js";
import { describeInChromium } from "../support/chromium.js";
import { exampleReport } from "../support/example-report.js";
import {
  cutTexts,
  inkOf,
  pathsOf,
  picture,
  strokesOf,
  svgOf,
  watchedPage,
  type Look,
  type WatchedPage,
} from "../support/report-page.js";
import { LIGHT } from "../../src/report/html/page/charts/theme.js";
import { CHARTS } from "../../src/report/html/page/charts/registry.js";
import { renderReport } from "../../src/report/html/render.js";
import type { ReportData } from "../../src/report/html/report-data.js";

const BUILT = join(import.meta.dirname, "..", "..", "dist", "report", "html");
const SCHEMES = casesOf(["light", "dark"] as const, 1);
const IDS = CHARTS.map(({ id }) => id);

function htmlOf(report: ReportData): string {
  const read = (file: string): string => readFileSync(join(BUILT, file), "utf8");
  return renderReport(report, { script: read("page.js"), style: read("page.css") });
}

/** JavaScript that unfolds every chart, table and list. */
const UNFOLD = "document.querySelectorAll('details').forEach((each) => { each.open = true })";

const hashOf = (page: Page): string => new URL(page.url()).hash;

/** State of a frame in which a table scrolls: `keepsNames` at its right end, everything else at its left end. */
interface Frame {
  readonly name: string;
  readonly isWider: boolean;
  readonly fades: boolean;
  readonly captionEnds: boolean;
  readonly keepsNames: boolean;
}

/** JavaScript as text, since it runs in the browser. */
const FRAMES = `[...document.querySelectorAll(".scroll")].filter((frame) => frame.clientWidth > 0).map((frame) => {
  const { right, left } = frame.getBoundingClientRect();
  const isWider = frame.scrollWidth > frame.clientWidth;
  const fades = parseFloat(getComputedStyle(frame).getPropertyValue("--fade")) > 0;
  const captionEnds = frame.querySelector("caption").getBoundingClientRect().right <= right + 1;
  frame.scrollLeft = frame.scrollWidth;
  const name = frame.querySelector("tbody th").getBoundingClientRect();
  return { name: frame.ariaLabel, isWider, fades, captionEnds, keepsNames: name.left >= left - 1 && name.right < right };
})`;

describeInChromium("report.html", (browserOf) => {
  let html: string;
  let watched: WatchedPage;

  beforeAll(async () => {
    html = htmlOf(exampleReport());
    watched = await watchedPage(browserOf());
  });
  afterAll(() => watched.close());

  /** No test may leave complaints of the browser. */
  afterEach(() => {
    expect(watched.complaints.splice(0)).toEqual([]);
  });

  const open = (look: Look = {}, hash = "", text = html): Promise<Page> => watched.open(text, look, hash);

  /** Opens the example with `change` applied to each of its trials. */
  const openWith = (
    change: (trial: TrialResult) => Partial<TrialResult>,
    more: Partial<ReportData["result"]> = {},
  ): Promise<Page> => {
    const report = exampleReport();
    const treatments = report.result.treatments.map((treatment) => ({
      ...treatment,
      trials: treatment.trials.map((trial) => ({ ...trial, ...change(trial) })),
    }));
    return open({}, "", htmlOf({ ...report, result: { ...report.result, treatments, ...more } }));
  };

  test.each(SCHEMES)("draws every chart in the %s colour scheme", async (colorScheme) => {
    const page = await open({ colorScheme });
    await page.evaluate(UNFOLD);
    expect(
      await page.evaluate<string[]>("[...document.querySelectorAll('section.chart')].map(({ id }) => id)"),
    ).toEqual(IDS);
    for (const id of IDS) {
      const ink = await inkOf(browserOf(), await page.locator(picture(id)).screenshot());
      expect(ink, `ink in ${id}`).toBeGreaterThan(0.004);
      expect(await page.locator(`${picture(id)} path`).count(), `shapes in ${id}`).toBeGreaterThan(5);
    }
  });

  test("fails the test for drawn charts if a chart is empty", async () => {
    const page = await open();
    await page.evaluate("document.querySelector('#throughput-picture svg').replaceChildren()");
    expect(await inkOf(browserOf(), await page.locator(picture("throughput")).screenshot())).toBe(0);
  });

  test("hides and shows a treatment in every chart, and keeps the choice in the address", async () => {
    const page = await open();
    const jsonb = LIGHT.treatments[0] ?? "";
    const strokes = () => strokesOf(page, "throughput", jsonb);
    await expect.poll(strokes).toBeGreaterThan(0);
    await page.getByRole("checkbox", { name: "jsonb", exact: true }).focus();
    await page.keyboard.press("Space");
    await expect.poll(strokes).toBe(0);
    await expect.poll(() => page.locator(picture("waits")).textContent()).not.toMatch(/jsonb(?!-)/);
    await expect.poll(() => hashOf(page)).toBe("#hide=jsonb");
    await page.reload();
    await expect.poll(strokes).toBe(0);
    await page.getByRole("checkbox", { name: "jsonb", exact: true }).check();
    await expect.poll(strokes).toBeGreaterThan(0);
    await expect.poll(() => hashOf(page)).toBe("");
  });

  fullIt("keeps the chosen filters in the address when a reader follows its links", async () => {
    const page = await open({}, "#hide=jsonb");
    await page.locator('nav a[href="#numbers"]').click();
    await expect.poll(() => hashOf(page)).toBe("#hide=jsonb");
    await expect.poll(() => page.evaluate("scrollY > 0")).toBe(true);
    await page.getByRole("checkbox", { name: "jsonb", exact: true }).check();
    await page.locator('nav a[href="#numbers"]').click();
    await expect.poll(() => hashOf(page)).toBe("#numbers");
  });

  test("draws only the chosen operations and trials", async () => {
    const page = await open();
    const latency = () => page.locator(picture("latency")).textContent();
    const all = await pathsOf(page, "latency");
    await page.locator("#filter-trials").selectOption("each");
    await expect.poll(() => pathsOf(page, "latency")).toBeGreaterThan(all);
    await page.getByRole("checkbox", { name: "process" }).uncheck();
    await expect.poll(latency).not.toContain("process");
    await page.locator("#filter-trials").selectOption("1");
    await expect.poll(() => page.locator("#latency .chart-note").textContent()).toBe("Trial 1.");
    await expect.poll(latency).toContain("steady from here");
    await expect.poll(() => hashOf(page)).toBe("#hide-operation=process&trials=1");
  });

  fullIt("reads a chart's controls from the address and writes them there", async () => {
    const page = await open({}, "#latency.percentile=p50&parts.of=slow");
    expect(await page.locator("#latency-percentile").inputValue()).toBe("p50");
    expect(await page.locator(picture("latency")).getAttribute("aria-label")).toContain("p50");
    const before = await svgOf(page, "parts");
    await page.locator("#parts-of").selectOption("mean");
    await expect.poll(() => svgOf(page, "parts")).not.toBe(before);
    await expect.poll(() => page.url()).toContain("latency.percentile=p50");
  });

  test("hides and shows a layer by its legend, and remembers the choice", async () => {
    const page = await open();
    const before = await pathsOf(page, "queue");
    const button = page.locator("#queue .chart-legend button").first();
    await button.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => button.getAttribute("aria-pressed")).toBe("false");
    await expect.poll(() => pathsOf(page, "queue")).toBeLessThan(before);
    const hidden = await pathsOf(page, "queue");
    await page.getByRole("checkbox", { name: "jsonb-manual" }).uncheck();
    await expect.poll(() => pathsOf(page, "queue")).toBeLessThan(hidden);
    expect(await button.getAttribute("aria-pressed")).toBe("false");
  });

  test("has a table with the figures of each chart, reached by keyboard", async () => {
    const page = await open();
    for (const id of IDS) {
      for (const summary of await page.locator(`#${id} summary`).all()) {
        await summary.focus();
        await page.keyboard.press("Enter");
      }
      const table = page.locator(`#${id} table`);
      expect((await table.locator("caption").textContent())?.length, id).toBeGreaterThan(10);
      expect(await table.locator("thead th[scope=col]").count(), id).toBeGreaterThan(1);
      expect(await table.locator("tbody th[scope=row]").count(), id).toBeGreaterThan(0);
      expect(await page.locator(picture(id)).getAttribute("aria-label"), id).toMatch(/\d/);
    }
    await page.locator("#matrix-metric").selectOption("mean");
    await expect
      .poll(() => page.locator(`${picture("matrix")} svg`).textContent())
      .toMatch(/baseline.*▲ best/);
    expect(await page.locator("#matrix tbody tr").count()).toBe(6);
    expect(await page.locator("#interaction .chart-legend button").allTextContents()).toEqual([
      "direct",
      "pgbouncer",
    ]);
    const rows = await page.locator("#capacity tbody tr").allTextContents();
    expect(rows).toEqual(["10025 ms-", "20050 ms-", "240-60 ms", "400-100 ms"]);
  });

  test.each(SCHEMES)(
    "has no serious accessibility violation in the %s colour scheme",
    async (colorScheme) => {
      const page = await open({ colorScheme });
      for (const id of ["comparison-plot", "matrix", "per-event"])
        for (const summary of await page.locator(`#${id} summary`).all()) await summary.click();
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
      const found = violations.map(
        ({ impact, id, nodes }) => `${impact} ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      );
      expect(found.filter((each) => /^(serious|critical)/.test(each))).toEqual([]);
    },
  );

  test.each(casesOf([1400, 400], 1))("fits a window of %i pixels", async (width) => {
    const page = await open({ viewport: { width, height: 900 } });
    await page.evaluate(UNFOLD);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    for (const id of IDS) {
      const box = await page.locator(`${picture(id)} svg`).boundingBox();
      expect(box?.width, id).toBeGreaterThan(width * 0.8);
      expect((box?.x ?? 0) + (box?.width ?? 0), id).toBeLessThanOrEqual(width);
    }
  });

  test("cuts no text in a narrow window, and fades the edge of a table that continues", async () => {
    const page = await open({ viewport: { width: 400, height: 900 } });
    await page.evaluate(UNFOLD);
    await page.waitForFunction("document.querySelectorAll('#throughput table tbody tr').length > 0");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    expect(await cutTexts(page)).toEqual([]);
    const frames = await page.evaluate<readonly Frame[]>(FRAMES);
    expect(frames.filter(({ isWider }) => isWider).length).toBeGreaterThan(5);
    expect(frames.filter(({ isWider, fades }) => isWider !== fades)).toEqual([]);
    expect(frames.filter(({ captionEnds, keepsNames }) => !captionEnds || !keepsNames)).toEqual([]);
  });

  test("shows a chart with all its words within 400 pixels of height on a desk", async () => {
    const page = await open({ viewport: { width: 1280, height: 900 } });
    for (const id of IDS)
      expect((await page.locator(`#${id}`).boundingBox())?.height, id).toBeLessThanOrEqual(400);
  });

  test("shows intervals and verdicts in a narrow window, and no content between sticky bars", async () => {
    const page = await open({ viewport: { width: 400, height: 900 } });
    const isInside = `[...document.querySelectorAll("#findings td")].every(
      (cell) => cell.getBoundingClientRect().right <= 400)`;
    expect(await page.evaluate(isInside)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.evaluate("document.getElementById('sizes').scrollIntoView({ behavior: 'instant' })");
    const gap = `document.querySelector(".filters").getBoundingClientRect().top
      - document.getElementById("sections").getBoundingClientRect().bottom`;
    expect(await page.evaluate(gap)).toBeLessThanOrEqual(0);
  });

  test("unfolds the plans when the reader follows the link of a plan flip", async () => {
    const report = exampleReport();
    const flip = { tone: "warn", text: "Plan flip: process.claim.", because: [] } as const;
    const [treatment, ...others] = report.result.treatments;
    if (!treatment) throw new Error("the example has a treatment");
    const plan = { statement: "process.claim", hash: "f415", plan: "Index Scan events_pkey" };
    const trials = treatment.trials.map((trial) => ({ ...trial, plans: [plan] }));
    const result = { ...report.result, treatments: [{ ...treatment, trials }, ...others] };
    const page = await open({}, "", htmlOf({ ...report, result, findings: [flip] }));
    await page.locator('.finding a[href="#plans"]').click();
    await page.locator("#plans table").waitFor({ state: "visible" });
  });

  fullIt("marks each chart with the shown trials whose timings are not valid", async () => {
    const report = exampleReport();
    const page = await open({}, "", htmlOf({ ...report, invalidTrials: { counts: [], timings: [1, 4] } }));
    const marks = page.locator(".chart .objection");
    const texts = async () => [...new Set(await marks.allTextContents())];
    expect(await marks.count()).toBe(IDS.length);
    expect(await texts()).toEqual(["timings of trials 1, 4 not valid"]);
    await page.locator("#filter-trials").selectOption("4");
    await expect.poll(() => page.locator("#latency .objection").textContent()).toBe("timings not valid");
    await page.locator("#filter-trials").selectOption("2");
    await expect.poll(() => page.locator("#latency .objection").isVisible()).toBe(false);
  });

  test("redraws its charts when the window's size changes", async () => {
    const page = await open();
    await page.setViewportSize({ width: 700, height: 900 });
    await page.waitForFunction("document.querySelector('#throughput-picture svg').clientWidth < 700");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(700);
  });

  test("prints its charts in light colours, also from a dark screen", async () => {
    const page = await open({ colorScheme: "dark" });
    const dark = await svgOf(page, "throughput");
    await page.evaluate("window.onafterprint = () => { window.printed = true }");
    await page.evaluate(
      "window.onbeforeprint = () => { window.paper = document.querySelector('#throughput-picture svg').outerHTML }",
    );
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.length).toBeGreaterThan(50_000);
    const paper = String(await page.evaluate("window.paper"));
    expect(paper).toContain(LIGHT.treatments[0]);
    expect(paper).toMatch(/width="680"/);
    await page.waitForFunction("window.printed");
    await expect.poll(() => svgOf(page, "throughput")).toBe(dark);
  });

  test("says why a chart is not drawn", async () => {
    const report = exampleReport();
    const { sweeps, capacity, ...result } = report.result;
    expect([sweeps, capacity]).not.toContain(undefined);
    html = htmlOf({
      ...report,
      result: { ...result, treatments: [], comparisons: [] },
      series: [],
      curves: [],
    });
    try {
      const page = await open();
      expect(await page.locator(".not-drawn .chart").count()).toBe(IDS.length);
      for (const words of await page.locator(".not-drawn .chart-note").allTextContents())
        expect(words).toMatch(/^There is nothing to draw: .+\.$/);
      expect(await page.locator(".chart svg").count()).toBe(0);
    } finally {
      html = htmlOf(report);
    }
  });

  fullIt("keeps the control that emptied a chart, so that another choice draws the chart again", async () => {
    const waits = { mean: 0.1, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 3 };
    const page = await openWith(({ operations }) => ({
      operations: Object.fromEntries(
        Object.entries(operations).map(([name, each]) => [name, { ...each, poolWaitMs: waits }]),
      ),
    }));
    const note = page.locator("#pool-wait .chart-note");
    expect(await note.textContent()).toBe("There is nothing to draw: 0 throughout: add, process.");
    await page.locator("#pool-wait-of").selectOption("max");
    await expect.poll(() => page.locator(`${picture("pool-wait")} svg`).isVisible()).toBe(true);
    await page.locator("#pool-wait-of").selectOption("p50");
    await expect.poll(() => page.locator(picture("pool-wait")).isVisible()).toBe(false);
    expect(await page.locator("#pool-wait-of").isVisible()).toBe(true);
  });

  fullIt("draws a chosen trial although no trial is complete", async () => {
    const report = exampleReport();
    const treatments = report.result.treatments.map((treatment) => ({
      ...{ ...treatment, merged: null },
      trials: treatment.trials.map((trial) => ({ ...trial, status: "partial" as const })),
    }));
    const page = await openWith(() => ({}), { treatments });
    const ids = ["parts", "pool-wait", "per-event", "sizes"];
    for (const id of ids)
      expect(await page.locator(`#${id} .chart-note`).textContent()).toContain("no trial of the treatments");
    await page.locator("#filter-trials").selectOption("1");
    for (const id of ids) {
      await page.locator(`${picture(id)} svg`).waitFor({ state: "visible" });
      const ink = await inkOf(browserOf(), await page.locator(picture(id)).screenshot());
      expect(ink, `ink in ${id}`).toBeGreaterThan(0.004);
    }
  });

  fullIt("keeps the marks of faults when the first line of a chart is hidden", async () => {
    const fault = { treatment: "jsonb", kind: "postgres-kill", atSeconds: 10, forSeconds: 2 } as const;
    const times = { injectedAtSeconds: 10, clearedAtSeconds: 12, recoverySeconds: 1 };
    const faults = [{ ...fault, ...times, trial: 1, words: "killed", errors: {} }];
    const page = await openWith(() => ({}), { faults });
    const marksIn = (id: string) =>
      page.locator(`${picture(id)} svg text`, { hasText: "postgres-kill" }).count();
    for (const id of ["throughput", "queue"]) {
      const [marks, paths] = [await marksIn(id), await pathsOf(page, id)];
      expect(marks, id).toBeGreaterThan(0);
      await page.locator(`#${id} .chart-legend button`).first().click();
      await expect.poll(() => pathsOf(page, id), { message: id }).toBeLessThan(paths);
      expect(await marksIn(id), id).toBe(marks);
    }
  });

  test("draws a second whose neighbours have no value", async () => {
    const report = exampleReport();
    const [first] = report.series;
    const add = first?.operations.add;
    if (!first || !add) throw new Error("the example has a first trial");
    const p99 = add.p99.map((_, i) => (i % 2 === 0 ? 20 : null));
    const series = [{ ...first, operations: { add: { ...add, p99 } } }];
    const page = await open({}, "", htmlOf({ ...report, series }));
    const svg = (await svgOf(page, "latency")).toLowerCase();
    expect(svg.split(`fill="${LIGHT.treatments[0] ?? ""}"`).length - 1).toBeGreaterThanOrEqual(15);
  });

  test("ignores names in the address that the result does not have", async () => {
    const page = await open({}, "#hide=nobody&trials=999&latency.percentile=p12&nonsense=1");
    expect(await inkOf(browserOf(), await page.locator(picture("latency")).screenshot())).toBeGreaterThan(
      0.004,
    );
    expect(await page.locator("#latency-percentile").inputValue()).toBe("p99");
  });
});
