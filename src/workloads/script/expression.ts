// Expressions of pgbench with its precedence and arithmetic, and some more functions.
import { nearest } from "../../syntax/nearest.js";
import { Prng } from "../../foundation/prng.js";
import { FUNCTIONS, OPERATORS } from "./expression/functions.js";
import type { Run, Scope } from "./expression/values.js";
import type { Expression, Value } from "./program.js";

type Parsed = { readonly expression: Expression } | { readonly column: number; readonly message: string };

interface Token {
  readonly kind: "number" | "string" | "variable" | "word" | "mark" | "end";
  /** Text of the token; words are in small letters. */
  readonly text: string;
  readonly at: number;
}

class ExpressionError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

const TOKEN =
  /(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w))|'(?<string>(?:[^']|'')*)'|:(?<variable>\w+)|(?<word>[A-Za-z_]\w*)|(?<mark><<|>>|<=|>=|<>|!=|[-+*/%&|#~<>=(),])/y;
const SPACE = /\s*/y;
const TOKENS_MAX = 4000;
const DEPTH_MAX = 100;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
    if (tokens.length > TOKENS_MAX)
      throw new ExpressionError(`the expression is too long; it takes ${TOKENS_MAX} words and marks`, at);
    if (at === text.length) return [...tokens, { kind: "end", text: "the end", at }];
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const groups: Readonly<Record<string, string | undefined>> = match?.groups ?? {};
    const [kind, found] = Object.entries(groups).find(([, part]) => part !== undefined) ?? [];
    if (!match || kind === undefined || found === undefined)
      throw new ExpressionError(strangeCharacter(text, at), at);
    tokens.push({ kind: kind as Token["kind"], text: kind === "word" ? found.toLowerCase() : found, at });
    at += match[0].length;
  }
}

function strangeCharacter(text: string, at: number): string {
  const [seen = ""] = /^(?:[\d.]\w*|.)/su.exec(text.slice(at)) ?? [];
  if (seen === "'") return "the text that begins here does not end; write ' behind it";
  if (seen === ":") return "expected the name of a variable behind :";
  return /^\d/.test(seen) ? `${seen} is not a number` : `unexpected ${seen}`;
}

const NOT = 2;
const TEST = 3;
const COMPARISON = 4;
const BITS = 5;
const SIGN = 8;
/** Operators by their level of precedence; level 0 binds the weakest. */
const LEVELS: ReadonlyMap<string, number> = new Map(
  [
    ["or"],
    ["and"],
    ["not"],
    ["is", "isnull", "notnull"],
    ["<", ">", "=", "<=", ">=", "<>", "!="],
    ["|", "#", "&", "<<", ">>", "~"],
    ["+", "-"],
    ["*", "/", "%"],
  ].flatMap((marks, level) => marks.map((mark): [string, number] => [mark, level])),
);
const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["null", null],
  ["true", true],
  ["false", false],
]);
/** Words of expressions that cannot be names of functions. */
const KEYWORDS = ["and", "or", "not", "is", "isnull", "notnull", "case", "when", "then", "else", "end"];
/** Functions whose last argument, the seed, may be left out. */
const SEEDED = ["hash", "hash_fnv1a", "hash_murmur2", "permute"];
const INT_MAX = 2n ** 63n - 1n;

const constant = (value: Value): Expression => ({ kind: "constant", value });

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  whole(): Expression {
    const expression = this.expression(0);
    if (this.token.kind !== "end") this.fail(`expected the end, found ${this.token.text}`);
    return expression;
  }

  private get token(): Token {
    return this.tokens[this.at] as Token;
  }

  private fail(message: string, { at }: Token = this.token): never {
    throw new ExpressionError(message, at);
  }

  /** Takes the next token if it is that word or mark; returns true if it was. */
  private took(text: string): boolean {
    const { kind, text: seen } = this.token;
    const isIt = seen === text && (kind === "mark" || kind === "word");
    if (isIt) this.at++;
    return isIt;
  }

  private require(text: string): void {
    if (!this.took(text)) this.fail(`expected ${text.toUpperCase()}, found ${this.token.text}`);
  }

  private expression(level: number): Expression {
    if (++this.depth > DEPTH_MAX) this.fail(`more than ${DEPTH_MAX} levels of parentheses and signs`);
    let left = this.operand();
    for (;;) {
      const { token } = this;
      const binds = token.kind === "mark" || token.kind === "word" ? LEVELS.get(token.text) : undefined;
      if (binds === undefined || binds < level || token.text === "not" || token.text === "~") break;
      this.at++;
      left = binds === TEST ? this.test(token, left) : this.binary(token, binds, left);
    }
    this.depth--;
    return left;
  }

  private binary(operator: Token, binds: number, left: Expression): Expression {
    const right = this.expression(binds + 1);
    if (binds === COMPARISON && LEVELS.get(this.token.text) === COMPARISON && this.token.kind === "mark")
      this.fail(`${this.token.text} compares the result of a comparison; write AND between the two`);
    return this.call(operator.text === "!=" ? "<>" : operator.text, [left, right], operator);
  }

  /** Reads a test such as `IS NULL`, `IS NOT NULL` or `ISNULL`, after its left operand. */
  private test(operator: Token, left: Expression): Expression {
    const isNot = operator.text === "notnull" || (operator.text === "is" && this.took("not"));
    let value: Value | undefined = null;
    if (operator.text === "is") {
      value = this.token.kind === "word" ? CONSTANTS.get(this.token.text) : undefined;
      if (value === undefined) this.fail("expected NULL, TRUE or FALSE");
      this.at++;
    }
    const test = this.call("is", [left, constant(value)], operator);
    return isNot ? this.call("not", [test], operator) : test;
  }

  private operand(): Expression {
    const { token } = this;
    this.at++;
    switch (token.kind) {
      case "number":
        return constant(this.number(token));
      case "string":
        return constant(token.text.replaceAll("''", "'"));
      case "variable":
        return { kind: "variable", name: token.text };
      case "word":
        return this.word(token);
      case "mark":
        return this.prefixed(token);
      case "end":
        return this.fail("the expression ends too early", token);
    }
  }

  private number(token: Token): Value {
    if (/^\d+$/.test(token.text)) {
      const whole = BigInt(token.text);
      if (whole > INT_MAX) this.fail(`${token.text}: bigint out of range`, token);
      return whole;
    }
    const double = Number(token.text);
    if (!Number.isFinite(double)) this.fail(`${token.text} is larger than the largest double`, token);
    return double;
  }

  private prefixed(token: Token): Expression {
    switch (token.text) {
      case "(": {
        const inner = this.expression(0);
        this.require(")");
        return inner;
      }
      case "+":
        return this.expression(SIGN);
      case "-": {
        const [, least] = /^0*(9223372036854775808)$/.exec(this.token.text) ?? [];
        if (least === undefined || this.token.kind !== "number")
          return this.call("-", [constant(0n), this.expression(SIGN)], token);
        this.at++;
        return constant(-BigInt(least));
      }
      case "~":
        return this.call("#", [constant(-1n), this.expression(BITS + 1)], token);
    }
    return this.fail(`expected a value, found ${token.text}`, token);
  }

  private word(token: Token): Expression {
    const value = CONSTANTS.get(token.text);
    if (value !== undefined) return constant(value);
    if (token.text === "not") return this.call("not", [this.expression(NOT)], token);
    if (token.text === "case") return this.cases(token);
    if (KEYWORDS.includes(token.text))
      this.fail(`expected a value, found ${token.text.toUpperCase()}`, token);
    return this.functionCall(token);
  }

  private cases(token: Token): Expression {
    const list: Expression[] = [];
    this.require("when");
    do {
      list.push(this.expression(0));
      this.require("then");
      list.push(this.expression(0));
    } while (this.took("when"));
    list.push(this.took("else") ? this.expression(0) : constant(null));
    this.require("end");
    return this.call("case", list, token);
  }

  private functionCall(token: Token): Expression {
    const name = token.text;
    if (name === "debug") this.fail("debug is refused: it prints a line at each call; remove it", token);
    const callable = FUNCTIONS.get(name);
    if (!callable) return this.failUnknown(token);
    this.require("(");
    const list: Expression[] = [];
    if (!this.took(")")) {
      do list.push(this.expression(0));
      while (this.took(","));
      if (!this.took(")")) this.fail(`expected , or ), found ${this.token.text}`);
    }
    const { usage, least, most } = callable;
    const given = list.length;
    if (SEEDED.includes(name) && given === least - 1) list.push({ kind: "variable", name: "default_seed" });
    if (list.length < least || list.length > most)
      this.fail(`expected ${name}(${usage}), found ${given} argument${given === 1 ? "" : "s"}`, token);
    return this.call(name, list, token);
  }

  private failUnknown(token: Token): never {
    const { text } = token;
    const { kind, text: following } = this.token;
    if (kind !== "mark" || following !== "(")
      this.fail(`${text} is not a value; write :${text} for a variable, '${text}' for text`, token);
    const near = nearest(text, [...FUNCTIONS.keys()]);
    return this.fail(`no function ${text}${near === undefined ? "" : `; did you mean ${near}?`}`, token);
  }

  /** Makes a call. If all arguments are constants, it is computed at once. */
  private call(name: string, list: readonly Expression[], token: Token): Expression {
    const expression: Expression = { kind: "call", name, arguments: list };
    const callable = callableOf(name);
    const values = list.map((each) => (each.kind === "constant" ? each.value : undefined));
    try {
      callable.check?.(values);
      if (callable.isRandom || values.includes(undefined)) return expression;
      return constant(evaluate(expression, NOWHERE));
    } catch (error) {
      return this.fail((error as Error).message, token);
    }
  }
}

/** Scope in which expressions of constants are computed: it has no variables. */
const NOWHERE: Scope = { prng: new Prng(0), valueOf: () => null };

function callableOf(name: string) {
  const callable = OPERATORS.get(name) ?? FUNCTIONS.get(name);
  if (!callable) throw new Error(`there is no function ${name}`);
  return callable;
}

export function parseExpression(text: string): Parsed {
  try {
    return { expression: new Parser(text).whole() };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { column: error.at + 1, message: error.message };
  }
}

export function variablesOf(expression: Expression): string[] {
  if (expression.kind === "variable") return [expression.name];
  return expression.kind === "call" ? expression.arguments.flatMap(variablesOf) : [];
}

const runs = new WeakMap<Expression, Run>();

function runOf(expression: Expression): Run {
  if (expression.kind === "constant") return () => expression.value;
  if (expression.kind === "variable") return (scope) => scope.valueOf(expression.name);
  return callableOf(expression.name).bind(expression.arguments.map(runOf));
}

export function evaluate(expression: Expression, scope: Scope): Value {
  let run = runs.get(expression);
  if (!run) {
    run = runOf(expression);
    runs.set(expression, run);
  }
  return run(scope);
}
