// Cuts SQL like the server: it knows quotes, comments and the bodies of routines, and no statement's meaning.
import type { Place, SqlSyntax, SqlText } from "./program.js";

type TokenKind = "blank" | "quoted" | "word" | "variable" | "symbol" | "unended";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

type TokenPatterns = readonly (readonly [TokenKind, RegExp])[];

/** Patterns of tokens; the first one that matches wins. Each matches at least one character. */
const TOKEN_PATTERNS: TokenPatterns = [
  ["blank", /(?:\s|--[^\n]*)+/y],
  ["quoted", /[eE]'(?:[^'\\]|\\[^]|'')*'|(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*'|(?:[uU]&)?"(?:[^"]|"")*"/y],
  ["quoted", /\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[^]*?\$\1\$/y],
  ["unended", /[eEbBxXnN]?'|"|\$(?:[A-Za-z_]\w*)?\$|\/\*/y],
  ["word", /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[\d.]+\w*/y],
  ["variable", /:[A-Za-z_]\w*/y],
  ["symbol", /::|:=|[^]/y],
];

/** Patterns of MySQL and MariaDB: `#`, backslashes in texts, backticks, and `--` only before a blank. */
const MYSQL_TOKEN_PATTERNS: TokenPatterns = [
  ["blank", /(?:\s|#[^\n]*|--(?=\s|$)[^\n]*)+/y],
  ["quoted", /[bBxXnN]?'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`(?:[^`]|``)*`/y],
  ["unended", /[bBxXnN]?'|"|`|\/\*/y],
  ["word", /[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*|[\d.]+\w*/y],
  ["variable", /:[A-Za-z_]\w*/y],
  ["symbol", /:=|[^]/y],
];

/** Offset after the comment that begins at `from`; undefined if it does not end. Comments nest, except in MySQL. */
function endOfComment(text: string, from: number, syntax: SqlSyntax): number | undefined {
  if (syntax === "mysql") {
    const end = text.indexOf("*/", from + 2);
    return end < 0 ? undefined : end + 2;
  }
  let depth = 0;
  const commentMark = /\/\*|\*\//g;
  commentMark.lastIndex = from;
  for (let match = commentMark.exec(text); match; match = commentMark.exec(text)) {
    depth += match[0] === "/*" ? 1 : -1;
    if (depth === 0) return commentMark.lastIndex;
  }
  return undefined;
}

export function tokenAt(text: string, at: number, syntax?: SqlSyntax): Token | undefined {
  const token = (kind: TokenKind, end: number): Token => ({ kind, text: text.slice(at, end), at });
  const end = text.startsWith("/*", at) ? endOfComment(text, at, syntax) : undefined;
  if (end !== undefined) return token("blank", end);
  for (const [kind, pattern] of syntax === "mysql" ? MYSQL_TOKEN_PATTERNS : TOKEN_PATTERNS) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return token(kind, pattern.lastIndex);
  }
  return undefined;
}

export function tokensOf(text: string, syntax?: SqlSyntax): Token[] {
  const tokens: Token[] = [];
  const next = (at: number): Token | undefined => tokenAt(text, at, syntax);
  for (let token = next(0); token; token = next(token.at + token.text.length)) tokens.push(token);
  return tokens;
}

/** Line and column of the character at offset `at`, in a text that begins at `origin` of its file. */
export function placeIn(text: string, at: number, origin: Place = { line: 1, column: 1 }): Place {
  const before = text.slice(0, at).split("\n");
  const last = before.at(-1) ?? "";
  return {
    line: origin.line + before.length - 1,
    column: before.length === 1 ? origin.column + last.length : last.length + 1,
  };
}

/** Words of a statement in capitals, without quoted parts. */
export function wordsOf({ pieces, syntax }: Pick<SqlText, "pieces" | "syntax">): string[] {
  return tokensOf(pieces.join(" "), syntax)
    .filter(({ kind }) => kind === "word")
    .map(({ text }) => text.toUpperCase());
}

function textOf(tokens: readonly Token[], place: Place, syntax: SqlSyntax): SqlText {
  const pieces = [""];
  const variables: string[] = [];
  for (const { kind, text } of tokens) {
    if (kind === "variable") {
      variables.push(text.slice(1));
      pieces.push("");
    } else pieces.push(`${pieces.pop() ?? ""}${text}`);
  }
  return { ...(syntax && { syntax }), pieces, variables, place };
}

const trimBlanks = (tokens: readonly Token[]): readonly Token[] => {
  const isCode = ({ kind }: Token): boolean => kind !== "blank";
  return tokens.slice(tokens.findIndex(isCode), tokens.findLastIndex(isCode) + 1);
};

export interface CutStatement extends SqlText {
  /** Present if `\;` ends the statement and joins it to the next one. */
  readonly isJoined?: true;
}

export interface CutSql {
  readonly statements: readonly CutStatement[];
  /** First quote or body that has no end. */
  readonly unended?: { readonly what: string; readonly place: Place };
}

/** Statements of a text, without their semicolons and the blanks around them. */
export function statementsIn(text: string, origin?: Place, syntax?: SqlSyntax): CutSql {
  return statementsOf(tokensOf(text, syntax), (at) => placeIn(text, at, origin), syntax);
}

/** Change of the number of open blocks by a word: their semicolons do not end the statement. */
function depthChange(word: string, before: string, depth: number): number {
  if (word === "ATOMIC" && before === "BEGIN") return 1;
  if (depth === 0) return 0;
  if (word === "CASE") return 1;
  return word === "END" ? -1 : 0;
}

const BLOCK_WORDS = ["BEGIN", "CASE", "END", "IF", "LOOP", "REPEAT", "WHILE"];
const MYSQL_ROUTINE_PATTERN =
  /^CREATE (OR REPLACE )?(DEFINER( \w+)*? )?(AGGREGATE )?(PROCEDURE|FUNCTION|TRIGGER|EVENT)\b/;

/** The same in MySQL, where BEGIN opens the body of a routine. @param tokens the statement before the word */
function depthChangeInMySql(word: string, before: string, depth: number, tokens: readonly Token[]): number {
  if (!BLOCK_WORDS.includes(word)) return 0;
  const words = tokens.filter(({ kind }) => kind === "word").map(({ text }) => text.toUpperCase());
  if (!MYSQL_ROUTINE_PATTERN.test(words.join(" "))) return 0;
  // END IF, END LOOP, ... end a block that was not counted, and the END of END CASE has ended it.
  if (before === "END") return word === "CASE" ? 0 : word === "END" ? -1 : 1;
  if (word === "BEGIN") return 1;
  if (depth === 0) return 0;
  if (word === "CASE") return 1;
  return word === "END" ? -1 : 0;
}

export function statementsOf(
  tokens: Iterable<Token>,
  placeAt: (at: number) => Place,
  syntax?: SqlSyntax,
): CutSql {
  const statements: CutStatement[] = [];
  let current: Token[] = [];
  /** Number of open blocks of a routine, and of `CASE` inside them. Their semicolons do not end the statement. */
  let depth = 0;
  /** Number of open parentheses. A rule has statements inside them, whose semicolons do not end it. */
  let open = 0;
  const end = (isJoined = false): void => {
    const code = trimBlanks(current);
    current = [];
    open = 0;
    const [first] = code;
    if (first) statements.push({ ...textOf(code, placeAt(first.at), syntax), ...(isJoined && { isJoined }) });
  };
  let before = "";
  for (const token of tokens) {
    if (token.kind === "unended")
      return { statements, unended: { what: token.text, place: placeAt(token.at) } };
    const word = token.kind === "word" ? token.text.toUpperCase() : "";
    if (word !== "") {
      depth += (syntax === "mysql" ? depthChangeInMySql : depthChange)(word, before, depth, current);
      before = word;
    }
    const symbol = token.kind === "symbol" ? token.text : "";
    if (symbol === "(") open++;
    else if (symbol === ")" && open > 0) open--;
    if (symbol === "\\;") end(true);
    else if (symbol === ";" && depth === 0 && open === 0) end();
    else current.push(token);
  }
  end();
  return { statements };
}

/** Joins several texts into one, separated by `between`. */
export function joinSqlTexts(texts: readonly SqlText[], between: string): SqlText {
  const [first, ...others] = texts;
  if (!first) throw new Error("nothing to join");
  return others.reduce<SqlText>(
    ({ pieces, variables, place }, next) => ({
      pieces: [
        ...pieces.slice(0, -1),
        `${pieces.at(-1) ?? ""}${between}${next.pieces[0] ?? ""}`,
        ...next.pieces.slice(1),
      ],
      variables: [...variables, ...next.variables],
      place,
    }),
    first,
  );
}

/** The text with `$1`, `$2`, ... in place of variables, or with `?`. */
export function parametrisedSql({ pieces, syntax }: Pick<SqlText, "pieces" | "syntax">): string {
  return pieces.reduce((text, piece, i) => `${text}${placeholder(i, syntax)}${piece}`);
}

export function placeholder(number: number, syntax: SqlSyntax): string {
  return syntax === "mysql" ? "?" : `$${number}`;
}

/** The text with values in place of its variables. `valueOf` gets the variable's name and its index. */
export function substituteVariables(
  { pieces, variables }: SqlText,
  valueOf: (variable: string, position: number) => string,
): string {
  return pieces.reduce((text, piece, i) => `${text}${valueOf(variables[i - 1] ?? "", i - 1)}${piece}`);
}
