// A report in a real browser, which records messages of its console, requests to the network and refusals of its policy.
// Every request except the one for the file is stopped and recorded.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";

export interface Look {
  readonly colorScheme?: "light" | "dark";
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors, warnings, exceptions, violations of the policy and requests of the page. A test expects none. */
  readonly complaints: string[];
  /**
   * Opens `html` from disk, as a reader does. One page is used for several reports, since the next one then takes half the
   * time.
   */
  open(html: string, look?: Look, hash?: string): Promise<Page>;
  close(): Promise<void>;
}

const NOWHERE = "about:blank";
const DESK = { width: 1400, height: 900 };

export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-page-"));
  const file = join(directory, "report.html");
  const address = pathToFileURL(file).href;
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "log") complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url.split("#")[0] === address) return route.continue();
    complaints.push(`request: ${url}`);
    return route.abort();
  });
  await page.exposeFunction("complain", (text: string) => complaints.push(text));
  await page.addInitScript(
    "document.addEventListener('securitypolicyviolation', (event) => complain(`policy: ${event.effectiveDirective} ${event.sample}`))",
  );
  return {
    page,
    complaints,
    async open(html, { colorScheme = "light", viewport = DESK } = {}, hash = "") {
      writeFileSync(file, html);
      // The page is left first, since another hash of the same address would not load it again.
      await page.goto(NOWHERE);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await page.goto(address + hash);
      return page;
    },
    async close() {
      await context.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Selector of the picture of a chart. */
export const picture = (id: string): string => `#${id}-picture`;

/** The SVG of a chart in the page. */
export async function svgOf(page: Page, id: string): Promise<string> {
  return page.locator(`${picture(id)} svg`).innerHTML();
}

/** Number of lines and areas that a chart draws in a colour. */
export async function strokesOf(page: Page, id: string, colour: string): Promise<number> {
  return (await svgOf(page, id)).toLowerCase().split(`stroke="${colour}"`).length - 1;
}

/** Number of shapes of a chart. */
export const pathsOf = (page: Page, id: string): Promise<number> =>
  page.locator(`${picture(id)} svg path`).count();

/** Texts that do not fit into their element. Frames that scroll, with tables and source text, are excepted. */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll("body *:not(.scroll, svg, svg *, .visually-hidden, pre)")]
      .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
      .map((each) => each.tagName + " " + each.textContent.trim().slice(0, 60))`);
}

/** Empty page in which a browser counts pixels. It closes with the browser. */
const counting = new WeakMap<Browser, Promise<Page>>();

/** Share of the pixels of a PNG that differ from its first pixel. */
export async function inkOf(browser: Browser, png: Buffer): Promise<number> {
  const opening = counting.get(browser) ?? browser.newPage();
  counting.set(browser, opening);
  return (await opening).evaluate<number>(countInk(png.toString("base64")));
}

/** Code that counts pixels, as text: it runs in the browser, whose globals the compiler for Node does not know. */
const countInk = (base64: string): string => `(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,${base64}";
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let inked = 0;
  for (let i = 4; i < data.length; i += 4)
    if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 30) inked++;
  return inked / (data.length / 4);
})()`;
