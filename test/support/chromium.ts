// The Chromium that tests of pages run in: the one that CHROMIUM_PATH names, the system's, or one that Playwright has
// fetched for this user. Where there is none, tests say plainly that
// they were not run, and how to get one; a path that was named and does not work is an error.
import { existsSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const HOW_TO_GET_CHROMIUM =
  "install it (Debian: apt-get install chromium), or fetch one with `npx playwright-core install chromium`, " +
  "or name one in CHROMIUM_PATH";

/** Path of an executable; undefined where there is none. */
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

/** Its sandbox needs an unprivileged user, so root's runs without one; the pages are our own. */
function startChromium(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: isRoot ? ["--no-sandbox"] : [] });
}

/** Tests of a page, `what`, in a browser that they all share and that is there once they run. */
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
