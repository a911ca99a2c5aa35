// Parses a `report.html` for tests without a browser: the elements in their nesting, and the data of the page's script. It
// knows the HTML that train-sim writes, and throws if that is not well formed.
import * as z from "zod";
import { ResultDocument } from "../../src/results/result-schema.js";

const VOID_ELEMENTS = new Set(["meta", "link", "img", "br", "hr", "input"]);

export interface Tag {
  readonly name: string;
  /** Attributes in their written form, without the element's name. */
  readonly attributes: string;
}

/** Every element, in order, without the contents of scripts and style sheets. */
export function elementsOf(page: string): Tag[] {
  const elements: Tag[] = [];
  const open: string[] = [];
  const markup = page.replace(/(<(script|style)\b[^>]*>).*?(<\/\2>)/gs, "$1$3");
  for (const [, closing, name = "", attributes = ""] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>/g)) {
    if (closing) {
      const last = open.pop();
      if (last !== name) throw new Error(`</${name}> closes <${last ?? "nothing"}>`);
      continue;
    }
    elements.push({ name, attributes });
    if (!VOID_ELEMENTS.has(name) && !attributes.endsWith("/")) open.push(name);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(", ")}`);
  return elements;
}

/** Text of the table's cells, in order, entities resolved. */
export function cellsOf(page: string): string[] {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return [...page.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]>/gs)].map(([, text = ""]) =>
    text.trim().replace(/&([a-z]+|#39);/g, (_, name: string) => entities[name] ?? ""),
  );
}

const Embedded = z.object({
  programVersion: z.string(),
  result: ResultDocument,
  findings: z.array(z.object({ text: z.string() })),
  notes: z.array(z.string()),
  series: z.array(
    z.object({ trial: z.number(), buckets: z.number(), evidence: z.record(z.string(), z.json()) }),
  ),
  curves: z.array(z.object({ treatment: z.string(), operation: z.string(), count: z.number() })),
});

/** Data that the page's script reads. */
export function embeddedData(page: string): z.infer<typeof Embedded> {
  const json = /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(page)?.[1];
  return Embedded.parse(JSON.parse(json ?? ""));
}
