import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../scenario/loader.js";
import { ScenarioError } from "../syntax/problems.js";
import { keyWithoutPasswords, withoutPasswords } from "./secrets.js";

const CORE = "hunter2hunter2";
/** Words with a known part, between signs that URLs give a meaning to. */
const password = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(..."a Z 9 @ : / ? # & % = $ ' \" é".split(" "), " ") }),
    fc.string({ maxLength: 4 }),
  )
  .map(([before, after]) => `${before}${CORE}${after.replace(/\s/g, "")}`);

describe("withoutPasswords", () => {
  it("removes a well-formed password completely and keeps all other text", () => {
    fc.assert(
      fc.property(password, (text) => {
        const url = `postgresql://u:${encodeURIComponent(text)}@h:5432/d?sslmode=require`;
        expect(withoutPasswords(url)).toBe("postgresql://u@h:5432/d?sslmode=require");
        expect(withoutPasswords(`cannot read ${url} here`)).toContain("u@h:5432/d");
      }),
    );
  });

  it("removes an unencoded password, if need be with other parts of the URL", () => {
    fc.assert(
      fc.property(password, (text) => {
        expect(withoutPasswords(`postgresql://u:${text}@h:5432/d`)).not.toContain(CORE);
      }),
    );
  });

  it.each([
    ["postgresql://u@h/d?password=hunter2", "postgresql://u@h/d"],
    ["mongodb://u:hunter2@h/?w=1&journal=true&tls=true", "mongodb://u@h/?w=1&journal=true&tls=true"],
    ["mongodb+srv://u:hunter2@h/d?authSource=a&pasword=hunter2", "mongodb+srv://u@h/d?authSource=a"],
    ["mongodb://h/?tlsCertificateKeyFilePassword=hunter2&tlsCAFile=ca.pem", "mongodb://h/?tlsCAFile=ca.pem"],
    ["postgresql://u@h/d?password=hunter2&sslmode=require", "postgresql://u@h/d?sslmode=require"],
    ["postgresql://u@h/d?sslmode=require&pasword=hunter2", "postgresql://u@h/d?sslmode=require"],
    ["postgresql://u:5432#hunter2@h/d", "postgresql://u@h/d"],
    ["postgresql://u@h/d#hunter2", "postgresql://u@h/d"],
    ["postgresql://u:a hunter2 b@h/d", "postgresql://u@h/d"],
    ["see postgresql://u:hunter2@h/d, or me@x", "see postgresql://u@h/d, or me@x"],
    ["work_mem=64MB? yes & no", "work_mem=64MB? yes & no"],
    ["did you mean postgresql://u@h/d?", "did you mean postgresql://u@h/d?"],
  ])("turns %s into %s", (text, expected) => {
    expect(withoutPasswords(text)).toBe(expected);
  });
});

describe("keyWithoutPasswords", () => {
  it("removes a password with or without blanks behind other text", () => {
    fc.assert(
      fc.property(password, (text) => {
        expect(keyWithoutPasswords(`add{pool:pgbouncer-postgresql://u:${text}@h:5432/d}`)).not.toContain(
          CORE,
        );
      }),
    );
  });
});

describe("a URL in place of a key", () => {
  /** Message and problems, as people and programs see them. */
  const complaint = (yaml: string, ...set: string[]): string => {
    try {
      parseScenario(`name: x\n${yaml}`, "x.yaml", { set });
    } catch (error) {
      if (error instanceof ScenarioError) return `${error.message}\n${JSON.stringify(error.problems)}`;
      throw error;
    }
    throw new Error("nothing was refused");
  };
  const URLS = [
    "postgresql://app:s3cret@db.example:5432/x",
    "postgresql://app:p.s3cret@db/x",
    "postgresql://app:p=s3cret@db/x",
    "postgresql://app:p s3cret p@db/x",
    "postgresql://db.example/x?password=s3cret",
  ];
  const places: readonly [string, (key: string) => string][] = [
    ["at the top level", (key) => `${key}: 1`],
    ["in the target", (key) => `target: { ${key}: 1 }`],
    ["in the target's settings", (key) => `target: { settings: { ${key}: 1 } }`],
    ["in the factors", (key) => `factors: { ${key}: [1] }`],
    ["in an inclusion", (key) => `include: [{ ${key}: 1 }]`],
    ["in the thresholds", (key) => `thresholds: { ${key}: [max<1] }`],
    ["in a level", (key) => `factors: { pool: [{ ${key}: 1 }, { strategy: 1 }] }`],
  ];
  it.each(places)("is shown without its password %s", (_, yaml) => {
    for (const url of URLS) {
      const found = complaint(yaml(JSON.stringify(url)));
      expect(found).toContain("postgresql://");
      expect(found).not.toMatch(/s3cret/);
    }
  });

  it("is shown without its password as a threshold's level and as a YAML alias", () => {
    const threshold = `add{payload:${URLS[0]}}`;
    const found = complaint(`factors: { payload: [text] }\nthresholds: { "${threshold}": [max<1] }`);
    expect(found).toContain("has no level postgresql://app@db.example:5432/x;");
    expect(found).not.toContain("s3cret");
    expect(complaint("target: *postgresql://app:s3cret@db/x")).not.toContain("s3cret");
  });

  it.each([
    ...URLS.flatMap((url) => [
      url,
      `${url}=1`,
      `target.${url}=1`,
      `factors.${url}=[1]`,
      `thresholds.${url}=1`,
    ]),
    "postgresql://app:s3cret@db/x?sslmode=require",
    "postgresql:/app:s3cret@db/x?sslmode=require",
    `thresholds."add{payload:${URLS[0]}}"=max<1`,
  ])("is shown without its password in --set %s", (set) => {
    expect(complaint("factors: { payload: [text] }", set)).not.toMatch(/s3cret|app:p/);
  });
});
