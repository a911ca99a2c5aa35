// The live page in a real Chromium, served like a run serves it, from a state that the test moves. It needs the built
// assets (`dist/`). Without a Chromium on this machine it states that it was not run.
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { endedTrial, inMidWindow, watchedRun, type WatchedRun } from "../support/example-live.js";
import { casesOf } from "../support/lanes.js";
import { inkOf, cutTexts } from "../support/report-page.js";
import { startDashboard, type LiveServer } from "../../src/live/dashboard.js";

const ASSETS = new URL("../../dist/report/html/", import.meta.url);

describeInChromium("the live page", (browserOf) => {
  let page: Page;
  let run: WatchedRun;
  let server: LiveServer;
  let isOpen = false;
  const complaints: string[] = [];

  beforeEach(async () => {
    run = watchedRun();
    inMidWindow(run);
    run.state.thresholds([{ metric: "add", expression: "max<1", seen: 20, ok: false }]);
    run.state.note("<img src=x onerror=alert(1)>");
    server = await startDashboard(0, run.state, ASSETS);
    isOpen = true;
    const context = await browserOf().newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("data:"))
        complaints.push(`request: ${request.url()}`);
    });
    await page.goto(server.url);
    await page.locator("#operations").waitFor();
  });
  afterEach(async () => {
    if (isOpen) await server.close({ words: "over", isGood: true });
    await page.context().close();
    expect(complaints.splice(0)).toEqual([]);
  });

  test("shows the current state when a reader connects", async () => {
    const { view } = run.state.fullUpdate();
    expect(await page.locator("h1").textContent()).toBe("watched");
    expect(await page.title()).toBe(`Trial 1 of 4: ${view.trial?.treatment ?? ""} - train-sim`);
    expect(await page.locator("#operations tbody tr").first().textContent()).toBe("add50050200.50.5300000");
    expect(await page.locator("#thresholds li").getAttribute("data-tone")).toBe("bad");
    expect(await page.locator("#notes").textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(await inkOf(browserOf(), await page.locator("#live-picture").screenshot())).toBeGreaterThan(0.004);
  });

  test("shows the next trial, and adds a row for the trial that ended", async () => {
    run.state.trialEnded(endedTrial(1), run.trial(1).treatment);
    inMidWindow(run, 2);
    await expect.poll(() => page.locator(".live-head").textContent()).toContain("Trial 2 of 4");
    expect(await page.locator("#trials tbody tr").count()).toBe(1);
    await page.locator(".chart-table summary").click();
    await expect.poll(() => page.locator(".chart-table tbody tr").count()).toBeGreaterThan(10);
  });

  test("says that the connection is lost, and reconnects by itself", async () => {
    await page.route("**/events", (route) => route.abort());
    await page.reload();
    await expect.poll(() => page.locator(".live-state").textContent()).toContain("is lost");
    expect(await page.locator("#operations").isVisible()).toBe(false);
    await page.unroute("**/events");
    await page.locator("#operations").waitFor({ timeout: 200_000 });
    expect(await page.locator(".live-state").isVisible()).toBe(false);
    // The console contains only Chromium's own messages about stopped requests.
    expect(complaints.splice(0).every((text) => text.includes("Failed to load resource"))).toBe(true);
  });

  test("says that the run has ended, and keeps its figures", async () => {
    await server.close({ words: "The run has ended with exit code 99.", isGood: false });
    isOpen = false;
    await expect.poll(() => page.locator(".live-state").textContent()).toContain("exit code 99");
    expect(await page.locator(".live-state").getAttribute("data-tone")).toBe("bad");
    expect(await page.locator(".live-head").textContent()).toContain("ended");
    expect(await page.locator("#operations tbody tr").count()).toBe(3);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await page.locator(".live-head").textContent()).toContain("ended");
    expect(await page.locator("a").count()).toBe(0);
  });

  test("cuts no text in a narrow window", async () => {
    run.state.trialEnded(endedTrial(1), run.trial(1).treatment);
    inMidWindow(run, 2);
    await page.locator("#trials").waitFor();
    await page.setViewportSize({ width: 400, height: 900 });
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })");
    await page.waitForFunction("document.querySelector('#live-picture svg').clientWidth < 400");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    expect(await cutTexts(page)).toEqual([]);
  });

  test.each(casesOf(["light", "dark"] as const, 1))(
    "has no accessibility violation in the %s colour scheme",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual(
        [],
      );
    },
  );
});
