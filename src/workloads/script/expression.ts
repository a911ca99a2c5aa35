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

const TOKEN_PATTERN =
  /(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w))|'(?<string>(?:[^']|'')*)'|:(?<variable>\w+)|(?<word>[A-Za-z_]\w*)|(?<mark><<|>>|<=|>=|<>|!=|[-+*/%&|#~<>=(),])/y;
const SPACE_PATTERN = /\s*/y;
const TOKENS_MAX = 4000;
const DEPTH_MAX = 100;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    SPACE_PATTERN.lastIndex = at;
    at += SPACE_PATTERN.exec(text)?.[0].length ?? 0;
    if (tokens.length > TOKENS_MAX)
      throw new ExpressionError(`the expression is too long; it takes ${TOKENS_MAX} words and marks`, at);
    if (at === text.length) return [...tokens, { kind: "end", text: "the end", at }];
    TOKEN_PATTERN.lastIndex = at;
    const match = TOKEN_PATTERN.exec(text);
    const groups: Readonly<Record<string, string | undefined>> = match?.groups ?? {};
    const [kind, found] = Object.entries(groups).find(([, part]) => part !== undefined) ?? [];
    if (!match || kind === undefined || found === undefined)
      throw new ExpressionError(unexpectedCharacterMessage(text, at), at);
    tokens.push({ kind: kind as Token["kind"], text: kind === "word" ? found.toLowerCase() : found, at });
    at += match[0].length;
  }
}

function unexpectedCharacterMessage(text: string, at: number): string {
  const [seen = ""] = /^(?:[\d.]\w*|.)/su.exec(text.slice(at)) ?? [];
  if (seen === "'") return "the text that begins here does not end; write ' behind it";
  if (seen === ":") return "expected the name of a variable behind :";
  return /^\d/.test(seen) ? `${seen} is not a number` : `unexpected ${seen}`;
}

const NOT_LEVEL = 2;
const TEST_LEVEL = 3;
const COMPARISON_LEVEL = 4;
const BITWISE_LEVEL = 5;
const SIGN_LEVEL = 8;
/** Operators by their level of precedence; level 0 binds the weakest. */
const PRECEDENCE_LEVELS: ReadonlyMap<string, number> = new Map(
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
const FUNCTIONS_WITH_SEED = ["hash", "hash_fnv1a", "hash_murmur2", "permute"];
const INT_MAX = 2n ** 63n - 1n;

const constant = (value: Value): Expression => ({ kind: "constant", value });

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  parseWhole(): Expression {
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
  private takeIfNext(text: string): boolean {
    const { kind, text: seen } = this.token;
    const isIt = seen === text && (kind === "mark" || kind === "word");
    if (isIt) this.at++;
    return isIt;
  }

  private requireToken(text: string): void {
    if (!this.takeIfNext(text)) this.fail(`expected ${text.toUpperCase()}, found ${this.token.text}`);
  }

  private expression(level: number): Expression {
    if (++this.depth > DEPTH_MAX) this.fail(`more than ${DEPTH_MAX} levels of parentheses and signs`);
    let left = this.parseOperand();
    for (;;) {
      const { token } = this;
      const precedence =
        token.kind === "mark" || token.kind === "word" ? PRECEDENCE_LEVELS.get(token.text) : undefined;
      if (precedence === undefined || precedence < level || token.text === "not" || token.text === "~") break;
      this.at++;
      left = precedence === TEST_LEVEL ? this.test(token, left) : this.parseBinary(token, precedence, left);
    }
    this.depth--;
    return left;
  }

  private parseBinary(operator: Token, precedence: number, left: Expression): Expression {
    const right = this.expression(precedence + 1);
    if (
      precedence === COMPARISON_LEVEL &&
      PRECEDENCE_LEVELS.get(this.token.text) === COMPARISON_LEVEL &&
      this.token.kind === "mark"
    )
      this.fail(`${this.token.text} compares the result of a comparison; write AND between the two`);
    return this.call(operator.text === "!=" ? "<>" : operator.text, [left, right], operator);
  }

  /** Reads a test such as `IS NULL`, `IS NOT NULL` or `ISNULL`, after its left operand. */
  private test(operator: Token, left: Expression): Expression {
    const isNegated = operator.text === "notnull" || (operator.text === "is" && this.takeIfNext("not"));
    let value: Value | undefined = null;
    if (operator.text === "is") {
      value = this.token.kind === "word" ? CONSTANTS.get(this.token.text) : undefined;
      if (value === undefined) this.fail("expected NULL, TRUE or FALSE");
      this.at++;
    }
    const test = this.call("is", [left, constant(value)], operator);
    return isNegated ? this.call("not", [test], operator) : test;
  }

  private parseOperand(): Expression {
    const { token } = this;
    this.at++;
    switch (token.kind) {
      case "number":
        return constant(this.parseNumber(token));
      case "string":
        return constant(token.text.replaceAll("''", "'"));
      case "variable":
        return { kind: "variable", name: token.text };
      case "word":
        return this.parseWord(token);
      case "mark":
        return this.parsePrefixed(token);
      case "end":
        return this.fail("the expression ends too early", token);
    }
  }

  private parseNumber(token: Token): Value {
    if (/^\d+$/.test(token.text)) {
      const whole = BigInt(token.text);
      if (whole > INT_MAX) this.fail(`${token.text}: bigint out of range`, token);
      return whole;
    }
    const double = Number(token.text);
    if (!Number.isFinite(double)) this.fail(`${token.text} is larger than the largest double`, token);
    return double;
  }

  private parsePrefixed(token: Token): Expression {
    switch (token.text) {
      case "(": {
        const inner = this.expression(0);
        this.requireToken(")");
        return inner;
      }
      case "+":
        return this.expression(SIGN_LEVEL);
      case "-": {
        const [, least] = /^0*(9223372036854775808)$/.exec(this.token.text) ?? [];
        if (least === undefined || this.token.kind !== "number")
          return this.call("-", [constant(0n), this.expression(SIGN_LEVEL)], token);
        this.at++;
        return constant(-BigInt(least));
      }
      case "~":
        return this.call("#", [constant(-1n), this.expression(BITWISE_LEVEL + 1)], token);
    }
    return this.fail(`expected a value, found ${token.text}`, token);
  }

  private parseWord(token: Token): Expression {
    const value = CONSTANTS.get(token.text);
    if (value !== undefined) return constant(value);
    if (token.text === "not") return this.call("not", [this.expression(NOT_LEVEL)], token);
    if (token.text === "case") return this.parseCase(token);
    if (KEYWORDS.includes(token.text))
      this.fail(`expected a value, found ${token.text.toUpperCase()}`, token);
    return this.parseFunctionCall(token);
  }

  private parseCase(token: Token): Expression {
    const list: Expression[] = [];
    this.requireToken("when");
    do {
      list.push(this.expression(0));
      this.requireToken("then");
      list.push(this.expression(0));
    } while (this.takeIfNext("when"));
    list.push(this.takeIfNext("else") ? this.expression(0) : constant(null));
    this.requireToken("end");
    return this.call("case", list, token);
  }

  private parseFunctionCall(token: Token): Expression {
    const name = token.text;
    if (name === "debug") this.fail("debug is refused: it prints a line at each call; remove it", token);
    const callable = FUNCTIONS.get(name);
    if (!callable) return this.failUnknown(token);
    this.requireToken("(");
    const list: Expression[] = [];
    if (!this.takeIfNext(")")) {
      do list.push(this.expression(0));
      while (this.takeIfNext(","));
      if (!this.takeIfNext(")")) this.fail(`expected , or ), found ${this.token.text}`);
    }
    const { usage, least, most } = callable;
    const argumentCount = list.length;
    if (FUNCTIONS_WITH_SEED.includes(name) && argumentCount === least - 1)
      list.push({ kind: "variable", name: "default_seed" });
    if (list.length < least || list.length > most)
      this.fail(
        `expected ${name}(${usage}), found ${argumentCount} argument${argumentCount === 1 ? "" : "s"}`,
        token,
      );
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
      return constant(evaluate(expression, CONSTANT_SCOPE));
    } catch (error) {
      return this.fail((error as Error).message, token);
    }
  }
}

/** Scope in which expressions of constants are computed: it has no variables. */
const CONSTANT_SCOPE: Scope = { prng: new Prng(0), valueOf: () => null };

function callableOf(name: string) {
  const callable = OPERATORS.get(name) ?? FUNCTIONS.get(name);
  if (!callable) throw new Error(`there is no function ${name}`);
  return callable;
}

export function parseExpression(text: string): Parsed {
  try {
    return { expression: new Parser(text).parseWhole() };
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

function evaluatorOf(expression: Expression): Run {
  if (expression.kind === "constant") return () => expression.value;
  if (expression.kind === "variable") return (scope) => scope.valueOf(expression.name);
  return callableOf(expression.name).bind(expression.arguments.map(evaluatorOf));
}

export function evaluate(expression: Expression, scope: Scope): Value {
  let run = runs.get(expression);
  if (!run) {
    run = evaluatorOf(expression);
    runs.set(expression, run);
  }
  return run(scope);
}
