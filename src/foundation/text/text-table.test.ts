import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, renderParameters, renderTable, shorten, wrap } from "./text-table.js";

describe("renderTable", () => {
  it("aligns columns under a rule", () => {
    const columns = [
      { title: "id", align: "left" },
      { title: "tot_ops", align: "right" },
    ] as const;
    expect(
      renderTable(columns, [
        ["add", "5"],
        ["__cycle__", "12345678"],
      ]),
    ).toEqual([
      "id          tot_ops", //
      "---------  --------",
      "add               5",
      "__cycle__  12345678",
    ]);
  });

  it("replaces control characters", () => {
    expect(printable("a\u001b[31mred\u0007\r\nb\u009b2J")).toBe("a [31mred b 2J");
    expect(renderTable([{ title: "t", align: "left" }], [["x\u001b]0;title\u0007"]])[2]).toBe(
      "x ]0;title ".trimEnd(),
    );
  });
});

describe("wrap", () => {
  it("breaks at spaces, loses no word and keeps to the width", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { maxLength: 20 }), (words) => {
        const lines = wrap(words.join(" "), 20);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(20);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
      }),
    );
  });
});

describe("shorten", () => {
  it("keeps both ends of a long text", () => {
    expect(shorten("jsonb-manual-pgbouncer-transaction-16", 16)).toBe("jsonb-ma…tion-16");
    expect(shorten("short", 16)).toBe("short");
  });
});

describe("renderParameters", () => {
  it("continues a long value on further lines", () => {
    const lines = renderParameters([["settings", "abcd ".repeat(60).trim()]]);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
    expect(lines[3]).toMatch(/^ {11}abcd/);
  });
});
