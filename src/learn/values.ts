// Values of columns that are made up. Value number i of a column is the same in the tables' rows and in parameters.
import { listedValues, type Catalogue, type Column, type Table } from "./catalogue.js";

/** The distinct values of a column, numbered from 1. */
export interface Space {
  /** Number of values as SQL and expressions write it: `:orders_rows` or a number. */
  readonly size: string;
  readonly count: number;
  /** Number of values in the database, which may have more rows than are made. */
  readonly there: number;
  /** The column whose values these are, at the end of its foreign keys. */
  readonly root: string;
  readonly isUnique: boolean;
}

/** How a value is written, from its number. */
interface Writing {
  readonly inSql: (index: string) => string;
  readonly inParameter: (index: string) => string;
  /** Number of values that the type can hold. */
  readonly most: number;
}

/** Factors by which row numbers are spread over a column's values. They are prime, so that every value occurs. */
const SPREADS = [7919, 104_729, 15_485_863, 32_452_843, 49_979_687, 67_867_967, 86_028_121, 104_395_301];
const DISTINCT_WITHOUT_STATISTICS = 100;
const HOURS_OF_DATES = 365 * 24;
const UUID_PREFIX = "00000000-0000-4000-8000-";
const UUID_BASE = 100_000_000_000;
const TEXT_TYPES = ["text", "varchar", "bpchar", "citext", "name"];
const WHOLE_TYPES: Readonly<Record<string, number>> = { int2: 32_000, int4: 2_000_000_000, int8: 1e15 };
const JULIAN_DAY_OF_1970 = 2_440_588;
const DAY_MS = 86_400_000;
/** Values of a column with known shares are listed this often in all. */
const PICK_SLOTS = 20;
const DECIMAL = 10;
/** Added to the values of a number with a CHECK that statements change. */
const CHANGED_BASE = 1_000_000;
/** Rows of which ANALYZE takes its statistics, with default_statistics_target. */
export const SAMPLED_ROWS_MAX = 30_000;
/** Probability with which uniform draws may look skewed. */
const CHANCE_MAX = 0.01;

export const isTextType = (typeName: string): boolean => TEXT_TYPES.includes(typeName);
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Exponent of the zipfian distribution over `count` values whose first value has that share. */
export function zipfExponent(count: number, share: number): number {
  const exact = Math.min(count, 10_000);
  const weightOfAll = (s: number): number => {
    let sum = 0;
    for (let i = 1; i <= exact; i++) sum += i ** -s;
    if (count > exact)
      sum +=
        Math.abs(s - 1) < 1e-6 ? Math.log(count / exact) : (count ** (1 - s) - exact ** (1 - s)) / (1 - s);
    return sum;
  };
  let [low, high] = [0, 5];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (1 / weightOfAll(middle) < share) low = middle;
    else high = middle;
  }
  return Math.max(0.01, Math.round(high * 100) / 100);
}

/** Each value as often as its share asks, at least once; no value more often than the shares need. */
export function slotsOf(common: readonly (readonly [string, number])[]): string[] {
  const counts = common.map(([, share]) => Math.max(1, Math.round(share * PICK_SLOTS)));
  const divisor = counts.reduce(greatestDivisor);
  return common.flatMap(([value], i) => Array<string>((counts[i] ?? 1) / divisor).fill(value));
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** The partitioned table that the table is a part of, or the table itself. */
export function wholeOf(table: Table, catalogue: Pick<Catalogue, "tables">): Table {
  const parent =
    table.bound === undefined ? undefined : catalogue.tables.find(({ oid }) => oid === table.parent);
  return parent ? wholeOf(parent, catalogue) : table;
}

export class Values {
  private readonly roots = new Map<string, Space>();

  /**
   * @param lookedUp columns that statements compare, as `schema.table.column`
   * @param nowMs time from which dates are counted back
   */
  constructor(
    private readonly catalogue: Catalogue,
    private readonly rowsOf: (table: Table) => { readonly setting: string; readonly count: number },
    private readonly lookedUp: ReadonlySet<string>,
    private readonly nowMs: number,
    /** Columns to which statements add, as `schema.table.column`. */
    private readonly changed: ReadonlySet<string>,
  ) {}

  static key = (table: Table, column: Column): string => `${table.schema}.${table.name}.${column.name}`;

  /** The columns that a foreign key, a unique constraint or a unique index names, in order. */
  uniqueSets(table: Table): readonly (readonly number[])[] {
    const constraints = table.constraints.filter(({ kind }) => kind === "p" || kind === "u");
    const indexes = table.indexes.filter(
      (each) => each.isUnique && !each.isPartial && !each.columns.includes(0),
    );
    return [...constraints.map(({ columns }) => columns), ...indexes.map(({ columns }) => columns)];
  }

  /** Share of the values of a unique key that the made rows take. */
  takenShare(table: Table, set: readonly number[]): number {
    const keys = set.reduce((product, number) => {
      const column = table.columns.find((each) => each.number === number);
      return product * (column ? this.space(table, column).count : 1);
    }, 1);
    return Math.min(1, this.rowsOf(wholeOf(table, this.catalogue)).count / keys);
  }

  isUnique(table: Table, column: Column): boolean {
    return this.uniqueSets(table).some((set) => set.length === 1 && set[0] === column.number);
  }

  /** The column that the column refers to. */
  parentOf(table: Table, column: Column): { readonly table: Table; readonly column: Column } | undefined {
    const whole = wholeOf(table, this.catalogue);
    // A foreign key may be of a partition alone.
    const parts = this.catalogue.tables.filter((each) => wholeOf(each, this.catalogue) === whole);
    for (const part of parts) {
      const found = this.parentIn(part, column.name);
      if (found && !(wholeOf(found.table, this.catalogue) === whole && found.column.name === column.name))
        return found;
    }
    return undefined;
  }

  private parentIn(
    table: Table,
    name: string,
  ): { readonly table: Table; readonly column: Column } | undefined {
    const number = table.columns.find((column) => column.name === name)?.number ?? 0;
    for (const { kind, columns, parent, parentColumns } of table.constraints) {
      const at = kind === "f" ? columns.indexOf(number) : -1;
      if (at < 0) continue;
      const parentTable = this.catalogue.tables.find(({ oid }) => oid === parent);
      const parentColumn = parentTable?.columns.find((each) => each.number === parentColumns[at]);
      if (parentTable && parentColumn) return { table: parentTable, column: parentColumn };
    }
    return undefined;
  }

  space(given: Table, givenColumn: Column): Space {
    const table = wholeOf(given, this.catalogue);
    const column = table.columns.find(({ name }) => name === givenColumn.name) ?? givenColumn;
    const key = Values.key(table, column);
    const known = this.roots.get(key);
    if (known) return known;
    const parent = this.parentOf(table, column);
    const made = parent
      ? { ...this.space(parent.table, parent.column), isUnique: this.isUnique(table, column) }
      : this.ownSpace(table, column, key);
    this.roots.set(key, made);
    return made;
  }

  private ownSpace(table: Table, column: Column, root: string): Space {
    const { setting, count: rows } = this.rowsOf(table);
    if (this.isUnique(table, column) && rows > 0)
      return { size: `:${setting}`, count: rows, there: Math.max(rows, table.rows), root, isUnique: true };
    const { distinct } = column.statistics ?? { distinct: DISTINCT_WITHOUT_STATISTICS };
    const wanted = distinct < 0 ? -distinct * rows : distinct;
    const count = Math.max(1, Math.round(Math.min(wanted, rows || 1, this.writing(table, column).most)));
    const there = Math.max(count, distinct < 0 ? -distinct * table.rows : distinct);
    return { size: String(count), count, there, root, isUnique: false };
  }

  /** Values that the schema lists, or that may be read; undefined for a column of other values. */
  listed(table: Table, column: Column): string[] | undefined {
    const common = column.statistics?.common ?? [];
    if (common.length > 0) return slotsOf(common);
    if (column.labels) return [...column.labels];
    if (column.typeName === "bool") return ["true", "false"];
    return this.checkedValues(table, column);
  }

  /** True if a CHECK lists the column's values. */
  isChecked(table: Table, column: Column): boolean {
    return this.checkedValues(table, column) !== undefined;
  }

  private checkedValues(table: Table, column: Column): string[] | undefined {
    const check = table.constraints.find((each) => listedValues(each) && each.columns[0] === column.number);
    return check && listedValues(check);
  }

  private isLookedUp(table: Table, column: Column): boolean {
    const isReferred = this.catalogue.tables.some(({ constraints }) =>
      constraints.some(
        ({ parent, parentColumns }) => parent === table.oid && parentColumns.includes(column.number),
      ),
    );
    const isIndexed = [...table.constraints, ...table.indexes].some((each) =>
      "isUnique" in each
        ? each.columns.includes(column.number)
        : each.kind !== "c" && each.columns.includes(column.number),
    );
    return isReferred || isIndexed || this.lookedUp.has(Values.key(table, column));
  }

  writing(table: Table, column: Column): Writing {
    const parent = this.parentOf(table, column);
    if (parent) return this.writing(parent.table, parent.column);
    const { typeName, limit } = column;
    const width = Math.min(column.statistics?.width ?? 12, limit ?? Infinity);
    if (isTextType(typeName)) {
      const rows = Math.max(DECIMAL, this.rowsOf(table).count);
      const digits = Math.min(limit ?? 15, 15, String(Math.ceil(rows)).length + 1);
      const base = DECIMAL ** (digits - 1);
      const tail = "x".repeat(Math.max(0, Math.min(width - 1, 100) - digits));
      return {
        inSql: (index) => `(${base} + ${index})::text${tail && ` || '${tail}'`}`,
        inParameter: (index) =>
          tail ? `concat(${base} + ${index}, '${tail}')` : `concat(${base} + ${index})`,
        most: 9 * base - 1,
      };
    }
    const writing = this.writingOfType(typeName, column.type, limit);
    if (!this.isCheckedChange(table, column)) return writing;
    // A CHECK could refuse the change of a small number.
    const base = Math.min(CHANGED_BASE, Math.floor(writing.most / 2));
    return { ...writing, inSql: (i) => `(${base} + ${i})`, inParameter: (i) => `(${base} + ${i})` };
  }

  private isCheckedChange(table: Table, column: Column): boolean {
    const isChecked = table.constraints.some(
      ({ kind, columns }) => kind === "c" && columns.includes(column.number),
    );
    return isChecked && this.changed.has(Values.key(table, column));
  }

  private writingOfType(typeName: string, type: string, limit: number | undefined): Writing {
    const whole = WHOLE_TYPES[typeName];
    if (whole !== undefined) return { inSql: (i) => i, inParameter: (i) => i, most: whole };
    const today = Math.floor(this.nowMs / DAY_MS) + JULIAN_DAY_OF_1970;
    switch (typeName) {
      case "numeric":
        return { inSql: (i) => i, inParameter: (i) => i, most: DECIMAL ** Math.min(limit ?? 15, 15) - 1 };
      case "float4":
      case "float8":
      case "money":
        return { inSql: (i) => `(${i})::numeric::${type}`, inParameter: (i) => i, most: 1e6 };
      case "uuid":
        return {
          inSql: (i) => `('${UUID_PREFIX}' || (${UUID_BASE} + ${i}))::uuid`,
          inParameter: (i) => `concat('${UUID_PREFIX}', ${UUID_BASE} + ${i})`,
          most: UUID_BASE,
        };
      case "date":
        return {
          inSql: (i) => `current_date - (${i})::int`,
          inParameter: (i) => `concat('J', ${today} - ${i})`,
          most: HOURS_OF_DATES / 24,
        };
      case "timestamp":
      case "timestamptz":
        return {
          inSql: (i) => `(now() - (${i}) * interval '1 hour')::${type}`,
          inParameter: (i) => `concat('J', ${today} - (${i}) / 24)`,
          most: HOURS_OF_DATES,
        };
      case "inet":
        return {
          inSql: (i) => `('10.0.0.0'::inet + (${i})::bigint)`,
          inParameter: (i) => `concat('10.0.', (${i}) / 256, '.', (${i}) % 256)`,
          most: 65_535,
        };
      case "interval":
        return {
          inSql: (i) => `(${i}) * interval '1 second'`,
          inParameter: (i) => `concat(${i}, ' seconds')`,
          most: 1e6,
        };
      default:
        return { inSql: () => "NULL", inParameter: () => "null", most: 1 };
    }
  }

  /** SQL of the column's value in row `g` of the table; undefined if the row gets the default or NULL. */
  inRow(table: Table, column: Column, radix: ReadonlyMap<number, string>): string | undefined {
    const { statistics, typeName, type } = column;
    if (column.generated || column.identity !== undefined || /\bnextval\(/.test(column.default ?? ""))
      return undefined;
    if (!statistics && !this.isUnique(table, column) && !radix.has(column.number)) {
      const isOptional = column.default !== undefined || !column.isNotNull;
      if (isOptional && this.parentOf(table, column) === undefined) return undefined;
    }
    const value = this.rawInRow(table, column, radix);
    if (value === undefined || value === "NULL") return undefined;
    const nullPercent = Math.round((statistics?.nullShare ?? 0) * 100);
    const spread = SPREADS[(column.number + 3) % SPREADS.length] ?? 7919;
    const isCast = !isTextType(typeName) && WHOLE_TYPES[typeName] === undefined;
    const typed = isCast && !/::/.test(value) ? `(${value})::${type}` : value;
    return nullPercent > 0 && !column.isNotNull && !radix.has(column.number)
      ? `CASE WHEN mod(g * ${spread}, 100) < ${nullPercent} THEN NULL ELSE ${typed} END`
      : typed;
  }

  private rawInRow(table: Table, column: Column, radix: ReadonlyMap<number, string>): string | undefined {
    const { statistics, typeName, limit } = column;
    const spread = SPREADS[column.number % SPREADS.length] ?? 7919;
    const fixed = radix.get(column.number);
    const listed = this.listed(table, column);
    if (listed && new Set(listed).size === 1) return `${quoteText(listed[0] ?? "")}::${column.type}`;
    if (listed) {
      const list = `(ARRAY[${listed.map(quoteText).join(", ")}])`;
      return `${list}[${fixed ?? `1 + mod(g * ${spread}, ${listed.length})::int`}]::${column.type}`;
    }
    const width = Math.max(1, Math.min((statistics?.width ?? 12) - 1, limit ?? Infinity));
    const isReferring = this.parentOf(table, column) !== undefined;
    if (isTextType(typeName) && !this.isLookedUp(table, column) && !isReferring && fixed === undefined)
      return fillerText(width);
    if (typeName === "json" || typeName === "jsonb")
      return `json_build_object('text', ${fillerText(width)})::${typeName}`;
    if (typeName === "bytea")
      return `decode(md5(g::text)${width > 16 ? ` || repeat(md5(g::text), ${Math.round(width / 16)})` : ""}, 'hex')`;
    if (typeName === "tsvector") return `to_tsvector('simple', 'word' || mod(g * ${spread}, 1000))`;
    if (typeName.startsWith("_")) return column.isNotNull ? `'{}'` : undefined;
    const space = this.space(table, column);
    const isSelfReference = table.constraints.some(
      ({ kind, columns, parent }) => kind === "f" && parent === table.oid && columns.includes(column.number),
    );
    if (isSelfReference && !column.isNotNull) return undefined;
    const index =
      fixed ??
      (space.isUnique && !isReferring
        ? "g"
        : this.spreadIndex(space, spread, table, statistics?.topShare ?? 0));
    return this.writing(table, column).inSql(
      space.isUnique && isReferring ? `(1 + mod(g - 1, ${space.size}))` : index,
    );
  }

  private spreadIndex(space: Space, spread: number, table: Table, share: number): string {
    const { size, count } = space;
    if (size === "1") return "1";
    if (!isSkewed(space, share, Math.min(table.rows, SAMPLED_ROWS_MAX)))
      return `(1 + mod(g * ${spread}, ${size}))`;
    // A power of a uniform number gives the first value its share.
    const power = (Math.log(count) / -Math.log(share)).toFixed(3);
    return `(1 + floor(${size} * power(mod(g * ${spread}, 1000003) / 1000003.0, ${power})))::bigint`;
  }

  /** Columns of a unique key of several columns, with the number of each one's value in row `g`. */
  radixOf(table: Table): ReadonlyMap<number, string> {
    const sets = this.uniqueSets(table);
    const isNumbered = (number: number): boolean => {
      const column = table.columns.find((each) => each.number === number);
      return column?.identity !== undefined || /\bnextval\(/.test(column?.default ?? "");
    };
    const set = sets.some((each) => each.length === 1)
      ? undefined
      : sets.find((each) => !each.some(isNumbered));
    const indexes = new Map<number, string>();
    let divisor = "";
    for (const number of set ?? []) {
      const column = table.columns.find((each) => each.number === number);
      if (!column) continue;
      const size = this.listed(table, column)
        ? String(this.listed(table, column)?.length)
        : this.space(table, column).size;
      indexes.set(number, `(1 + mod(${divisor === "" ? "g - 1" : `(g - 1) / (${divisor})`}, ${size}))`);
      divisor = divisor === "" ? size : `${divisor} * ${size}`;
    }
    return indexes;
  }
}

/** Probability that a Poisson variable with that mean reaches `least`. */
function poissonTail(mean: number, least: number): number {
  let logTerm = -mean;
  for (let k = 1; k <= least; k++) logTerm += Math.log(mean / k);
  let sum = 0;
  for (let k = least, term = Math.exp(logTerm); term > sum * 1e-9; k++, term *= mean / k) sum += term;
  return sum;
}

/**
 * True if the most common of the values has more than twice an even share, and more than it would have by chance in that
 * number of draws.
 */
export function isSkewed({ count, there }: Space, share: number, draws: number): boolean {
  if (count <= 2 || share >= 1 || share <= 2 / Math.min(there, draws)) return false;
  return there * poissonTail(draws / there, Math.round(share * draws)) < CHANCE_MAX;
}

/** Text of that length that hardly compresses. */
function fillerText(width: number): string {
  if (width <= 32) return `left(md5(g::text), ${width})`;
  return `left((SELECT string_agg(md5(g::text || i), '') FROM generate_series(1, ${Math.ceil(width / 32)}) i), ${width})`;
}
