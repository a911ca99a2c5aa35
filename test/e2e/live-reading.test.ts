// A reader's actions on the live page while it changes every second, in a real Chromium: scrolling, focus, reading notes.
// It needs the built assets (`dist/`). Without a Chromium on this machine it states that it was not run.
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startDashboard, type LiveServer } from "../../src/live/dashboard.js";
import { describeInChromium } from "../support/chromium.js";
import { inMidWindow, liveSecondOf, watchedRun, type WatchedRun } from "../support/example-live.js";

const ASSETS = new URL("../../dist/report/html/", import.meta.url);

describeInChromium("the live page during reading", (browserOf) => {
  let page: Page;
  let run: WatchedRun;
  let server: LiveServer;

  beforeEach(async () => {
    run = watchedRun();
    inMidWindow(run);
    for (let i = 1; i <= 60; i++) run.state.note(`note ${i}`);
    server = await startDashboard(0, run.state, ASSETS);
    page = await (await browserOf().newContext({ viewport: { width: 500, height: 700 } })).newPage();
    await page.goto(server.url);
    await page.locator("#operations").waitFor();
  });
  afterEach(async () => {
    await server.close({ words: "over", isGood: true });
    await page.context().close();
  });

  /** Advances the run by a second, and waits until the page shows it. */
  const nextSecond = async (events: number): Promise<void> => {
    run.clock.ms += 1_000;
    run.state.second(...liveSecondOf(5, events));
    run.state.evidence({ "queue.pending": events });
    await expect
      .poll(() => page.locator("#operations tbody tr").first().textContent())
      .toContain(String(events));
  };

  test.each([
    ["a table", "#operations .scroll"],
    ["the table behind the chart", ".chart-table .scroll"],
    ["the notes", "#notes pre"],
  ])("keeps scroll position and focus in %s when figures change", async (_, selector) => {
    await page.locator(".chart-table summary").click();
    const found = `document.querySelector("${selector}")`;
    const offsets = (): Promise<number[]> => page.evaluate(`[${found}.scrollLeft, ${found}.scrollTop]`);
    await page.locator(selector).focus();
    await page.evaluate(`${found}.scrollTo(40, 40)`);
    const before = await offsets();
    expect(Math.max(...before)).toBe(40);
    run.state.note("the last note");
    await nextSecond(777);
    expect(await offsets()).toEqual(before);
    expect(await page.evaluate(`${found} === document.activeElement`)).toBe(true);
  });

  test("appends new notes without replacing the earlier text", async () => {
    await page.evaluate("window.first = document.querySelector('#notes pre').firstChild");
    run.state.note("one more");
    await expect.poll(() => page.locator("#notes pre").textContent()).toMatch(/note 60\n\[7s\] one more\n$/);
    expect(await page.evaluate("document.querySelector('#notes pre').firstChild === window.first")).toBe(
      true,
    );
  });
});
