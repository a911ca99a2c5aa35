// Writes one transaction of the file: an expression for each parameter, with a comment for every guess.
import type { Catalogue, Column, Table } from "./catalogue.js";
import { filledText, Reading, withoutSchemas, type SlotPlace, type Statement } from "./statement.js";
import { isSkewed, isTextType, quoteText, Values, zipfExponent } from "./values.js";

export interface LearntStatement {
  readonly statement: Statement;
  /** Types of the slots, as the server infers them. */
  readonly types: readonly string[];
  /** Values of the slots in the log, by transaction; empty without a log. */
  readonly values: readonly (readonly (string | null)[])[];
}

interface Expression {
  readonly text: string;
  readonly guess: string;
  /** Present if two draws may give the same key, which a unique index refuses. */
  readonly mayRepeat?: true;
}

interface Variable {
  readonly name: string;
  /** Column whose value the variable is; statements of a transaction share it. */
  readonly root: string | undefined;
  readonly columnName: string | undefined;
}

const DECIMAL = 10;
const CHANGES_MAX = 10;
const ARRAY_ELEMENTS = 3;
const PICKED_VALUES_MAX = 20;
const TEXT_LENGTH = 12;
/** Share of transactions in which two values must agree to be one parameter. */
const SAME_SHARE = 0.98;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER = /^-?\d+(\.\d+)?$/;
const OBSERVED_MIN = 10;

const nonNull = (observed: readonly (string | null)[]): string[] => observed.filter((value) => value !== null);
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

function sharesOf(observed: readonly string[]): (readonly [value: string, share: number])[] {
  const counts = new Map<string, number>();
  for (const value of observed) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => [value, count / observed.length] as const).sort((a, b) => b[1] - a[1]);
}

function pick(values: readonly string[]): string {
  return values.length === 1 ? quoteText(values[0] ?? "") : `pick(${values.map(quoteText).join(", ")})`;
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
    const members = Object.entries(value).map(([key, each]) => [quoteText(`${JSON.stringify(key)}: `), ...jsonLike(each)]);
    return ["'{'", ...joined(members), "'}'"];
  }
  if (typeof value === "number") return [numbersLike([String(value)]) ?? "0"];
  if (typeof value !== "string") return [quoteText(String(value))];
  return [`'"'`, UUID.test(value) ? "uuid()" : `text(${value.length})`, `'"'`];
}

const joined = (parts: readonly string[][]): string[] => parts.flatMap((part, i) => (i === 0 ? part : ["', '", ...part]));

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
function freshKey({ typeName, limit }: Column): Expression | undefined {
  const guess = "a new key from a range that the made rows do not use";
  switch (typeName) {
    case "int4":
      return { text: "uniform(1000000000, 2147483647)", guess };
    case "int8":
      return { text: "uniform(1000000000000, 9000000000000000)", guess };
    case "uuid":
      return { text: "uuid()", guess };
    default:
      return isTextType(typeName) && (limit ?? TEXT_LENGTH) >= TEXT_LENGTH
        ? { text: `text(${Math.min(limit ?? 22, 22)})`, guess }
        : undefined;
  }
}

export interface TransactionText {
  readonly lines: readonly string[];
  readonly missing: readonly string[];
}

export class TransactionWriter {
  private readonly variables: Variable[] = [];
  private readonly parameterLines: string[] = [];
  private readonly missing: string[] = [];
  private readonly readings: readonly Reading[];
  private readonly places: readonly (readonly SlotPlace[])[];
  /** Variables by statement and slot. */
  private readonly slotVariables: (Variable | undefined)[][] = [];

  /** @param permitted columns and arguments whose values in the log may be written */
  constructor(
    private readonly statements: readonly LearntStatement[],
    private readonly catalogue: Catalogue,
    private readonly values: Values,
    private readonly permitted: readonly string[],
    private readonly settings: ReadonlySet<string>,
  ) {
    this.readings = statements.map(({ statement }) => new Reading(statement, catalogue));
    this.places = this.readings.map((reading) => reading.places());
  }

  get isReadOnly(): boolean {
    const functions = this.catalogue.others.filter(({ kind }) => kind === "function").map(({ name }) => name);
    return this.readings.every((reading) => reading.isReadOnly(functions));
  }

  text(): TransactionText {
    const bodies = this.statements.map((_, i) => this.statementText(i));
    return { lines: [...this.parameterLines, ...bodies.flat()], missing: this.missing };
  }

  private statementText(at: number): string[] {
    const learnt = this.statements[at] as LearntStatement;
    const { slots } = learnt.statement;
    const occurrences = new Map<string, number>();
    const byNumber = new Map<number, string>();
    let isUniquenessDrawn = false;
    let isFresh = false;
    const slotVariables: (Variable | undefined)[] = [];
    this.slotVariables.push(slotVariables);
    const writings = slots.map((slot, i) => {
      const place = this.places[at]?.[i] ?? { use: "other" };
      const type = learnt.types[i] ?? "unknown";
      const observed = learnt.values.map((row) => row[i] ?? null);
      const known = slot.number === undefined ? undefined : byNumber.get(slot.number);
      if (known !== undefined) return known;
      const kept = this.keptConstant(slot.constant, place, nonNull(observed));
      if (kept !== undefined) return kept;
      const shared = this.sharedVariable(at, i, place, occurrences);
      slotVariables[i] = shared;
      let name = shared?.name;
      if (name === undefined) {
        const expression = this.expression(place, type, observed);
        if (expression.mayRepeat) isUniquenessDrawn = true;
        if (place.use === "inserted" && place.table && place.column && this.values.isUnique(place.table, place.column))
          isFresh = !expression.mayRepeat;
        slotVariables[i] = this.declare(place, expression);
        name = slotVariables[i]?.name ?? "";
      }
      if (slot.number !== undefined) byNumber.set(slot.number, `:${name}`);
      return `:${name}`;
    });
    const reading = this.readings[at] as Reading;
    let sql = withoutSchemas(filledText(learnt.statement, writings), this.catalogue);
    const lines: string[] = [];
    if (reading.verb === "INSERT" && !/\bon\s+conflict\b/i.test(sql) && (isUniquenessDrawn || this.mayCollide(at, isFresh))) {
      lines.push("-- guess: ON CONFLICT DO NOTHING, because drawn keys of a unique index may repeat");
      sql = sql.replace(/(\s+returning\b[^]*)?$/i, (returning: string) => ` ON CONFLICT DO NOTHING${returning}`);
    } else lines.push(...this.returningLine(at));
    return [...lines, `${sql};`];
  }

  /** True if a unique index of several columns, none of which is new or made by the server, can refuse the row. */
  private mayCollide(at: number, isFresh: boolean): boolean {
    const table = this.readings[at]?.tables[0];
    if (!table || isFresh) return false;
    const given = (this.places[at] ?? []).flatMap(({ use, column }) => (use === "inserted" && column ? [column.number] : []));
    return this.values.uniqueSets(table).some((set) => set.length > 1 && set.every((number) => given.includes(number)));
  }

  /** Binds generated keys of a row that later statements of the transaction use. */
  private returningLine(at: number): string[] {
    const reading = this.readings[at] as Reading;
    const [table] = reading.tables;
    if (!reading.isOneRowInsert || !table) return [];
    const bound = table.columns.flatMap((column) => {
      const given = this.places[at]?.some((place) => place.use === "inserted" && place.column === column) ?? false;
      if (given || !reading.returned.includes(column.name)) return [];
      const { root } = this.values.space(table, column);
      const isUsed = this.places.slice(at + 1).some((places) =>
        places.some((place) => place.table && place.column && ["key", "inserted", "written"].includes(place.use) &&
          this.values.space(place.table, place.column).root === root),
      );
      if (!isUsed) return [];
      const name = this.freeName(`${table.name}_${column.name}`);
      this.variables.push({ name, root, columnName: column.name });
      return [`${column.sql} as ${name}`];
    });
    return bound.length > 0 ? [`-- returning: ${bound.join(", ")}`] : [];
  }

  /** A constant of the log that stays: code, or a value that the schema lists. */
  private keptConstant(constant: string | undefined, place: SlotPlace, observed: readonly string[]): string | undefined {
    if (constant === undefined || new Set(observed).size > 1) return undefined;
    const { table, column, use } = place;
    const isCode = use === "limit" || use === "offset" || (!column && observed.length >= OBSERVED_MIN);
    const isListed = table && column && (this.values.listed(table, column)?.includes(observed[0] ?? "") ?? false);
    return isCode || isListed || this.isPermitted(place) ? constant : undefined;
  }

  private isPermitted({ table, column, argument }: SlotPlace): boolean {
    const names = table && column ? [`${table.name}.${column.name}`, Values.key(table, column)] : [];
    return [...names, ...(argument === undefined ? [] : [argument])].some((name) => this.permitted.includes(name));
  }

  /** A variable of an earlier statement that has the same value. */
  private sharedVariable(at: number, slot: number, place: SlotPlace, occurrences: Map<string, number>): Variable | undefined {
    const rows = this.statements[at]?.values ?? [];
    if (rows.length >= OBSERVED_MIN) {
      const observed = rows.map((row) => row[slot] ?? null);
      if (new Set(observed).size > 1)
        for (const [i, earlier] of this.slotVariables.slice(0, at + 1).entries())
          for (const [j, variable] of earlier.entries()) {
            const others = this.statements[i]?.values ?? [];
            const same = others.filter((row, n) => row[j] === observed[n]).length;
            if (variable && same >= SAME_SHARE * rows.length) return variable;
          }
      // Values that no earlier statement had may be keys that the server returned.
      return this.returnedVariable(place);
    }
    const { table, column, use } = place;
    if (!table || !column || !["key", "inserted", "written"].includes(use)) return undefined;
    const { root } = this.values.space(table, column);
    const isKey = this.values.isUnique(table, column) || this.values.parentOf(table, column) !== undefined;
    const sameRoot = this.variables.filter((each) => each.root === root && (isKey || use === "key"));
    const sameName = this.variables.filter((each) => each.root !== undefined && each.columnName === column.name);
    const candidates = sameRoot.length > 0 ? sameRoot : use === "inserted" ? sameName : [];
    const occurrence = occurrences.get(root) ?? 0;
    occurrences.set(root, occurrence + 1);
    if (at === 0 && candidates.length > 0) return undefined;
    return candidates[occurrence];
  }

  private returnedVariable({ table, column }: SlotPlace): Variable | undefined {
    if (!table || !column) return undefined;
    const { root } = this.values.space(table, column);
    const drawn = this.slotVariables.flat();
    return this.variables.find((each) => each.root === root && !drawn.includes(each));
  }

  private freeName(wanted: string): string {
    const base = wanted.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "p").slice(0, 50) || "p";
    let name = base;
    const isTaken = (): boolean =>
      this.settings.has(name) || ["client_id", "default_seed", "random_seed"].includes(name) || this.variables.some((each) => each.name === name);
    for (let i = 2; isTaken(); i++) name = `${base}_${i}`;
    return name;
  }

  private declare(place: SlotPlace, { text, guess }: Expression): Variable {
    const { table, column, argument, use } = place;
    const name = this.freeName(column?.name ?? argument ?? (use === "limit" || use === "offset" ? `${use}_rows` : "p"));
    const root = table && column && use !== "change" && use !== "range" ? this.values.space(table, column).root : undefined;
    const variable = { name, root, columnName: column?.name };
    this.variables.push(variable);
    this.parameterLines.push(`-- guess: ${guess}`, `-- param: ${name} = ${text}`);
    return variable;
  }

  private expression(place: SlotPlace, type: string, observed: readonly (string | null)[]): Expression {
    const given = nonNull(observed);
    if (given.length > 0 && this.isPermitted(place)) {
      const common = sharesOf(given).slice(0, PICKED_VALUES_MAX);
      return { text: pick(common.map(([value]) => value)), guess: "values of the log, which --values permits" };
    }
    const drawn = place.table && place.column
      ? this.columnExpression(place.table, place.column, place, given)
      : this.typeExpression(place, type, given);
    const nulls = observed.length > 0 ? (observed.length - given.length) / observed.length : 0;
    const percent = Math.round(nulls * 100);
    if (percent === 100) return { text: "null", guess: "NULL in every transaction of the log" };
    return percent > 0 && observed.length > 0
      ? { ...drawn, text: `case when uniform(1, 100) <= ${percent} then null else ${drawn.text} end` }
      : drawn;
  }

  private columnExpression(table: Table, column: Column, { use }: SlotPlace, given: readonly string[]): Expression {
    const where = `${table.name}.${column.name}`;
    const { statistics, typeName, limit } = column;
    if (use === "change") return this.changeExpression(table, column, given);
    const listed = this.values.listed(table, column);
    if (listed) {
      const seen = sharesOf(given.filter((value) => listed.includes(value)));
      const values = seen.length > 0 ? seen.flatMap(([value, share]) => Array<string>(Math.max(1, Math.round(share * PICKED_VALUES_MAX))).fill(value)) : listed;
      const text = use === "array" ? quoteText(`{${values[0] ?? ""}}`) : pick(values);
      return { text, guess: `${where}: ${given.length > 0 ? "values of the schema, as often as in the log" : "values that the schema lists, as frequent as in the rows if that is known"}` };
    }
    const isWritten = use === "inserted" || use === "written";
    const isReferring = this.values.parentOf(table, column) !== undefined;
    if (isWritten && !isReferring) {
      if (this.values.isUnique(table, column))
        return freshKey(column) ?? { ...this.drawnFrom(table, column, use, given), mayRepeat: true };
      if (/^(timestamp|date|time)/.test(typeName)) return { text: "'now'", guess: `${where}: the time of the call` };
      const width = given.length > 0 ? Math.round(mean(given.map((value) => value.length))) : Math.max(1, (statistics?.width ?? TEXT_LENGTH + 1) - 1);
      if (typeName.startsWith("json"))
        return { text: jsonExpression(given) ?? `concat('{"text": "', text(${width}), '"}')`, guess: `${where}: ${given.length > 0 ? "keys and types as in the log" : `one text of ${width} characters`}` };
      const isIndexed = this.values.space(table, column).count > 1 && table.indexes.some(({ columns }) => columns.includes(column.number));
      if ((isTextType(typeName) && !isIndexed) || typeName === "bytea") {
        const length = Math.min(width, limit ?? width);
        return { text: `text(${length})`, guess: `${where}: random text of ${length} characters` };
      }
    }
    return this.drawnFrom(table, column, use, given);
  }

  /** A value that the made rows have. */
  private drawnFrom(table: Table, column: Column, use: SlotPlace["use"], given: readonly string[]): Expression {
    const where = `${table.name}.${column.name}`;
    const { size, count, root, isUnique } = this.values.space(table, column);
    const elementsSeen = given.map((value) => (value === "{}" ? 0 : value.split(",").length));
    const share = given.length >= OBSERVED_MIN ? (sharesOf(given)[0]?.[1] ?? 0) : isUnique ? 0 : (column.statistics?.topShare ?? 0);
    // The most frequent of few values is frequent by chance.
    const chance = given.length >= OBSERVED_MIN ? 4 / given.length : 0;
    const isZipfian = share > chance && isSkewed(count, share);
    const index = isZipfian ? `zipfian(1, ${size}, ${zipfExponent(count, share)})` : `uniform(1, ${size})`;
    const { inParameter } = this.values.writing(table, column);
    const drawn = inParameter(index);
    const origin = given.length >= OBSERVED_MIN ? "in the log" : "among the rows";
    const from = root === Values.key(table, column) ? where : `${where}, a key of ${root.split(".").slice(1).join(".")}`;
    const guess = isZipfian
      ? `${from}: zipfian, because the most common value has ${(share * 100).toFixed(1)} % ${origin}`
      : `${from}: uniform over its ${count} values`;
    if (drawn === "null") {
      this.missing.push(`values of ${where}: its type ${column.type} is not known here; NULL is sent`);
      return { text: "null", guess: `${where}: NULL, because values of ${column.type} are not known here` };
    }
    if (use === "like") return { text: `concat(${drawn}, '%')`, guess: `${guess}, as a beginning` };
    if (use !== "array") return { text: drawn, guess };
    const elements = elementsSeen.length > 0 ? Math.max(1, Math.round(mean(elementsSeen))) : ARRAY_ELEMENTS;
    const parts = Array<string>(Math.min(elements, 100)).fill(drawn).join(", ',', ");
    return { text: `concat('{', ${parts}, '}')`, guess: `${guess}; ${elements} elements${given.length > 0 ? " as in the log" : ""}` };
  }

  private changeExpression(table: Table, column: Column, given: readonly string[]): Expression {
    const where = `${table.name}.${column.name}`;
    const like = numbersLike(given);
    if (like !== undefined) return { text: like, guess: `${where}: a change with the digits and signs of the log` };
    const isChecked = table.constraints.some(({ kind, columns }) => kind === "c" && columns.includes(column.number));
    if (isChecked) return { text: "0", guess: `${where}: a change of 0, because a CHECK could refuse another` };
    return { text: `uniform(${-CHANGES_MAX}, ${CHANGES_MAX})`, guess: `${where}: a change whose size is not in the statistics` };
  }

  private typeExpression({ use, argument }: SlotPlace, type: string, given: readonly string[]): Expression {
    const what = argument === undefined ? `a parameter of type ${type}` : `${argument}, of type ${type}`;
    if (use === "limit") return { text: numbersLike(given) ?? "10", guess: `${what}: the limit is not in the statistics` };
    if (use === "offset") return { text: numbersLike(given) ?? "0", guess: `${what}: the offset is not in the statistics` };
    if (type.endsWith("[]"))
      return { text: "'{}'", guess: `${what}: an empty array` };
    const json = jsonExpression(given);
    if (/^jsonb?$/.test(type)) return { text: json ?? "'{}'", guess: `${what}: ${json === undefined ? "an empty object" : "keys and types as in the log"}` };
    if (/^(smallint|integer|bigint|numeric|real|double precision|oid|money)$/.test(type))
      return { text: numbersLike(given) ?? "uniform(1, 1000)", guess: `${what}: ${given.length > 0 ? "numbers with the digits of the log" : "a number from 1 to 1000"}` };
    if (/^(text|character varying|character|name|unknown|citext)/.test(type)) {
      if (given.some((value) => UUID.test(value))) return { text: "uuid()", guess: `${what}: random, as in the log` };
      if (json !== undefined) return { text: json, guess: `${what}: JSON with keys and types as in the log` };
      const length = given.length > 0 ? Math.round(mean(given.map((value) => value.length))) : TEXT_LENGTH;
      return { text: `text(${length})`, guess: `${what}: random text of ${length} characters` };
    }
    if (/^(timestamp|date|time)/.test(type)) return { text: "'now'", guess: `${what}: the time of the call` };
    if (type === "boolean") return { text: given.length > 0 ? pick(given.slice(0, PICKED_VALUES_MAX)) : "true", guess: `${what}: ${given.length > 0 ? "as often as in the log" : "true"}` };
    if (type === "uuid") return { text: "uuid()", guess: `${what}: random` };
    if (type === "interval") return { text: "'1 day'", guess: `${what}: one day` };
    if (type === "bytea") return { text: `text(${TEXT_LENGTH})`, guess: `${what}: random bytes` };
    this.missing.push(`${what}: no values of it are known here; NULL is sent`);
    return { text: "null", guess: `${what}: NULL, because no values of it are known here` };
  }
}
