import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { html, jsonForScript } from "./html.js";

describe("the html template", () => {
  it("escapes text in content and in attributes", () => {
    const hostile = `"><img src=x onerror='alert(1)'>&`;
    expect(html`<p title="${hostile}">${hostile}</p>`.markup).toBe(
      `<p title="&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;">` +
        `&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;</p>`,
    );
  });

  it("inserts markup and lists of markup unescaped", () => {
    const words = ["a", "<b>"].map((text) => html`<i>${text}</i>`);
    expect(html`<b>${words}</b>`.markup).toBe("<b><i>a</i><i>&lt;b&gt;</i></b>");
  });

  it("writes numbers, and nothing for null, undefined and false", () => {
    expect(html`${0} ${1.5} ${null}${undefined}${false}${[]}`.markup).toBe("0 1.5 ");
  });

  it("replaces control characters except line breaks and tabs", () => {
    expect(html`${"a\u0000\u001b[31m\nb\tc"}`.markup).toBe("a\ufffd\ufffd[31m\nb\tc");
  });

  it("escapes angle brackets and quotes of any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[<>"']/.test(html`${text}`.markup)));
  });
});

describe("JSON in a script element", () => {
  it("parses to the same value and has no character that could end the element", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const { markup } = jsonForScript(value);
        expect(markup).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(markup)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each(["</script>", "<!--", "<script>", "]]>", "\u2028"])("escapes %s", (text) => {
    const { markup } = jsonForScript({ text });
    expect(markup).not.toContain(text);
    expect(JSON.parse(markup)).toEqual({ text });
  });
});
