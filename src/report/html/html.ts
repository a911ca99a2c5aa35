// HTML as a tagged template that escapes all values put into it. Markup has a separate type, which only this file creates.
// Values may be element content and quoted attributes only.

export class Html {
  /** Takes markup as it is; only `html` escapes texts. */
  constructor(readonly markup: string) {}
}

/** Values that the template `html` accepts; false, null and undefined write nothing. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[];

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.markup;
  if (typeof value === "object") return value.map(markupOf).join("");
  return String(value)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd")
    .replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? "");
}

/**
 * Makes markup from a template, without the template's indentation. Filled-in texts are escaped and keep their indentation.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(
    strings.map((string, i) => string.replace(/\s*\n\s*/g, "\n") + markupOf(values[i])).join(""),
  );
}

/**
 * A value as JSON that can stand in a `<script>`: with every `<` and `&` escaped, it can neither end the element nor begin
 * a comment; with the two line separators escaped, it is JavaScript, too.
 */
export function jsonForScript(value: unknown): Html {
  const escapedJson = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return new Html(escapedJson);
}
