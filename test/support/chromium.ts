// Finds a Chromium for tests of pages: the one at CHROMIUM_PATH, the system's, or this user's from Playwright. Without one,
// tests report that they were not run and how to install one; a CHROMIUM_PATH that does not work is an error.
import { existsSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const HOW_TO_GET_CHROMIUM =
  "install it (Debian: apt-get install chromium), or fetch one with `npx playwright-core install chromium`, " +
  "or name one in CHROMIUM_PATH";

/** Path of an executable Chromium; undefined if there is none. */
function findChromium(): string | undefined {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && named !== "") {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not there`);
    return named;
  }
  const onPath = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .flatMap((directory) => NAMES.map((name) => path.join(directory, name)));
  return [...onPath, chromium.executablePath()].find((file) => existsSync(file));
}

/** Starts Chromium. Its sandbox does not work for root, so root starts it without: the pages are the tests' own. */
function startChromium(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: isRoot ? ["--no-sandbox"] : [] });
}

/** Describes tests of a page that share one browser, which is open while they run. */
export function describeInChromium(what: string, tests: (browser: () => Browser) => void): void {
  const executable = findChromium();
  if (executable === undefined) {
    process.stderr.write(
      `NOT RUN: ${what} in a browser, because there is no Chromium here: ${HOW_TO_GET_CHROMIUM}.\n`,
    );
    test(`says how to get the browser that tests of ${what} need`, () => {
      expect(HOW_TO_GET_CHROMIUM).toContain("CHROMIUM_PATH");
    });
    return;
  }
  describe(`${what} in Chromium`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await startChromium(executable);
    });
    afterAll(() => browser?.close());
    tests(() => {
      if (!browser) throw new Error("The browser is started before the tests: ask for it within them");
      return browser;
    });
  });
}
