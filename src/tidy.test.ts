// Holds the shape of the code (DESIGN section 5 and 6) as data and fails where the tree leaves it: rooms, cycles,
// the one clock, the one source of randomness, lengths, opening comments, escapes, bare names. Each rule is also
// shown to catch what it is for, on small synthetic sources, so that a rule that went blind is noticed.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  cycleViolations,
  driverViolations,
  roomViolations,
  type Blindness,
  type RoomTable,
  type SourceFile,
  type Violation,
} from "./testing/tidy-imports.js";
import { countSentences, MAX_FILE_LINES, MAX_FUNCTION_LINES, styleViolations } from "./testing/tidy-style.js";

/** Lowest first. Imports run downward only; rooms on one level do not import each other. */
const ROOMS: RoomTable = [
  ["foundation"],
  ["model", "pacing"],
  ["scenario", "metrics"],
  ["database", "target", "results"],
  ["actors", "audit", "report"],
  ["engine"],
  ["cli"],
];

/** A report is made from stored results: it needs no database, and must not be able to ask one. */
const BLIND: Blindness = { report: ["database", "target"] };

const CLOCK_FILE = "foundation/clock.ts";
const RANDOM_FILE = "foundation/prng.ts";
const DRIVER_ROOM = "database";

const SRC = path.dirname(fileURLToPath(import.meta.url));

function tree(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({
      path: file.split(path.sep).join("/"),
      text: readFileSync(path.join(SRC, file), "utf8"),
    }))
    .sort((a, b) => a.path.localeCompare(b.path));
}

function written(violations: readonly Violation[]): string[] {
  return violations.map(({ path: file, line, rule, message }) => `src/${file}:${line} ${rule}: ${message}`);
}

describe("the source tree", () => {
  const files = tree();

  test("is the whole of it", () => {
    expect(files.map((file) => file.path)).toEqual(
      expect.arrayContaining([CLOCK_FILE, RANDOM_FILE, "model/event.ts", "tidy.test.ts"]),
    );
  });

  test("imports downward only", () => {
    expect(written(roomViolations(files, ROOMS, BLIND))).toEqual([]);
  });

  test("has no import cycle", () => {
    expect(written(cycleViolations(files))).toEqual([]);
  });

  test("talks to databases from one room", () => {
    expect(written(driverViolations(files, DRIVER_ROOM))).toEqual([]);
  });

  test("keeps to the style of a file", () => {
    expect(written(files.flatMap((file) => styleViolations(file, CLOCK_FILE, RANDOM_FILE)))).toEqual([]);
  });
});

/** Sources by path, as the rules take them. */
function sources(texts: Record<string, string>): SourceFile[] {
  return Object.entries(texts).map(([file, text]) => ({ path: file, text }));
}

describe("the rule of rooms", () => {
  const judge = (texts: Record<string, string>): string[] =>
    written(roomViolations(sources(texts), ROOMS, BLIND));

  test.each([
    ["model/a.ts", `import { x } from "../scenario/b.js";`, "upward: model imports scenario"],
    ["foundation/a.ts", `export * from "../cli/main.js";`, "upward: foundation imports cli"],
    ["scenario/a.ts", `import type { X } from "../metrics/b.js";`, "sideways: scenario imports metrics"],
    ["target/a.ts", `const m = await import("../database/b.js");`, "sideways: target imports database"],
    ["actors/a.ts", `type X = import("../engine/b.js").X;`, "upward: actors imports engine"],
    ["report/a.ts", `import { x } from "../database/b.js";`, "report must not see database"],
    ["engine/a.ts", `import { x } from "../testing/b.js";`, "the program imports test fixtures"],
    ["engine/a.ts", `import { x } from "../helpers/b.js";`, "is in no room of the table"],
    ["helpers/a.ts", ``, "lies in no room of the table"],
    ["loose.ts", ``, "lies in no room of the table"],
  ])("catches %s with %s", (file, text, message) => {
    const found = judge({ [file]: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`src/${file}:1 rooms: `);
    expect(found[0]).toContain(message);
  });

  test("lets imports run downward, inside a room, into packages, and lets tests see everything", () => {
    const found = judge({
      "cli/run.ts": `import { a } from "../engine/a.js"; import { b } from "../foundation/b.js";`,
      "actors/deep/worker.ts": `import { c } from "../c.js"; import { d } from "../../database/d.js"; import "pino";`,
      "report/html.ts": `import { r } from "../results/r.js";`,
      "model/a.test.ts": `import { run } from "../cli/run.js"; import { f } from "../testing/f.js";`,
      "testing/f.ts": `import { run } from "../target/embedded.js";`,
    });
    expect(found).toEqual([]);
  });

  test("reads imports, not text that looks like one", () => {
    expect(
      judge({ "model/a.ts": `// import "../cli/main.js"\nexport const s = 'import "../cli/x.js"';` }),
    ).toEqual([]);
  });
});

describe("the rule against cycles", () => {
  test("names the circle, types included", () => {
    const found = cycleViolations(
      sources({
        "model/a.ts": `import { b } from "./b.js";`,
        "model/b.ts": `import type { c } from "./deep/c.js";`,
        "model/deep/c.ts": `export { a } from "../a.js";`,
      }),
    );
    expect(found.map((violation) => violation.message)).toEqual([
      "model/a.ts -> model/b.ts -> model/deep/c.ts -> model/a.ts",
    ]);
  });

  test("sees a file that imports itself and is not misled by two ways to one file", () => {
    expect(cycleViolations(sources({ "model/a.ts": `import "./a.js";` }))).toHaveLength(1);
    const diamond = {
      "model/a.ts": `import "./b.js"; import "./c.js";`,
      "model/b.ts": `import "./d.js";`,
      "model/c.ts": `import "./d.js";`,
      "model/d.ts": ``,
    };
    expect(cycleViolations(sources(diamond))).toEqual([]);
  });
});

describe("the rule of the driver", () => {
  test("catches pg and pg-pool outside the database's room, in tests too", () => {
    const found = driverViolations(
      sources({
        "engine/a.ts": `import pg from "pg";`,
        "audit/b.ts": `const Pool = (await import("pg-pool")).default;`,
        "actors/c.test.ts": `import type { Client } from "pg/lib/client.js";`,
        "database/d.ts": `import pg from "pg";`,
        "testing/e.ts": `import pg from "pg";`,
        "target/f.ts": `import { parse } from "pg-connection-string";`,
      }),
      DRIVER_ROOM,
    );
    expect(found.map((violation) => violation.path)).toEqual([
      "engine/a.ts",
      "audit/b.ts",
      "actors/c.test.ts",
    ]);
  });
});

describe("the style of a file", () => {
  const HEAD = "// Owns a thing. Exists for a reason.\n";
  const judge = (text: string, file = "engine/a.ts"): string[] =>
    styleViolations({ path: file, text }, CLOCK_FILE, RANDOM_FILE).map(
      ({ rule, line, message }) => `${line} ${rule}: ${message}`,
    );

  test.each([
    ["const a = Date.now();", "2 clock: reads a clock: Date.now"],
    ["const a = new Date();", "2 clock: reads a clock: Date()"],
    ["const a = Date();", "2 clock: reads a clock: Date()"],
    ["const a = globalThis.performance.now();", "2 clock: reads a clock: performance.now"],
    ["const a = performance['now']();", "2 clock: reads a clock: performance.now"],
    ["const a = process.hrtime.bigint();", "2 clock: reads a clock: process.hrtime"],
    ["import { hrtime as h } from 'node:process';", "2 clock: reads a clock: hrtime"],
    ["const f = Date.now;", "2 clock: reads a clock: Date.now"],
    ["const a = Math.random();", "2 randomness: makes randomness: Math.random"],
    ["const a = crypto.randomUUID();", "2 randomness: makes randomness: randomUUID"],
    ["import { randomBytes } from 'node:crypto';", "2 randomness: makes randomness: randomBytes"],
    ["export const a: any = 1;", "2 escape: uses `any`"],
    ["export function f(a: Map<string, any[]>): void {}", "2 escape: uses `any`"],
    ["const b = 2;\n// eslint-disable-next-line\nconst a = 1;", "3 escape: comment says eslint-disable"],
    ["const a = 1; // @ts-ignore", "2 escape: comment says @ts-ignore"],
    ["const a = f(/* @ts-expect-error */ 1);", "2 escape: comment says @ts-expect-error"],
    ["export const latency = 1;", "2 bare name: exports the bare name latency: say what of"],
    ["export class Manager {}", "2 bare name: exports the bare name Manager: say what of"],
    ["export interface Job {}", "2 bare name: exports the bare name Job: say what of"],
    ["const a = 1;\nexport { a as data };", "3 bare name: exports the bare name data: say what of"],
    ["export * as utils from './a.js';", "2 bare name: exports the bare name utils: say what of"],
  ])("catches %s", (text, expected) => {
    expect(judge(HEAD + text)).toEqual([expected]);
  });

  test.each([
    "const at = new Date(0); const iso = new Date(nowMs).toISOString();",
    "const text = 'Date.now() and Math.random() // eslint-disable';",
    "const text = `any ${x} // @ts-ignore`;",
    "// A comment may say Date.now() or any.\nconst a = 1;",
    "export const responseTimeMs = 1; const latency = 2; export type DataRow = unknown;",
    "clock.nowMs(); prng.float(); performance.eventLoopUtilization();",
  ])("lets %s be", (text) => {
    expect(judge(HEAD + text)).toEqual([]);
  });

  test("allows the clock and the generator their own readings, and tests theirs", () => {
    expect(judge(`${HEAD}const a = Date.now();`, CLOCK_FILE)).toEqual([]);
    expect(judge(`${HEAD}const a = randomBytes(4);`, RANDOM_FILE)).toEqual([]);
    expect(judge(`${HEAD}const a = randomBytes(4);`, CLOCK_FILE)).toHaveLength(1);
    expect(judge("const a = Date.now() + Math.random();", "engine/a.test.ts")).toEqual([]);
    expect(judge(`${HEAD}const a = Date.now();`, "testing/a.ts")).toEqual([]);
  });

  test("measures files, tests excepted", () => {
    const long = HEAD + "const a = 1;\n".repeat(MAX_FILE_LINES);
    expect(judge(long)).toEqual([
      `${MAX_FILE_LINES + 2} file length: ${MAX_FILE_LINES + 1} lines, at most 250`,
    ]);
    expect(judge(long, "engine/a.test.ts")).toEqual([]);
    expect(judge(HEAD + "const a = 1;\n".repeat(MAX_FILE_LINES - 1))).toEqual([]);
  });

  test.each([
    ["function f() {", "}"],
    ["const f = () => {", "};"],
    ["class A { method() {", "} }"],
    ["class A { constructor() {", "} }"],
    ["class A { get size() {", "} }"],
  ])("measures what begins with %s", (begin, end) => {
    const withLines = (lines: number): string => `${HEAD}${begin}\n${"x();\n".repeat(lines - 2)}${end}`;
    expect(judge(withLines(MAX_FUNCTION_LINES))).toEqual([]);
    expect(judge(withLines(MAX_FUNCTION_LINES + 1))).toEqual([
      `2 function length: ${MAX_FUNCTION_LINES + 1} lines, at most ${MAX_FUNCTION_LINES}`,
    ]);
  });

  test.each([
    ["", 0],
    ["const a = 1;", 0],
    ["// One sentence.", 1],
    [`// ${"Far too much. ".repeat(7)}`, 7],
    ["import './x.js';\n// Comes too late. Is no opening.", 0],
  ])("misses the opening comment of %j", (text, sentences) => {
    expect(judge(text)).toEqual([
      `1 opening comment: opens with ${sentences} sentences of comment, not 2 to 6`,
    ]);
  });

  test("finds the opening comment after a shebang and in a block", () => {
    expect(judge("#!/usr/bin/env node\n// Starts the program. Parses nothing.\n")).toEqual([]);
    expect(judge("/**\n * Owns a thing. Refuses\n * another.\n */\nconst a = 1;")).toEqual([]);
  });

  test("counts sentences, not dots", () => {
    expect(countSentences("Reads a.b.c and 1.5, e.g. from `x.ts`. Then stops (see y.ts).")).toBe(2);
    expect(countSentences("Is it? Yes! It is.")).toBe(3);
    expect(countSentences("One table:\n\n  add -> PENDING\n\nAnd its use.\n\n  no sentence")).toBe(1);
  });
});
