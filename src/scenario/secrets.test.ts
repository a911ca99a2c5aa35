// Passwords in URLs, in whatever state: nothing of them is left in a text that passed through here.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutPasswords } from "./secrets.js";

const CORE = "hunter2hunter2";
/** Words with a known part, between signs that URLs give a meaning to. */
const password = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(..."a Z 9 @ : / ? # & % = $ ' \" é".split(" "), " ") }),
    fc.string({ maxLength: 4 }),
  )
  .map(([before, after]) => `${before}${CORE}${after.replace(/\s/g, "")}`);

describe("withoutPasswords", () => {
  it("leaves nothing of a password that is written as it should be, and the rest as it is", () => {
    fc.assert(
      fc.property(password, (text) => {
        const url = `postgresql://u:${encodeURIComponent(text)}@h:5432/d?sslmode=require`;
        expect(withoutPasswords(url)).toBe("postgresql://u@h:5432/d?sslmode=require");
        expect(withoutPasswords(`cannot read ${url} here`)).toContain("u@h:5432/d");
      }),
    );
  });

  it("leaves nothing of one that is not encoded, rather too little of the URL", () => {
    fc.assert(
      fc.property(password, (text) => {
        expect(withoutPasswords(`postgresql://u:${text}@h:5432/d`)).not.toContain(CORE);
      }),
    );
  });

  it.each([
    ["postgresql://u@h/d?password=hunter2", "postgresql://u@h/d"],
    ["postgresql://u@h/d?password=hunter2&sslmode=require", "postgresql://u@h/d?sslmode=require"],
    ["postgresql://u@h/d?sslmode=require&pasword=hunter2", "postgresql://u@h/d?sslmode=require"],
    ["postgresql://u:5432#hunter2@h/d", "postgresql://u@h/d"],
    ["postgresql://u@h/d#hunter2", "postgresql://u@h/d"],
    ["postgresql://u:a hunter2 b@h/d", "postgresql://u@h/d"],
    ["see postgresql://u:hunter2@h/d, or me@x", "see postgresql://u@h/d, or me@x"],
    ["work_mem=64MB? yes & no", "work_mem=64MB? yes & no"],
  ])("makes %s into %s", (text, expected) => {
    expect(withoutPasswords(text)).toBe(expected);
  });
});
