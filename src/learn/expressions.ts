// Expressions that draw the values of parameters: from the schema, the statistics, and the shape of values in a log.
import type { Catalogue, Column, Table } from "./catalogue.js";
import { FUNCTION_TEXTS } from "./function-texts.js";
import type { SlotPlace } from "./reading.js";
import {
  isSkewed,
  isTextType,
  quoteText,
  SAMPLED_ROWS_MAX,
  slotsOf,
  Values,
  zipfExponent,
} from "./values.js";

export interface Expression {
  readonly text: string;
  readonly guess: string;
  /** Present if no row has the value yet. */
  readonly isNew?: true;
}

const DECIMAL = 10;
const CHANGES_MAX = 10;
const ARRAY_ELEMENTS = 3;
const PICKED_VALUES_MAX = 20;
const TEXT_LENGTH = 12;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER = /^-?\d+(\.\d+)?$/;
/** Fewer observed values say nothing about their distribution. */
export const OBSERVED_MIN = 10;
export const nonNull = (observed: readonly (string | null)[]): string[] =>
  observed.filter((value) => value !== null);
/** True if the values, enough to tell, are all the same. */
export const isConstant = (observed: readonly (string | null)[]): boolean =>
  observed.length >= OBSERVED_MIN && new Set(observed).size === 1;
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

function sharesOf(observed: readonly string[]): (readonly [value: string, share: number])[] {
  const counts = new Map<string, number>();
  for (const value of observed) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => [value, count / observed.length] as const)
    .sort((a, b) => b[1] - a[1]);
}

function pick(values: readonly string[]): string {
  const lines = values.filter((value) => !value.includes("\n"));
  return new Set(lines).size <= 1 ? quoteText(lines[0] ?? "") : `pick(${lines.map(quoteText).join(", ")})`;
}

/** Numbers with the digits and signs of the observed ones. */
function numbersLike(observed: readonly string[]): string | undefined {
  const numbers = observed.filter((value) => NUMBER.test(value)).map(Number);
  if (numbers.length === 0 || numbers.length < observed.length) return undefined;
  const reach = Math.max(...numbers.map((each) => Math.abs(each)));
  const most = DECIMAL ** Math.min(15, Math.max(1, String(Math.floor(reach)).length));
  return `uniform(${numbers.some((each) => each < 0) ? -most : 1}, ${most})`;
}

/** An expression that makes JSON with the keys and types of the value, and none of its texts. */
function jsonLike(value: unknown): string[] {
  if (Array.isArray(value)) return ["'['", ...joined(value.map(jsonLike)), "']'"];
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(([key, each]) => [
      quoteText(`${JSON.stringify(key)}: `),
      ...jsonLike(each),
    ]);
    return ["'{'", ...joined(members), "'}'"];
  }
  if (typeof value === "number") return [numbersLike([String(value)]) ?? "0"];
  if (typeof value !== "string") return [quoteText(String(value))];
  return [`'"'`, UUID.test(value) ? "uuid()" : `text(${value.length})`, `'"'`];
}

const joined = (parts: readonly string[][]): string[] =>
  parts.flatMap((part, i) => (i === 0 ? part : ["', '", ...part]));

function jsonExpression(observed: readonly string[]): string | undefined {
  for (const value of observed) {
    try {
      const parsed: unknown = JSON.parse(value);
      if (parsed !== null && typeof parsed === "object") return `concat(${jsonLike(parsed).join(", ")})`;
    } catch {
      // Another observed value may be JSON.
    }
  }
  return undefined;
}

/** A key that no earlier transaction has drawn, as far as the type has room. */
export function freshKey({ typeName, limit }: Column): Expression | undefined {
  const guess = "a new key from a range that the made rows do not use";
  switch (typeName) {
    case "int4":
      return { text: "uniform(1000000000, 2147483647)", guess, isNew: true };
    case "int8":
      return { text: "uniform(1000000000000, 9000000000000000)", guess, isNew: true };
    case "uuid":
      return { text: "uuid()", guess, isNew: true };
    default:
      return isTextType(typeName) && (limit ?? TEXT_LENGTH) >= TEXT_LENGTH
        ? { text: `text(${Math.min(limit ?? 22, 22)})`, guess, isNew: true }
        : undefined;
  }
}

export class Expressions {
  /** Sentences about values that are not known. */
  readonly missing: string[] = [];

  /** @param permitted columns and arguments whose values in the log may be written */
  constructor(
    private readonly catalogue: Catalogue,
    private readonly values: Values,
    private readonly permitted: readonly string[],
  ) {}

  isPermitted({ table, column, argument }: SlotPlace): boolean {
    const names = table && column ? [`${table.name}.${column.name}`, Values.key(table, column)] : [];
    return [...names, ...(argument === undefined ? [] : [argument])].some((name) =>
      this.permitted.includes(name),
    );
  }

  /** @param observed values in the log; none without a log */
  draw(place: SlotPlace, type: string, observed: readonly (string | null)[]): Expression {
    const given = nonNull(observed);
    if (place.concatenation === "rest") return this.restExpression(place, type, given);
    if (place.concatenation === "mixed") {
      const drawn = this.typeExpression(place, type, given);
      return { ...drawn, guess: `${drawn.guess}, part of a concatenation, which may match no row` };
    }
    if (given.length > 0 && this.isPermitted(place)) {
      const common = sharesOf(given).slice(0, PICKED_VALUES_MAX);
      return {
        text: pick(common.map(([value]) => value)),
        guess: "values of the log, which --values permits",
      };
    }
    const drawn =
      place.table && place.column
        ? this.columnExpression(place.table, place.column, place, given)
        : this.typeExpression(place, type, given);
    const nulls = observed.length > 0 ? (observed.length - given.length) / observed.length : 0;
    const percent = Math.round(nulls * 100);
    if (percent === 0 && isConstant(given) && place.table && place.column) {
      const where = `${place.table.name}.${place.column.name}`;
      const [value = ""] = given;
      if (this.isKeyNumber(place, value))
        return { text: value, guess: `${where}: the same in the whole log` };
      return { ...drawn, guess: `${drawn.guess}; the same in the whole log: --values ${where} keeps it` };
    }
    if (percent === 100) return { text: "null", guess: "NULL in every transaction of the log" };
    return percent > 0 && observed.length > 0
      ? { ...drawn, text: `case when uniform(1, 100) <= ${percent} then null else ${drawn.text} end` }
      : drawn;
  }

  /** True for a small number of a key of several columns, such as the first line of an order. */
  isKeyNumber({ table, column }: SlotPlace, value: string): boolean {
    return (
      table !== undefined &&
      column !== undefined &&
      /^int[248]$/.test(column.typeName) &&
      /^\d{1,3}$/.test(value) &&
      this.values.parentOf(table, column) === undefined &&
      this.values.uniqueSets(table).some((set) => set.length > 1 && set.includes(column.number))
    );
  }

  /** A further part of a concatenation whose first part is the whole value. */
  private restExpression({ of }: SlotPlace, type: string, given: readonly string[]): Expression {
    const whole = of ? `a value of ${of}` : "a value";
    if (/^(text|character varying|unknown)/.test(type))
      return { text: "''", guess: `a further part of a concatenation, empty: its first part is ${whole}` };
    const drawn = this.typeExpression({ use: "other" }, type, given);
    return { ...drawn, guess: `${drawn.guess}, behind ${whole}: the concatenation matches no row` };
  }

  private columnExpression(
    table: Table,
    column: Column,
    { use }: SlotPlace,
    given: readonly string[],
  ): Expression {
    const where = `${table.name}.${column.name}`;
    const { statistics, typeName, limit } = column;
    if (use === "change") return this.changeExpression(table, column, given);
    const listed = this.values.listed(table, column);
    const isOfSchema =
      column.labels !== undefined || typeName === "bool" || this.values.isChecked(table, column);
    if (listed) {
      const seen = sharesOf(given.filter((value) => listed.includes(value)));
      const values = seen.length > 0 ? slotsOf(seen) : listed;
      const text = use === "array" ? quoteText(`{${values[0] ?? ""}}`) : pick(values);
      return {
        text,
        guess: `${where}: ${isOfSchema ? "values that the schema lists" : "common values of pg_stats, which --values permits"}, ${seen.length > 0 ? "as often as in the log" : "as frequent as in the rows if that is known"}`,
      };
    }
    const isWritten = use === "inserted" || use === "written";
    const isReferring = this.values.parentOf(table, column) !== undefined;
    if (isWritten && !isReferring) {
      if (this.values.isUnique(table, column))
        return freshKey(column) ?? this.drawnFrom(table, column, use, given);
      if (/^(timestamp|date|time)/.test(typeName))
        return { text: "'now'", guess: `${where}: the time of the call` };
      const width =
        given.length > 0
          ? Math.round(mean(given.map((value) => value.length)))
          : Math.max(1, (statistics?.width ?? TEXT_LENGTH + 1) - 1);
      if (typeName.startsWith("json"))
        return {
          text: jsonExpression(given) ?? `concat('{"text": "', text(${width}), '"}')`,
          guess: `${where}: ${given.length > 0 ? "keys and types as in the log" : `one text of ${width} characters`}`,
        };
      const isIndexed =
        this.values.space(table, column).count > 1 &&
        table.indexes.some(({ columns }) => columns.includes(column.number));
      if ((isTextType(typeName) && !isIndexed) || typeName === "bytea") {
        const length = Math.min(width, limit ?? width);
        return { text: `text(${length})`, guess: `${where}: random text of ${length} characters` };
      }
    }
    return this.drawnFrom(table, column, use, given);
  }

  /** A value that the made rows have. */
  private drawnFrom(
    table: Table,
    column: Column,
    use: SlotPlace["use"],
    given: readonly string[],
  ): Expression {
    const where = `${table.name}.${column.name}`;
    const space = this.values.space(table, column);
    const { size, count, root, isUnique } = space;
    const elementsSeen = given.map((value) => (value === "{}" ? 0 : value.split(",").length));
    const share =
      given.length >= OBSERVED_MIN
        ? (sharesOf(given)[0]?.[1] ?? 0)
        : isUnique
          ? 0
          : (column.statistics?.topShare ?? 0);
    const draws = given.length >= OBSERVED_MIN ? given.length : Math.min(table.rows, SAMPLED_ROWS_MAX);
    const isZipfian = isSkewed(space, share, draws);
    const index = isZipfian ? `zipfian(1, ${size}, ${zipfExponent(count, share)})` : `uniform(1, ${size})`;
    const { inParameter } = this.values.writing(table, column);
    const drawn = inParameter(index);
    const origin = given.length >= OBSERVED_MIN ? "in the log" : "among the rows";
    const from =
      root === Values.key(table, column) ? where : `${where}, a key of ${root.split(".").slice(1).join(".")}`;
    const guess = isZipfian
      ? `${from}: zipfian, because the most common value has ${(share * 100).toFixed(1)} % ${origin}`
      : `${from}: uniform over its ${count} values${column.statistics || isUnique ? "" : ", a number that is not in the statistics"}`;
    if (drawn === "null") {
      this.missing.push(`values of ${where}: its type ${column.type} is not known here; NULL is sent`);
      return { text: "null", guess: `${where}: NULL, because values of ${column.type} are not known here` };
    }
    if (use === "like") return { text: `concat(${drawn}, '%')`, guess: `${guess}, as a beginning` };
    if (use !== "array") return { text: drawn, guess };
    const elements = elementsSeen.length > 0 ? Math.max(1, Math.round(mean(elementsSeen))) : ARRAY_ELEMENTS;
    const parts = Array<string>(Math.min(elements, 100)).fill(drawn).join(", ',', ");
    return {
      text: `concat('{', ${parts}, '}')`,
      guess: `${guess}; ${elements} elements${given.length > 0 ? " as in the log" : ""}`,
    };
  }

  private changeExpression(table: Table, column: Column, given: readonly string[]): Expression {
    const where = `${table.name}.${column.name}`;
    const like = numbersLike(given);
    if (like !== undefined)
      return { text: like, guess: `${where}: a change with the digits and signs of the log` };
    return {
      text: `uniform(${-CHANGES_MAX}, ${CHANGES_MAX})`,
      guess: `${where}: a change whose size is not in the statistics`,
    };
  }

  private typeExpression(place: SlotPlace, sentType: string, given: readonly string[]): Expression {
    const { use, argument } = place;
    const type = sentType === "text" ? (place.castTo ?? sentType) : sentType;
    const known = argument === undefined ? undefined : FUNCTION_TEXTS[argument];
    if (known !== undefined && given.length === 0)
      return { text: quoteText(known), guess: `${argument}: ${known}` };
    const labels = this.catalogue.others.find(
      ({ kind, name }) => kind === "type" && name === type.replace(/^.*\./, ""),
    );
    const listed = [
      ...(/ AS ENUM \((.*)\)$/.exec(labels?.definition ?? "")?.[1] ?? "").matchAll(/'((?:[^']|'')*)'/g),
    ];
    if (listed.length > 0)
      return {
        text: pick(listed.map(([, label = ""]) => label.replaceAll("''", "'"))),
        guess: `a label of ${type}`,
      };
    const what = argument === undefined ? `a parameter of type ${type}` : `${argument}, of type ${type}`;
    if (use === "limit")
      return { text: numbersLike(given) ?? "10", guess: `${what}: the limit is not in the statistics` };
    if (use === "offset")
      return { text: numbersLike(given) ?? "0", guess: `${what}: the offset is not in the statistics` };
    if (type.endsWith("[]")) return { text: "'{}'", guess: `${what}: an empty array` };
    const json = jsonExpression(given);
    if (/^jsonb?$/.test(type))
      return {
        text: json ?? "'{}'",
        guess: `${what}: ${json === undefined ? "an empty object" : "keys and types as in the log"}`,
      };
    if (/^(smallint|integer|bigint|numeric|real|double precision|oid|money)$/.test(type))
      return {
        text: numbersLike(given) ?? "uniform(1, 1000)",
        guess: `${what}: ${given.length > 0 ? "numbers with the digits of the log" : "a number from 1 to 1000"}`,
      };
    if (/^(text|character varying|character|name|unknown|citext)/.test(type)) {
      if (given.some((value) => UUID.test(value)))
        return { text: "uuid()", guess: `${what}: random, as in the log` };
      if (json !== undefined) return { text: json, guess: `${what}: JSON with keys and types as in the log` };
      const length = given.length > 0 ? Math.round(mean(given.map((value) => value.length))) : TEXT_LENGTH;
      return { text: `text(${length})`, guess: `${what}: random text of ${length} characters` };
    }
    if (/^(timestamp|date|time)/.test(type)) return { text: "'now'", guess: `${what}: the time of the call` };
    if (type === "boolean")
      return {
        text: given.length > 0 ? pick(given.slice(0, PICKED_VALUES_MAX)) : "true",
        guess: `${what}: ${given.length > 0 ? "as often as in the log" : "true"}`,
      };
    if (type === "uuid") return { text: "uuid()", guess: `${what}: random` };
    if (type === "interval") return { text: "'1 day'", guess: `${what}: one day` };
    if (type === "bytea") return { text: `text(${TEXT_LENGTH})`, guess: `${what}: random bytes` };
    this.missing.push(`${what}: no values of it are known here; NULL is sent`);
    return { text: "null", guess: `${what}: NULL, because no values of it are known here` };
  }
}
