// `train-sim history` on stored runs, and its page in a real Chromium, opened from disk.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { withAnalysis } from "../../src/analysis/comparison/analysis.js";
import { LIGHT } from "../../src/report/html/page/charts/theme.js";
import { writeResult } from "../../src/results/directory.js";
import { describeInChromium } from "../support/chromium.js";
import { exampleRun } from "../support/example-history.js";
import { casesOf } from "../support/lanes.js";
import { cutTexts, inkOf, watchedPage, type WatchedPage } from "../support/report-page.js";

const PROGRAM = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");
const RUNS = 12;
const FIRST_SLOW_RUN = 8;
const FIRST_RUN_ON_OTHER_MACHINE = 5;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function history(): Promise<Ended> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [PROGRAM, "history", results])) };
  } catch (error) {
    return error as Ended;
  }
}

let directory = "";
let results = "";
let ended: Ended;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-history-"));
  results = join(directory, "results");
  for (let number = 1; number <= RUNS; number++) {
    const { result } = exampleRun(number, number < FIRST_SLOW_RUN ? 2 : 3, ({ environment, scenario }) => {
      environment.machine = { cpus: number < FIRST_RUN_ON_OTHER_MACHINE ? 2 : 64 };
      scenario.name = "queue <b>&";
    });
    const path = join(results, "main", `run ${number}`);
    mkdirSync(path, { recursive: true });
    await writeResult(path, withAnalysis(result));
    if (number !== 2) writeFileSync(join(path, "report.html"), "a report");
  }
  mkdirSync(join(results, "damaged"));
  writeFileSync(join(results, "damaged", "result.json"), "{");
  ended = await history();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("history", () => {
  it("prints the words of compare --history and ends with its exit code", () => {
    expect(ended.code).toBe(99);
    expect(ended.stdout).toContain(`Change at run ${FIRST_SLOW_RUN}`);
    expect(ended.stdout).toContain("is worse than an earlier level by more than 5 %");
    expect(ended.stdout).toContain(`Page:  ${join(results, "history.html")}`);
  });

  it("leaves out a damaged result and names it", () => {
    expect(ended.stderr).toContain("left out:");
    expect(ended.stderr.replace(/\s+/g, "")).toContain(join(results, "damaged", "result.json"));
  });
});

describeInChromium("the page of a history", (browserOf) => {
  let watched: WatchedPage;
  const charts = ["mean", "p99", "eventsPerSecond"].map((metric) => `#history-0-${metric}`);

  beforeAll(async () => {
    watched = await watchedPage(browserOf());
  });
  afterAll(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });

  const open = (look: Parameters<WatchedPage["open"]>[1] = {}): Promise<Page> =>
    watched.open(readFileSync(join(results, "history.html"), "utf8"), look);

  test.each(casesOf(["light", "dark"] as const, 1))(
    "draws each metric by run in the %s colour scheme, with its changes and the changes of the machine",
    async (colorScheme) => {
      const page = await open({ colorScheme });
      for (const chart of charts) {
        const picture = page.locator(`${chart}-picture`);
        expect(await inkOf(browserOf(), await picture.screenshot()), chart).toBeGreaterThan(0.004);
        expect(await picture.textContent(), chart).toContain("machine");
      }
      expect(await page.locator("#history-0-p99-picture").textContent()).toContain("text 1.50x");
    },
  );

  test("has a table of each chart, with intervals", async () => {
    const page = await open();
    for (const chart of charts) {
      await page.locator(`${chart} summary`).click();
      await page.locator(`${chart} caption`).waitFor();
      const rows = await page.locator(`${chart} tbody tr`).allTextContents();
      expect(rows).toHaveLength(RUNS);
      expect(rows[0]).toMatch(/^12026-11-01.* \(\d.* to \d.*\)/);
    }
  });

  test("hides a treatment by its legend", async () => {
    const page = await open();
    const colour = `stroke="${LIGHT.treatments[0]}"`;
    const svg = (): Promise<string> => page.locator("#history-0-mean-picture svg").innerHTML();
    expect((await svg()).toLowerCase()).toContain(colour);
    await page.locator("#history-0-mean .chart-legend button").first().click();
    expect((await svg()).toLowerCase()).not.toContain(colour);
  });

  test("links the report of each run that has one", async () => {
    const page = await open();
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main a')].map((each) => each.getAttribute('href'))",
    );
    expect(links).toHaveLength(RUNS - 1);
    expect(links[0]).toBe("main/run%201/report.html");
    expect(await page.locator("main h2").textContent()).toBe("queue <b>&");
    expect(await page.locator("main").textContent()).toContain(`Change at run ${FIRST_SLOW_RUN}`);
    expect(await page.locator("main").textContent()).toContain("the machine differs: cpus 2 -> 64");
    expect(await page.locator("body > ul").textContent()).toContain(basename(join(results, "damaged")));
  });

  test("cuts no text in a narrow window", async () => {
    expect(await cutTexts(await open({ viewport: { width: 380, height: 800 } }))).toEqual([]);
  });
});
