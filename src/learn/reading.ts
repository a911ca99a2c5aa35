// Reads a statement as far as its tokens show it: its tables, and the column that each parameter belongs to.
import { FUNCTION_TEXTS } from "./function-texts.js";
import { tokensOf } from "../workloads/own.js";
import type { Catalogue, Column, Table } from "./catalogue.js";
import { TYPES_BEFORE_CONSTANT, unquoted, type Statement } from "./statement.js";

type Use =
  /** The column is compared: `=`. */
  | "key"
  | "range"
  | "like"
  /** The slot holds an array of the column's values: `= ANY ($1)`. */
  | "array"
  | "inserted"
  | "written"
  /** The slot is added to the column. */
  | "change"
  | "limit"
  | "offset"
  | "other";

export interface SlotPlace {
  readonly use: Use;
  readonly table?: Table;
  readonly column?: Column;
  /** Name of the function or of its named argument, if the slot is an argument. */
  readonly argument?: string;
  /** Type of the CAST around the slot. */
  readonly castTo?: string;
  /**
   * Present if the slot is an operand of `||` in a concatenation that a column is compared with: `main` for the operand
   * that can be the whole value, `rest` for the others, `mixed` if operands are no slots.
   */
  readonly concatenation?: "main" | "rest" | "mixed";
  /** Slots of the concatenation, in order. */
  readonly operands?: readonly number[];
  /** Column of the concatenation, for words. */
  readonly of?: string;
}

interface Mark {
  readonly text: string;
  readonly slot: number | undefined;
}

/** Tokens without blanks; the name behind a point is a token. */
const partsOf = (piece: string): string[] =>
  tokensOf(piece).flatMap(({ kind, text }) => {
    if (kind === "blank") return [];
    return /^\.[A-Za-z_]/.test(text) ? [".", text.slice(1)] : [text];
  });

/** Tokens of a statement without blanks; operators of several characters are one mark. */
function marksOf({ pieces }: Statement): Mark[] {
  const marks: Mark[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) marks.push({ text: "$", slot: index - 1 });
    for (const text of partsOf(piece)) {
      const last = marks.at(-1);
      const joins =
        last && last.slot === undefined && /^[<>=!~*|&@?#]+$/.test(last.text) && /^[<>=!~*|&@?#]$/.test(text);
      if (joins) marks[marks.length - 1] = { text: last.text + text, slot: undefined };
      else marks.push({ text, slot: undefined });
    }
  }
  return marks;
}

const NAME = /^("|[A-Za-z_\u0080-\uffff])/;
const KEYWORDS = new Set(
  `all and any array as asc between both by case cast cross current default delete desc distinct do else end exists
   except false fetch first following for from full group having if ilike in inner insert intersect into is join
   lateral left like limit natural not nothing null nulls offset on only or order outer over partition returning right
   row select set similar skip some then true union update using values when where with`.split(/\s+/),
);
const isName = ({ text }: Mark): boolean => NAME.test(text) && !KEYWORDS.has(text.toLowerCase());
const TABLE_WORDS = /^(from|join|update|into|only|using|,)$/i;
const COMPARISONS: Readonly<Record<string, Use>> = {
  "=": "key",
  LIKE: "like",
  ILIKE: "like",
  "~~": "like",
  "~~*": "like",
};

/** The tables that a statement names, by alias and by name. */
export class Reading {
  private readonly marks: readonly Mark[];
  private readonly byAlias = new Map<string, Table>();
  readonly tables: readonly Table[];

  constructor(
    private readonly statement: Statement,
    catalogue: Catalogue,
  ) {
    this.marks = marksOf(statement);
    const tables: Table[] = [];
    for (const [at, mark] of this.marks.entries()) {
      if (!isName(mark) || !TABLE_WORDS.test(this.text(at - 1))) continue;
      const isQualified = this.text(at + 1) === ".";
      const nameAt = isQualified ? at + 2 : at;
      const table = catalogue.tables.find(
        ({ schema, name }) =>
          name === unquoted(this.text(nameAt)) && (!isQualified || schema === unquoted(mark.text)),
      );
      if (!table) continue;
      tables.push(table);
      this.byAlias.set(table.name, table);
      const aliasAt = /^as$/i.test(this.text(nameAt + 1)) ? nameAt + 2 : nameAt + 1;
      const alias = this.marks[aliasAt];
      if (alias && isName(alias)) this.byAlias.set(unquoted(alias.text), table);
    }
    this.tables = [...new Set(tables)];
  }

  /** First word of the statement, behind its WITH, in capitals. */
  get verb(): string {
    const first = this.text(0).toUpperCase();
    if (first !== "WITH") return first;
    let depth = 0;
    for (const { text } of this.marks) {
      if (text === "(") depth++;
      if (text === ")") depth--;
      if (depth === 0 && /^(select|insert|update|delete|merge)$/i.test(text)) return text.toUpperCase();
    }
    return first;
  }

  /** True if the statement changes nothing and locks nothing, as far as its words show. */
  isReadOnly(functions: readonly string[]): boolean {
    const words = new Set(this.marks.map(({ text }) => text.toLowerCase()));
    const writes = [
      "insert",
      "update",
      "delete",
      "merge",
      "nextval",
      "setval",
      "share",
      "call",
      "pg_notify",
      "into",
    ];
    return this.verb === "SELECT" && ![...writes, ...functions].some((word) => words.has(word));
  }

  /** Columns that RETURNING gives as they are: the name of each, and how the result names it in SQL. */
  get returned(): ReadonlyMap<string, string> {
    const at = this.marks.findLastIndex(({ text }) => /^returning$/i.test(text));
    const items: string[][] = [[]];
    let depth = 0;
    for (const { text } of at < 0 ? [] : this.marks.slice(at + 1)) {
      if (text === "(") depth++;
      if (text === ")") depth--;
      if (text === "," && depth === 0) items.push([]);
      else items.at(-1)?.push(text);
    }
    return new Map(
      items.flatMap((item): (readonly [string, string])[] => {
        const words = item[1] === "." ? item.slice(2) : item;
        const [column = "", ...rest] = words;
        if (column === "*") return (this.tables[0]?.columns ?? []).map(({ name, sql }) => [name, sql]);
        const output = /^as$/i.test(rest[0] ?? "") ? rest.slice(1) : rest;
        const sql = output[0] ?? column;
        return NAME.test(column) && output.length <= 1
          ? [[unquoted(column), sql.startsWith('"') ? sql : sql.toLowerCase()]]
          : [];
      }),
    );
  }

  get isOneRowInsert(): boolean {
    const groups = this.marks.filter(({ text }, i) => text === "(" && this.isRowOfValues(i));
    return this.verb === "INSERT" && groups.length === 1;
  }

  places(): SlotPlace[] {
    return this.marks.flatMap(({ slot }, at) =>
      slot === undefined ? [] : [this.placeInConcatenation(at) ?? this.placeAt(at)],
    );
  }

  /** Place of an operand of `||` that is compared with a column; undefined for another slot. */
  private placeInConcatenation(slotAt: number): SlotPlace | undefined {
    const behind = (at: number): number => (this.text(at + 1) === "::" ? behind(at + 2) : at + 1);
    let first = slotAt;
    while (this.text(first - 1) === "||") {
      let at = first - 2;
      while (this.text(at - 1) === "::") at -= 2;
      if (this.text(at) === ")") at = this.opening(at);
      first = this.text(at - 1) === "." ? at - 2 : at;
    }
    const operands: number[] = [];
    let isMixed = false;
    let at = first;
    for (;;) {
      const slot = this.marks[at]?.slot;
      if (slot === undefined) isMixed = true;
      else operands.push(slot);
      if (this.text(behind(at)) !== "||") break;
      at = behind(at) + 1;
    }
    if (operands.length + Number(isMixed) < 2) return undefined;
    const place = this.placeAt(first);
    if (!place.table || !place.column || !["key", "like", "range"].includes(place.use)) return undefined;
    if (isMixed) return { use: "other", concatenation: "mixed" };
    // A constant such as '%' is the beginning or the end of a pattern.
    const values = operands.filter((slot) => !/^'[%_]*'$/.test(this.statement.slots[slot]?.constant ?? ""));
    const isMain = this.marks[slotAt]?.slot === (values[0] ?? operands[0]);
    return isMain
      ? { ...place, concatenation: "main", operands: values }
      : { use: "other", concatenation: "rest", of: `${place.table.name}.${place.column.name}` };
  }

  private text(at: number): string {
    return this.marks[at]?.text ?? "";
  }

  private isWord(at: number, pattern: RegExp): boolean {
    return this.marks[at]?.slot === undefined && pattern.test(this.text(at));
  }

  /** Index of the parenthesis that encloses the mark; -1 if there is none. */
  private opening(at: number): number {
    let depth = 0;
    for (let i = at - 1; i >= 0; i--) {
      const text = this.text(i);
      if (text === ")") depth++;
      else if (text === "(" && depth-- === 0) return i;
    }
    return -1;
  }

  /** Number of commas of the same depth between two marks. */
  private commas(from: number, to: number): number {
    let depth = 0;
    let count = 0;
    for (let i = from + 1; i < to; i++) {
      const text = this.text(i);
      if (text === "(") depth++;
      else if (text === ")") depth--;
      else if (text === "," && depth === 0) count++;
    }
    return count;
  }

  /** True if that parenthesis opens a row behind VALUES. */
  private isRowOfValues(at: number): boolean {
    for (let i = at; i >= 0 && this.text(i) === "(";) {
      if (this.isWord(i - 1, /^values$/i)) return true;
      if (this.text(i - 1) !== "," || this.text(i - 2) !== ")") return false;
      i = this.opening(i - 2);
    }
    return false;
  }

  /** The column named by the marks that end at `at`: `c` or `t.c`. */
  private columnEndingAt(at: number): Pick<SlotPlace, "table" | "column"> | undefined {
    let end = at;
    // A cast or a parenthesis may stand between the name and the operator.
    while (end > 1 && this.text(end - 1) === "::") end -= 2;
    const mark = this.marks[end];
    if (!mark || !isName(mark)) return undefined;
    const name = unquoted(mark.text);
    const alias = this.text(end - 1) === "." ? unquoted(this.text(end - 2)) : undefined;
    const candidates = alias === undefined ? this.tables : [this.byAlias.get(alias)];
    for (const table of candidates) {
      const column = table?.columns.find((each) => each.name === name);
      if (table && column) return { table, column };
    }
    return undefined;
  }

  private columnStartingAt(at: number): Pick<SlotPlace, "table" | "column"> | undefined {
    return this.columnEndingAt(this.text(at + 1) === "." ? at + 2 : at);
  }

  /** Target columns of an INSERT, by position. */
  private inserted(position: number): SlotPlace {
    const at = this.marks.findIndex((_, i) => this.isWord(i, /^into$/i));
    const table = this.tables.find(({ name }) =>
      [this.text(at + 1), this.text(at + 3)].some((text) => unquoted(text) === name),
    );
    if (!table) return { use: "other" };
    const listAt = this.marks.findIndex(({ text }, i) => i > at && text === "(");
    const isList =
      listAt >= 0 &&
      listAt <= at + 6 &&
      this.marks.slice(at, listAt).every(({ text }) => !/^(values|select)$/i.test(text));
    if (!isList) {
      const column = table.columns[position];
      return column ? { use: "inserted", table, column } : { use: "other" };
    }
    const names: string[] = [];
    for (let i = listAt + 1; i < this.marks.length && this.text(i) !== ")"; i++)
      if (this.text(i) !== ",") names.push(unquoted(this.text(i)));
    const column = table.columns.find(({ name }) => name === names[position]);
    return column ? { use: "inserted", table, column } : { use: "other" };
  }

  private isInSet(at: number): boolean {
    for (let i = at; i >= 0; i--) {
      if (this.isWord(i, /^set$/i)) return true;
      if (this.isWord(i, /^(where|from|and|or|on|select|values)$/i)) return false;
    }
    return false;
  }

  /** Type of `CAST(... AS type)`, from its opening parenthesis. */
  private castType(open: number): string {
    const end = this.marks.findIndex(({ text }, i) => text === ")" && this.opening(i) === open);
    const as = this.marks.findLastIndex((_, i) => i < end && this.isWord(i, /^as$/i));
    return this.marks
      .slice(as + 1, end)
      .map(({ text }) => text.toLowerCase())
      .join(" ");
  }

  private placeAt(slotAt: number): SlotPlace {
    let at = slotAt;
    let argument: string | undefined;
    let castTo: string | undefined;
    const other = (): SlotPlace => ({
      use: "other",
      ...(argument !== undefined && { argument }),
      ...(castTo !== undefined && { castTo }),
    });
    for (;;) {
      const before = this.text(at - 1);
      const row = this.opening(at);
      if (row >= 0 && this.verb === "INSERT" && this.isRowOfValues(row))
        return this.inserted(this.commas(row, at));
      if (TYPES_BEFORE_CONSTANT.test(before)) {
        at--;
        continue;
      }
      if (/^zone$/i.test(before)) return { use: "other", argument: "timezone" };
      if (/^limit$/i.test(before)) return { use: "limit" };
      if (/^offset$/i.test(before)) return { use: "offset" };
      if (/^between$/i.test(before)) return { use: "range", ...this.columnEndingAt(at - 2) };
      if (/^and$/i.test(before) && /^between$/i.test(this.text(at - 3)))
        return { use: "range", ...this.columnEndingAt(at - 4) };
      if (before === "=>") {
        argument = unquoted(this.text(at - 2));
        return { use: "other", argument };
      }
      if (/^(=|<|>|<=|>=|<>|!=|~~\*?|like|ilike)$/i.test(before)) {
        const found = this.columnEndingAt(at - 2);
        if (before === "=" && this.isInSet(at - 2) && found) return { use: "written", ...found };
        return { use: COMPARISONS[before.toUpperCase()] ?? "range", ...found };
      }
      if (/^[+-]$/.test(before)) {
        const found = this.columnEndingAt(at - 2);
        return found ? { use: "change", ...found } : other();
      }
      if (/^(=|<|>|<=|>=)$/.test(this.text(slotAt + 1))) {
        const found = this.columnStartingAt(slotAt + 2);
        if (found) return { use: this.text(slotAt + 1) === "=" ? "key" : "range", ...found };
      }
      if (row < 0) return this.selectedPlace(at) ?? other();
      const word = this.text(row - 1);
      if (/^in$/i.test(word)) {
        const isNegated = /^not$/i.test(this.text(row - 2));
        return { use: isNegated ? "range" : "key", ...this.columnEndingAt(row - (isNegated ? 3 : 2)) };
      }
      if (/^(any|some|all)$/i.test(word)) return { use: "array", ...this.columnEndingAt(row - 3) };
      // The slot is an argument of a function, or stands in parentheses: its place is that of the whole.
      const isFunction = isName({ text: word, slot: undefined }) || /^(cast|coalesce)$/i.test(word);
      if (isFunction && !/^(cast|coalesce)$/i.test(word)) argument ??= unquoted(word);
      if (/^cast$/i.test(word)) castTo ??= this.castType(row);
      if (argument !== undefined && Object.hasOwn(FUNCTION_TEXTS, argument)) return other();
      const inSelect = this.selectedPlace(at);
      if (inSelect) return inSelect;
      at = isFunction ? row - 1 : row;
      if (this.text(at - 1) === "." && isFunction) at -= 2;
      if (at <= 0) return other();
    }
  }

  /** The column that `INSERT INTO ... SELECT $1, ...` gives the slot to. */
  private selectedPlace(at: number): SlotPlace | undefined {
    if (this.verb !== "INSERT") return undefined;
    const select = this.marks.findIndex((_, i) => this.isWord(i, /^select$/i));
    if (!this.isWord(at - 1, /^(,|select)$/i)) return undefined;
    if (select < 0 || select > at || this.opening(at) > select) return undefined;
    const isInList = !this.marks.slice(select, at).some(({ text }) => /^(from|where)$/i.test(text));
    return isInList ? this.inserted(this.commas(select, at)) : undefined;
  }
}
