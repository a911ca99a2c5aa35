// What parameters are drawn by: pgbench's expressions, with its precedence and its arithmetic, and a few words more for files of
// SQL. Whole numbers have 64 bits and do not overflow in silence. Parsed once; what is evaluated for each transaction is a
// closure.
import { nearest } from "../../syntax/nearest.js";
import { FUNCTIONS, type Scope } from "./functions.js";
import type { Expression, Value } from "./program.js";
import * as values from "./values.js";

export type { Scope } from "./functions.js";

type Parsed = { readonly expression: Expression } | { readonly column: number; readonly message: string };

const TOKEN =
  /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|'((?:[^']|'')*)'|:([A-Za-z_]\w*)|([A-Za-z_]\w*)|(<<|>>|<>|!=|<=|>=|[-+*/%(),=<>|&#~]))/y;

interface Token {
  readonly kind: "number" | "string" | "variable" | "word" | "symbol" | "end";
  /** Words in small letters. */
  readonly text: string;
  readonly at: number;
}

class Refused extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) break;
    const [whole, number, string, variable, word, symbol] = match;
    const start = at + (/^\s*/.exec(whole)?.[0].length ?? 0);
    at += whole.length;
    if (number !== undefined) tokens.push({ kind: "number", text: number, at: start });
    else if (string !== undefined)
      tokens.push({ kind: "string", text: string.replaceAll("''", "'"), at: start });
    else if (variable !== undefined) tokens.push({ kind: "variable", text: variable, at: start });
    else if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase(), at: start });
    else tokens.push({ kind: "symbol", text: symbol ?? "", at: start });
  }
  const rest = text.slice(at).trim();
  if (rest !== "") throw new Refused(`unexpected ${rest.slice(0, 10)}`, text.indexOf(rest, at));
  return [...tokens, { kind: "end", text: "the end", at: text.length }];
}

/** Binary operators, weakest first; those of one line are read from the left. */
const BINARY: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["not"],
  ["is", "isnull", "notnull"],
  ["<", "<=", ">", ">=", "=", "<>", "!="],
  ["|", "#", "&", "<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const NOT = 2;
const IS = 3;

class Parser {
  private next = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): Expression {
    const expression = this.level(0);
    if (this.token.kind !== "end") throw new Refused(`unexpected ${this.token.text}`, this.token.at);
    return expression;
  }

  private get token(): Token {
    return this.tokens[this.next] ?? (this.tokens.at(-1) as Token);
  }

  private takes(...texts: readonly string[]): Token | undefined {
    const { token } = this;
    if ((token.kind !== "word" && token.kind !== "symbol") || !texts.includes(token.text)) return undefined;
    this.next++;
    return token;
  }

  private expect(text: string): void {
    if (!this.takes(text)) throw new Refused(`expected ${text} before ${this.token.text}`, this.token.at);
  }

  private level(level: number): Expression {
    if (level === BINARY.length) return this.unary();
    if (level === NOT)
      return this.takes("not")
        ? { kind: "call", name: "not", arguments: [this.level(NOT)] }
        : this.level(level + 1);
    let left = this.level(level + 1);
    for (;;) {
      const operator = this.takes(...(BINARY[level] ?? []));
      if (!operator) return left;
      if (level === IS) left = this.truth(operator.text, left);
      else left = { kind: "call", name: operator.text, arguments: [left, this.level(level + 1)] };
    }
  }

  /** `IS [NOT] NULL | TRUE | FALSE`, `ISNULL`, `NOTNULL`. */
  private truth(operator: string, subject: Expression): Expression {
    const isNot = operator === "notnull" || (operator === "is" && this.takes("not") !== undefined);
    const what = operator === "is" ? this.takes("null", "true", "false") : { text: "null" };
    if (!what) throw new Refused(`expected NULL, TRUE or FALSE before ${this.token.text}`, this.token.at);
    const is: Expression = { kind: "call", name: `is ${what.text}`, arguments: [subject] };
    return isNot ? { kind: "call", name: "not", arguments: [is] } : is;
  }

  private unary(): Expression {
    const operator = this.takes("-", "+", "~");
    if (!operator) return this.primary();
    const { token } = this;
    // The least whole number is written as the negation of one that is too large.
    if (operator.text === "-" && token.kind === "number" && /^\d+$/.test(token.text)) {
      this.next++;
      return this.constant(`-${token.text}`, operator.at);
    }
    const operand = this.unary();
    if (operator.text === "+") return operand;
    return { kind: "call", name: operator.text === "-" ? "negate" : "~", arguments: [operand] };
  }

  private constant(text: string, at: number): Expression {
    if (!/^-?\d+$/.test(text)) return { kind: "constant", value: Number(text) };
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) !== value) throw new Refused(`${text} is beyond 64 bits`, at);
    return { kind: "constant", value };
  }

  private primary(): Expression {
    const { token } = this;
    this.next++;
    switch (token.kind) {
      case "number":
        return this.constant(token.text, token.at);
      case "string":
        return { kind: "constant", value: token.text };
      case "variable":
        return { kind: "variable", name: token.text };
      case "word":
        return this.word(token);
      case "symbol":
      case "end":
        if (token.text !== "(") throw new Refused(`expected a value before ${token.text}`, token.at);
    }
    const inner = this.level(0);
    this.expect(")");
    return inner;
  }

  private word({ text, at }: Token): Expression {
    if (text === "true" || text === "false") return { kind: "constant", value: text === "true" };
    if (text === "null") return { kind: "constant", value: null };
    if (text === "case") return this.cases();
    const known = FUNCTIONS.get(text);
    if (!known) {
      const near = nearest(text, [...FUNCTIONS.keys()]);
      throw new Refused(`no function ${text}${near === undefined ? "" : `; did you mean ${near}?`}`, at);
    }
    this.expect("(");
    const given: Expression[] = [];
    while (!this.takes(")")) {
      if (given.length > 0) this.expect(",");
      given.push(this.level(0));
    }
    const { least, most = least } = known;
    if (given.length < least || given.length > most) {
      const count =
        most === least ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
      throw new Refused(`${text} takes ${count} arguments, not ${given.length}`, at);
    }
    const problem = known.check?.(given.map((each) => (each.kind === "constant" ? each.value : undefined)));
    if (problem !== undefined) throw new Refused(`${text}: ${problem}`, at);
    return { kind: "call", name: text, arguments: given };
  }

  /** `CASE WHEN condition THEN value ... [ELSE value] END`. */
  private cases(): Expression {
    const parts: Expression[] = [];
    while (this.takes("when")) {
      parts.push(this.level(0));
      this.expect("then");
      parts.push(this.level(0));
    }
    if (parts.length === 0) this.expect("when");
    parts.push(this.takes("else") ? this.level(0) : { kind: "constant", value: null });
    this.expect("end");
    return { kind: "call", name: "case", arguments: parts };
  }
}

/** `column` counts from 1 in `text`. */
export function parseExpression(text: string): Parsed {
  try {
    return { expression: new Parser(tokensOf(text)).parse() };
  } catch (error) {
    if (error instanceof Refused) return { column: error.at + 1, message: error.message };
    throw error;
  }
}

export function variablesOf(expression: Expression): string[] {
  if (expression.kind === "variable") return [expression.name];
  return expression.kind === "call" ? expression.arguments.flatMap(variablesOf) : [];
}

type Closure = (scope: Scope) => Value;

const OPERATORS: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  "+": values.add,
  "-": values.subtract,
  "*": values.multiply,
  "/": values.divide,
  "%": values.modulo,
  "=": (a, b) => values.compare(a, b, (order) => order === 0),
  "<>": (a, b) => values.compare(a, b, (order) => order !== 0),
  "!=": (a, b) => values.compare(a, b, (order) => order !== 0),
  "<": (a, b) => values.compare(a, b, (order) => order < 0),
  "<=": (a, b) => values.compare(a, b, (order) => order <= 0),
  ">": (a, b) => values.compare(a, b, (order) => order > 0),
  ">=": (a, b) => values.compare(a, b, (order) => order >= 0),
  "|": values.bits((a, b) => a | b),
  "&": values.bits((a, b) => a & b),
  "#": values.bits((a, b) => a ^ b),
  "<<": values.bits((a, b) => BigInt.asIntN(64, a << (b & 63n))),
  ">>": values.bits((a, b) => a >> (b & 63n)),
};

const UNARY: Readonly<Record<string, (a: Value) => Value>> = {
  negate: (a) => values.subtract(0n, a),
  "~": (a) => values.bits((one) => ~one)(a, 0n),
  not: (a) => (a === null ? null : !values.truth(a)),
  "is null": (a) => a === null,
  "is true": (a) => a !== null && values.truth(a),
  "is false": (a) => a !== null && !values.truth(a),
};

function lazily(name: string, given: readonly Closure[]): Closure | undefined {
  const [first, second] = given;
  if (name === "case")
    return (scope) => {
      for (let i = 0; i + 1 < given.length; i += 2) {
        const condition = given[i]?.(scope) ?? null;
        if (condition !== null && values.truth(condition)) return given[i + 1]?.(scope) ?? null;
      }
      return given.at(-1)?.(scope) ?? null;
    };
  if (!first || !second || (name !== "and" && name !== "or")) return undefined;
  const decisive = name === "or";
  return (scope) => {
    const left = first(scope);
    if (left !== null && values.truth(left) === decisive) return decisive;
    const right = second(scope);
    if (right !== null && values.truth(right) === decisive) return decisive;
    return left === null || right === null ? null : !decisive;
  };
}

function compile(expression: Expression): Closure {
  if (expression.kind === "constant") return () => expression.value;
  if (expression.kind === "variable") return (scope) => scope.valueOf(expression.name);
  const { name } = expression;
  const given = expression.arguments.map(compile);
  const lazy = lazily(name, given);
  if (lazy) return lazy;
  const [first, second] = given;
  const [unary, binary] = [UNARY[name], OPERATORS[name]];
  if (unary && first) return (scope) => unary(first(scope));
  if (binary && first && second) return (scope) => binary(first(scope), second(scope));
  const known = FUNCTIONS.get(name);
  if (!known) throw new Error(`no function ${name}`);
  const { call } = known;
  return (scope) =>
    call(
      given.map((each) => each(scope)),
      scope,
    );
}

const compiled = new WeakMap<Expression, Closure>();

/** Throws where the arithmetic has no result: a division by zero, more than 64 bits. */
export function evaluate(expression: Expression, scope: Scope): Value {
  let closure = compiled.get(expression);
  if (!closure) compiled.set(expression, (closure = compile(expression)));
  return closure(scope);
}
