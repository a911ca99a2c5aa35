// Expressions in the real pgbench and in train-sim have the same values. They are drawn from a printed seed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { Prng } from "../../src/foundation/prng.js";
import { definedValue } from "../../src/workloads/pgbench/defined.js";
import { toExpressionValue } from "../../src/workloads/script/client.js";
import { evaluate, parseExpression } from "../../src/workloads/script/expression.js";
import type { Value } from "../../src/workloads/script/program.js";
import { FUZZ_SEED } from "../support/fuzz.js";
import { ownDatabase } from "../support/own-database.js";
import { realPgbench, type RunPgbench } from "../support/real-pgbench.js";
import { scratchDirectory } from "../support/train-sim.js";

const own = ownDatabase("expressions");
const VARIABLES: Readonly<Record<string, Value>> = {
  ...{ i: 7n, j: -3n, d: 2.5, t: true, n: null, default_seed: 12345n },
};
const REFUSED = "refused";
let pgbench: RunPgbench;

beforeAll(async () => {
  pgbench = await realPgbench(own);
});

/**
 * Values that pgbench prints for the expressions, up to the first that it refuses to compute; or the index of the first
 * that it cannot read.
 */
function evaluateByPgbench(expressions: readonly string[]): readonly string[] | { readonly unread: number } {
  const file = join(scratchDirectory(), "x.sql");
  writeFileSync(file, `${expressions.map((each) => `\\set x debug(${each})\n`).join("")}SELECT 1;\n`);
  const defined = Object.entries(VARIABLES).flatMap(([name, value]) => ["-D", `${name}=${String(value)}`]);
  const { stderr } = pgbench(["-n", "-t", "1", ...defined, "-f", file]);
  const unread = /x\.sql:(\d+): /.exec(stderr)?.[1];
  if (unread !== undefined) return { unread: Number(unread) - 1 };
  return [...stderr.matchAll(/^debug\(script=0,command=\d+\): (.*)$/gm)].map(([, value = ""]) => value);
}

/** Value of each expression in pgbench. */
function theirs(expressions: readonly string[]): string[] {
  const all = expressions.map(() => REFUSED);
  let left = [...expressions.keys()];
  while (left.length > 0) {
    const values = evaluateByPgbench(left.map((i) => expressions[i] ?? ""));
    if ("unread" in values) left.splice(values.unread, 1);
    else {
      for (const [k, value] of values.entries()) all[left[k] ?? -1] = value;
      left = left.slice(values.length + 1);
    }
  }
  return all;
}

function typedText(value: Value): string {
  if (value === null) return "null";
  const type = { bigint: "int", number: "double", boolean: "boolean", string: "text" };
  return `${type[typeof value as keyof typeof type]} ${String(value)}`;
}

function ours(expression: string): string {
  const parsed = parseExpression(expression);
  if (!("expression" in parsed)) return REFUSED;
  const scope = { prng: new Prng(1), valueOf: (name: string) => VARIABLES[name] ?? null };
  try {
    return typedText(evaluate(parsed.expression, scope));
  } catch {
    return REFUSED;
  }
}

function doubleIn(text: string): number | undefined {
  const [, sign = "", number] = /^double (-?)(.*)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(`${sign}${number === "inf" ? "Infinity" : number}`);
}

/** True if values are equal within 15 digits, which is pgbench's precision of a double. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [doubleIn(one), doubleIn(other)];
  if (a === undefined || b === undefined) return one === other;
  return a === b || (Number.isNaN(a) && Number.isNaN(b)) || Math.abs(a - b) <= Math.abs(a) * 1e-13;
}

const ATOMS = [
  ...["0", "1", "2", "7", "10", "63", "64", "-1", "-7", "4611686018427387904", "9223372036854775807"],
  ...["-9223372036854775808", "0.5", "1.5", "2.5", "2.7", ".25", "1.", "1e3", "1e19"],
  ...["true", "FALSE", "null", ":i", ":j", ":d", ":t", ":n"],
];
const BINARY = [
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "|",
  "#",
  "<<",
  ">>",
  "<",
  "<=",
  ">",
  ">=",
  "=",
  "<>",
  "!=",
].concat(["and", "or"]);
const CALLS = [
  ...["int(_)", "double(_)", "sqrt(_)", "ln(_)", "exp(_)", "pow(_, _)", "mod(_, _)", "greatest(_, _)"],
  ...[
    "least(_, _, _)",
    "hash(_)",
    "hash(_, _)",
    "hash_fnv1a(_, _)",
    "hash_murmur2(_, _)",
    "permute(_, 1000)",
  ],
  ...[
    "permute(_, _, _)",
    "pi()",
    "(_)",
    "-_",
    "+_",
    "~_",
    "not _",
    "_ is null",
    "_ is not true",
    "_ notnull",
  ],
  ...["abs(int(_))", "case when _ then _ end", "case when _ then _ when _ then _ else _ end"],
];

function drawExpression(prng: Prng, depth: number): string {
  const one = (list: readonly string[]): string => list[prng.intBetween(0, list.length - 1)] ?? "";
  if (depth === 0) return one(ATOMS);
  if (prng.float() < 0.5)
    return `${drawExpression(prng, depth - 1)} ${one(BINARY)} ${drawExpression(prng, depth - 1)}`;
  return one(CALLS).replace(/_(?![a-z0-9])/g, () => drawExpression(prng, depth - 1));
}

it("random expressions have the same values as in pgbench", () => {
  const prng = new Prng(FUZZ_SEED);
  const expressions = Array.from({ length: 2000 }, () => drawExpression(prng, prng.intBetween(1, 3)));
  const expected = theirs(expressions);
  const taken = [...expressions.keys()].filter((i) => expected[i] !== REFUSED);
  expect(taken.length).toBeGreaterThan(800);
  const mine = expressions.map(ours);
  const lines = (all: readonly number[]) =>
    all.map((i) => `${expressions[i] ?? ""}: ${mine[i] ?? ""}; pgbench: ${expected[i] ?? ""}`);
  const refused = taken.filter((i) => mine[i] === REFUSED);
  const others = taken.filter((i) => mine[i] !== REFUSED && !isEqual(mine[i] ?? "", expected[i] ?? ""));
  expect(lines(others), `seed ${FUZZ_SEED}`).toEqual([]);
  // train-sim computes constants when it reads them, and so refuses expressions that pgbench never evaluates. They must
  // be few.
  expect(refused.length, lines(refused).join("\n")).toBeLessThan(taken.length / 20);
});

const TEXTS = [
  ...["true", "T", "tr", "yes", "y", "on", "ON", "false", "f", "No", "n", "of", "off", "null", "NULL"],
  ...["7", "-7", " 7", "+7", "1.5", "-15e-1", "o", "truely", "nul", "abc", "1x"],
];

it.each(TEXTS)("-D v=%s defines the same value as in pgbench", (text) => {
  const file = join(scratchDirectory(), "v.sql");
  writeFileSync(file, "\\set x debug(:v)\nSELECT 1;\n");
  const { stderr } = pgbench(["-n", "-t", "1", "-D", `v=${text}`, "-f", file]);
  const value = definedValue(text);
  const mine = typedText(value === null ? null : toExpressionValue(value));
  const isRefused = /malformed variable "v"|invalid input syntax for type double/.test(stderr);
  const [, theirs = isRefused ? `text ${text}` : stderr] =
    /^debug\(script=0,command=1\): (.*)$/m.exec(stderr) ?? [];
  expect(isEqual(mine, theirs), `${mine}; pgbench: ${theirs}`).toBe(true);
});
