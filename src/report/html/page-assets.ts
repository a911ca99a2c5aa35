// The build's files for the browser, inline and named by their hashes in the page's policy, so that nothing else can run there.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ExitCode, messageOf, TrainSimError } from "../../foundation/errors.js";
import { Html } from "./html.js";

export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

async function readAsset(file: string): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new TrainSimError(
      `Cannot read ${path}, which the build makes: ${messageOf(error)}`,
      ExitCode.unexpected,
      "Build train-sim (npm run build), or reinstall it.",
      { cause: error },
    );
  }
}

/** Reads the script and the style sheet of a page. Rejects with a TrainSimError if the program was not built. */
export async function readPageAssets(page: "page" | "history" = "page"): Promise<PageAssets> {
  const [script, style] = await Promise.all([readAsset(`${page}.js`), readAsset(`${page}.css`)]);
  return { script, style };
}

/**
 * A script or style element with that text. Throws if the text would end the element or be changed by the HTML parser,
 * because the policy has its hash.
 */
function inlinedElement(element: "script" | "style", text: string): Html {
  if (new RegExp(`</${element}|<!--`, "i").test(text) || text.includes("\r"))
    throw new Error(`the ${element} of the page cannot stand inside of HTML as it is`);
  return new Html(`<${element}>${text}</${element}>`);
}

function sha256Source(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/**
 * Policy of a page: nothing is loaded or sent, and only this script and this style sheet may be used. Style attributes are
 * the exception: the chart library writes them into its drawings.
 */
function contentSecurityPolicy({ script, style }: PageAssets): string {
  return [
    "default-src 'none'",
    `script-src ${sha256Source(script)}`,
    `style-src-elem ${sha256Source(style)}`,
    "style-src-attr 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The policy, the script element and the style element of a page. */
export function inlineAssets(assets: PageAssets): { policy: string; script: Html; style: Html } {
  return {
    policy: contentSecurityPolicy(assets),
    script: inlinedElement("script", assets.script),
    style: inlinedElement("style", assets.style),
  };
}
