// What parameters are drawn by.
import { nearest } from "../../syntax/nearest.js";
import type { Prng } from "../../foundation/prng.js";
import type { Expression, Value } from "./program.js";

export interface Scope {
  readonly prng: Prng;
  valueOf(name: string): Value;
}

type Parsed = { readonly expression: Expression } | { readonly column: number; readonly message: string };

const FUNCTIONS = ["uniform", "random", "zipfian", "uuid", "text", "pick"];

export function parseExpression(text: string): Parsed {
  const tokens = [
    ...text.matchAll(/\s*(?:(\d+(?:\.\d+)?)|'((?:[^']|'')*)'|:([A-Za-z_]\w*)|([A-Za-z_]\w*)|([-+*/%(),]))/gy),
  ];
  let at = 0;
  const fail = (message: string): never => {
    const column = (tokens[at]?.index ?? text.length) + 1;
    throw Object.assign(new Error(message), { column });
  };
  const symbol = (): string | undefined => tokens[at]?.[5];
  const primary = (): Expression => {
    const token = tokens[at++];
    if (!token) return fail("the expression ends too early");
    const [, number, string, variable, word, mark] = token;
    if (number !== undefined)
      return { kind: "constant", value: number.includes(".") ? Number(number) : BigInt(number) };
    if (string !== undefined) return { kind: "constant", value: string.replaceAll("''", "'") };
    if (variable !== undefined) return { kind: "variable", name: variable };
    if (mark === "-")
      return { kind: "call", name: "-", arguments: [{ kind: "constant", value: 0n }, primary()] };
    if (mark === "(") {
      const inner = sum();
      if (tokens[at++]?.[5] !== ")") fail("expected )");
      return inner;
    }
    at--;
    if (word === undefined) return fail(`unexpected ${mark ?? ""}`);
    if (!FUNCTIONS.includes(word)) {
      const near = nearest(word, FUNCTIONS);
      return fail(`no function ${word}${near === undefined ? "" : `; did you mean ${near}?`}`);
    }
    at++;
    if (tokens[at++]?.[5] !== "(") fail("expected (");
    const list: Expression[] = [];
    while (symbol() !== ")") {
      list.push(sum());
      if (symbol() === ",") at++;
      else if (symbol() !== ")") fail("expected , or )");
    }
    at++;
    return { kind: "call", name: word, arguments: list };
  };
  const chain = (next: () => Expression, marks: string): Expression => {
    let left = next();
    for (let mark = symbol(); mark !== undefined && marks.includes(mark); mark = symbol()) {
      at++;
      left = { kind: "call", name: mark, arguments: [left, next()] };
    }
    return left;
  };
  const product = (): Expression => chain(primary, "*/%");
  const sum = (): Expression => chain(product, "+-");
  try {
    const expression = sum();
    if (at < tokens.length) fail("expected the end");
    return { expression };
  } catch (error) {
    return { column: (error as { column?: number }).column ?? 1, message: (error as Error).message };
  }
}

export function variablesOf(expression: Expression): string[] {
  if (expression.kind === "variable") return [expression.name];
  return expression.kind === "call" ? expression.arguments.flatMap(variablesOf) : [];
}

export function evaluate(expression: Expression, scope: Scope): Value {
  if (expression.kind === "constant") return expression.value;
  if (expression.kind === "variable") return scope.valueOf(expression.name);
  const values = expression.arguments.map((each) => evaluate(each, scope));
  const [a = 0n, b = 0n] = values as bigint[];
  switch (expression.name) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "uuid": {
      const hex = Array.from({ length: 4 }, () => scope.prng.uint32().toString(16).padStart(8, "0")).join("");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    }
    default:
      return BigInt(scope.prng.intBetween(Number(a), Number(b)));
  }
}
