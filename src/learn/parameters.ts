// Writes one transaction of the file: an expression for each parameter, with a comment for every guess.
import type { Catalogue, Table } from "./catalogue.js";
import { Expressions, freshKey, isConstant, nonNull, OBSERVED_MIN, type Expression } from "./expressions.js";
import { Reading, type SlotPlace } from "./reading.js";
import { filledText, withoutSchemas, type Statement } from "./statement.js";
import type { Values } from "./values.js";

export interface LearntStatement {
  readonly statement: Statement;
  /** Types of the slots, as the server infers them. */
  readonly types: readonly string[];
  /** Values of the slots in the log, by transaction; empty without a log. */
  readonly values: readonly (readonly (string | null)[])[];
}

interface Variable {
  readonly name: string;
  /** Column whose value the variable is; statements of a transaction share it. */
  readonly root: string | undefined;
  readonly columnName: string | undefined;
}

/** Share of transactions in which two values must agree to be one parameter. */
const SAME_SHARE = 0.98;

export interface TransactionText {
  readonly lines: readonly string[];
  readonly missing: readonly string[];
}

export class TransactionWriter {
  private readonly variables: Variable[] = [];
  /** Expressions of the variables that this transaction draws, in order. */
  private readonly drawn = new Map<Variable, Expression>();
  private readonly expressions: Expressions;
  private readonly readings: readonly Reading[];
  private readonly places: readonly (readonly SlotPlace[])[];
  /** Variables whose values no row has yet. */
  private readonly newKeys = new Set<Variable>();
  /** Variables by statement and slot. */
  private readonly slotVariables: (Variable | undefined)[][] = [];

  /** @param permitted columns and arguments whose values in the log may be written */
  constructor(
    private readonly statements: readonly LearntStatement[],
    private readonly catalogue: Catalogue,
    private readonly values: Values,
    permitted: readonly string[],
    private readonly settings: ReadonlySet<string>,
  ) {
    this.expressions = new Expressions(catalogue, values, permitted);
    this.readings = statements.map(({ statement }) => new Reading(statement, catalogue));
    this.places = this.readings.map((reading) => reading.places());
  }

  get isReadOnly(): boolean {
    const functions = this.catalogue.others.filter(({ kind }) => kind === "function").map(({ name }) => name);
    return this.readings.every((reading) => reading.isReadOnly(functions));
  }

  text(): TransactionText {
    const bodies = this.statements.map((_, i) => this.statementText(i));
    const parameters = [...this.drawn].flatMap(([{ name }, { guess, text }]) => [
      `-- guess: ${guess}`,
      `-- param: ${name} = ${text}`,
    ]);
    return { lines: [...parameters, ...bodies.flat()], missing: this.expressions.missing };
  }

  private statementText(at: number): string[] {
    const learnt = this.statements[at] as LearntStatement;
    const { slots } = learnt.statement;
    const occurrences = new Map<string, number>();
    const byNumber = new Map<number, string>();
    const slotVariables: (Variable | undefined)[] = [];
    this.slotVariables.push(slotVariables);
    const writings = slots.map((slot, i) => {
      const place = this.places[at]?.[i] ?? { use: "other" };
      const type = learnt.types[i] ?? "unknown";
      const observed = this.observed(at, i);
      const known = slot.number === undefined ? undefined : byNumber.get(slot.number);
      if (known !== undefined) return known;
      const kept = this.keptConstant(slot.constant, place, nonNull(observed));
      if (kept !== undefined) return kept;
      const shared = this.sharedVariable(at, i, place, occurrences);
      slotVariables[i] = shared;
      let name = shared?.name;
      if (name === undefined) {
        const expression = this.withLostLink(place, this.expressions.draw(place, type, observed));
        const variable = this.declare(place, expression);
        if (expression.isNew) this.newKeys.add(variable);
        slotVariables[i] = variable;
        name = variable.name;
      }
      if (slot.number !== undefined) byNumber.set(slot.number, `:${name}`);
      return `:${name}`;
    });
    const reading = this.readings[at] as Reading;
    let sql = withoutSchemas(filledText(learnt.statement, writings), this.catalogue);
    const lines: string[] = [];
    const taken =
      reading.verb === "INSERT" && !/\bon\s+conflict\b/i.test(sql) ? this.takenShare(at) : undefined;
    if (taken !== undefined) {
      lines.push(
        `-- guess: ON CONFLICT DO NOTHING, because drawn keys of a unique index may repeat: ${(taken * 100).toFixed(0)} % of the made keys have a row, and their calls insert none`,
      );
      sql = sql.replace(
        /(\s+returning\b[^]*)?$/i,
        (returning: string) => ` ON CONFLICT DO NOTHING${returning}`,
      );
    } else lines.push(...this.returningLine(at));
    return [...lines, `${sql};`];
  }

  /** Values of the slot in the log, or of the whole concatenation if the slot is to have its values. */
  private observed(at: number, slot: number): (string | null)[] {
    const operands = this.places[at]?.[slot]?.operands ?? [slot];
    return (this.statements[at]?.values ?? []).map((row) => {
      const parts = operands.map((operand) => row[operand] ?? null);
      return parts.length === 1 ? (parts[0] ?? null) : parts.join("");
    });
  }

  /** Says so if a row that this transaction inserts is the parent, and its key is not known. */
  private withLostLink({ use, table, column }: SlotPlace, expression: Expression): Expression {
    const parent = use === "inserted" && table && column && this.values.parentOf(table, column)?.table;
    const isInserted =
      parent &&
      parent !== table &&
      this.readings.some(({ verb, tables }) => verb === "INSERT" && tables[0] === parent);
    return isInserted
      ? {
          ...expression,
          guess: `${expression.guess}; its link to the inserted row of ${parent.name} is lost`,
        }
      : expression;
  }

  /** Variables of the inserted columns, by number; undefined for a constant. */
  private givenVariables(at: number): Map<number, Variable | undefined> {
    return new Map(
      (this.places[at] ?? []).flatMap(({ use, column }, i) =>
        use === "inserted" && column ? [[column.number, this.slotVariables[at]?.[i]] as const] : [],
      ),
    );
  }

  /** Earlier statements that insert into the table of statement `at`. */
  private earlierInserts(at: number): number[] {
    const table = this.readings[at]?.tables[0];
    return [...this.readings.slice(0, at).entries()].flatMap(([i, { verb, tables }]) =>
      verb === "INSERT" && tables[0] === table ? [i] : [],
    );
  }

  /**
   * Share of the keys that have a row already, if a unique index can refuse the row: none of the index's columns has a
   * new value, and none can have one.
   */
  private takenShare(at: number): number | undefined {
    const table = this.readings[at]?.tables[0];
    if (!table) return undefined;
    const given = this.givenVariables(at);
    const before = this.earlierInserts(at).map((i) => this.givenVariables(i));
    let share: number | undefined;
    for (const set of this.values.uniqueSets(table)) {
      if (!set.every((number) => given.has(number))) continue;
      const isNew = (number: number): boolean => {
        const variable = given.get(number);
        return variable !== undefined && this.newKeys.has(variable);
      };
      // Rows of one transaction that share a new key differ in the rest of it.
      const isShared = before.some((earlier) =>
        set.every((number) => !isNew(number) || earlier.get(number) === given.get(number)),
      );
      const isKeyNew = set.some(isNew);
      if (isKeyNew && !isShared) continue;
      if (isKeyNew && set.some((number) => given.get(number) === undefined)) continue;
      if (!this.renew(table, set, given, isKeyNew ? before : undefined))
        share = Math.max(share ?? 0, this.values.takenShare(table, set));
    }
    return share;
  }

  /**
   * Draws a new value for one column of the key, so that no row has it.
   * @param before earlier rows of the transaction, if the rest of the key is new and theirs too: all are numbered
   */
  private renew(
    table: Table,
    set: readonly number[],
    given: ReadonlyMap<number, Variable | undefined>,
    before: readonly ReadonlyMap<number, Variable | undefined>[] | undefined,
  ): boolean {
    for (const number of set) {
      const column = table.columns.find((each) => each.number === number);
      const variable = given.get(number);
      if (!column || !variable || !this.drawn.has(variable) || this.values.parentOf(table, column)) continue;
      const isWhole = /^int[248]$/.test(column.typeName);
      const where = `${table.name}.${column.name}`;
      if (before && isWhole) {
        for (const [i, row] of [...before, given].entries()) {
          const each = row.get(number);
          const guess = `${where}: numbered, because the rows of this transaction share the rest of the key`;
          if (each && this.drawn.has(each)) this.drawn.set(each, { text: String(i + 1), guess });
        }
        return true;
      }
      const fresh = before ? undefined : freshKey(column);
      if (!fresh) continue;
      this.drawn.set(variable, { ...fresh, guess: `${where}: ${fresh.guess}` });
      this.newKeys.add(variable);
      return true;
    }
    return false;
  }

  /** Binds generated keys of a row that later statements of the transaction use. */
  private returningLine(at: number): string[] {
    const reading = this.readings[at] as Reading;
    const [table] = reading.tables;
    if (!reading.isOneRowInsert || !table) return [];
    const bound = table.columns.flatMap((column) => {
      const given =
        this.places[at]?.some((place) => place.use === "inserted" && place.column === column) ?? false;
      const output = reading.returned.get(column.name);
      if (given || output === undefined) return [];
      const { root } = this.values.space(table, column);
      const isUsed = this.places
        .slice(at + 1)
        .some((places) =>
          places.some(
            (place) =>
              place.table &&
              place.column &&
              ["key", "inserted", "written"].includes(place.use) &&
              this.values.space(place.table, place.column).root === root,
          ),
        );
      if (!isUsed) return [];
      const name = this.freeName(`${table.name}_${column.name}`);
      const variable = { name, root, columnName: column.name };
      this.variables.push(variable);
      this.newKeys.add(variable);
      return [`${output} as ${name}`];
    });
    return bound.length > 0 ? [`-- returning: ${bound.join(", ")}`] : [];
  }

  /** A constant of the log that stays: code, or a value that the schema lists. */
  private keptConstant(
    constant: string | undefined,
    place: SlotPlace,
    observed: readonly string[],
  ): string | undefined {
    if (constant === undefined || new Set(observed).size > 1) return undefined;
    const { table, column, use, concatenation } = place;
    if (concatenation !== undefined && concatenation !== "mixed")
      return /^'[%_]*'$/.test(constant) ? constant : undefined;
    const isCode = use === "limit" || use === "offset" || (!column && observed.length >= OBSERVED_MIN);
    const isListed =
      table && column && (this.values.listed(table, column)?.includes(observed[0] ?? "") ?? false);
    const isKeyNumber = isConstant(observed) && this.expressions.isKeyNumber(place, observed[0] ?? "");
    return isCode || isListed || isKeyNumber || this.expressions.isPermitted(place) ? constant : undefined;
  }

  /** A variable of an earlier statement that has the same value. */
  private sharedVariable(
    at: number,
    slot: number,
    place: SlotPlace,
    occurrences: Map<string, number>,
  ): Variable | undefined {
    const rows = this.statements[at]?.values ?? [];
    if (rows.length >= OBSERVED_MIN) {
      const observed = this.observed(at, slot);
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
    const sameName = this.variables.filter(
      (each) => each.root !== undefined && each.columnName === column.name,
    );
    const candidates = sameRoot.length > 0 ? sameRoot : use === "inserted" ? sameName : [];
    const occurrence = occurrences.get(root) ?? 0;
    occurrences.set(root, occurrence + 1);
    if (at === 0 && candidates.length > 0) return undefined;
    const isNew = (variable: Variable): boolean => this.newKeys.has(variable);
    // A second row of the same table gets other values, except for the key of the row to which both belong.
    if (use === "inserted" && this.earlierInserts(at).length > 0) return candidates.find(isNew);
    return candidates[occurrence] ?? sameRoot.find(isNew);
  }

  private returnedVariable({ table, column }: SlotPlace): Variable | undefined {
    if (!table || !column) return undefined;
    const { root } = this.values.space(table, column);
    const drawn = this.slotVariables.flat();
    return this.variables.find((each) => each.root === root && !drawn.includes(each));
  }

  private freeName(wanted: string): string {
    const base =
      wanted
        .replaceAll(/\W/g, "_")
        .replace(/^(?=\d)/, "p")
        .slice(0, 50) || "p";
    let name = base;
    const isTaken = (): boolean =>
      this.settings.has(name) ||
      ["client_id", "default_seed", "random_seed"].includes(name) ||
      this.variables.some((each) => each.name === name);
    for (let i = 2; isTaken(); i++) name = `${base}_${i}`;
    return name;
  }

  private declare(place: SlotPlace, expression: Expression): Variable {
    const { table, column, argument, use } = place;
    const name = this.freeName(
      column?.name ?? argument ?? (use === "limit" || use === "offset" ? `${use}_rows` : "p"),
    );
    const root =
      table && column && use !== "change" && use !== "range"
        ? this.values.space(table, column).root
        : undefined;
    const variable = { name, root, columnName: column?.name };
    this.variables.push(variable);
    this.drawn.set(variable, expression);
    return variable;
  }
}
