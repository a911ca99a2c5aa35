// The Chromium that tests of pages run in: the one that CHROMIUM_PATH names, the system's, or one that Playwright has
// fetched for this user. Where there is none, tests say plainly that
// they were not run, and how to get one; a path that was named and does not work is an error.
import { existsSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

export const HOW_TO_GET_CHROMIUM =
  "install it (Debian: apt-get install chromium), or fetch one with `npx playwright-core install chromium`, " +
  "or name one in CHROMIUM_PATH";

/** Path of an executable; undefined where there is none. */
export function findChromium(): string | undefined {
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
export function startChromium(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: isRoot ? ["--no-sandbox"] : [] });
}
