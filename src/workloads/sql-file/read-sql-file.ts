// Reads a file of SQL in the form of sqlc and aiosql: comments as `-- name:` say what the statements below them are.
import { isOwnOperationName, OWN_OPERATION_NAME_RULE } from "../../metrics/operations.js";
import { parseExpression, variablesOf } from "../script/expression.js";
import {
  VARIANT_KEY,
  type FileProblem,
  type Invariant,
  type Place,
  type Program,
  type ReadProgram,
  type ScriptTransaction,
  type Setting,
  type SqlSyntax,
  type SqlText,
} from "../script/program.js";
import { statementsIn } from "../script/sql-text.js";
import { chunksOf, type Refuse } from "./chunks.js";
import { dumpIn, withoutPsql, type Dump } from "./dump.js";
import { pauseOf } from "../script/pause.js";
import {
  invariantOf,
  isOwn,
  mapTables,
  type DraftInvariant,
  type DraftTables,
  type DraftTransaction,
  type ReadTables,
} from "./drafts.js";
import { isPartEnd, stepsOfTransaction } from "./parts.js";
import { PendingDirectives } from "./pending-directives.js";
import { BUILT_IN_VARIABLES, statementProblem } from "../script/statement-rules.js";
import { assignmentOf, WORKLOAD_NAME_PATTERN, workloadNameFromFile, scalarOf } from "./directive-values.js";

/** Largest number of parameters of a statement in PostgreSQL's protocol. */
const PARAMETERS_MAX = 65_535;

/** Directives of a file that has tables only. */
const TABLE_DIRECTIVES: readonly string[] = ["schema", "preload", "variant", "invariant"];

class Reader {
  private readonly problems: FileProblem[] = [];
  private workload: string | undefined;
  private readonly settings: Setting[] = [];
  private readonly common: DraftTables = { schema: [], preload: [] };
  private readonly variants: (DraftTables & { readonly name: string; readonly place: Place })[] = [];
  /** Owner of the statements below `schema` and `preload`. */
  private tables = this.common;
  private readonly transactions: DraftTransaction[] = [];
  private readonly invariants: DraftInvariant[] = [];
  private section: "none" | "schema" | "preload" | "name" | "invariant" = "none";
  private readonly next = new PendingDirectives((place, message) => this.refuse(place, message));
  /** The dump that is the schema of the file, if it is one. */
  private dump: Dump | undefined;
  private readonly text: string;

  constructor(
    text: string,
    private readonly file: string,
    private readonly syntax: SqlSyntax,
  ) {
    this.text = withoutPsql(text);
  }

  read(): ReadProgram {
    const refuse = (place: Place, message: string): void => this.refuse(place, message);
    const chunks = chunksOf(this.text, refuse, this.syntax);
    if (this.syntax === undefined) this.dump = dumpIn(chunks, refuse);
    for (const chunk of chunks) {
      if (chunk.kind === "sql") this.takeSql(this.unqualified(chunk.text), chunk.place);
      else this.takeDirective(chunk.name, chunk.value, chunk.place);
    }
    this.requireStatements();
    const invariants = this.end(refuse);
    if (this.problems.length > 0) return { problems: this.problems };
    return {
      program: {
        name: this.workload ?? workloadNameFromFile(this.file),
        ...(this.syntax && { syntax: this.syntax }),
        settings: this.settings,
        ...this.common,
        ...this.variantsMapped((sql) => sql),
        transactions: this.transactions.map(
          ({ name, weight, isReadOnly, parameters, steps }): ScriptTransaction => ({
            name,
            weight,
            isReadOnly,
            parameters,
            ...stepsOfTransaction(steps),
          }),
        ),
        invariants,
      },
    };
  }

  readTables(settings: readonly Setting[]): ReadTables {
    this.settings.push(...settings);
    const refuse = (place: Place, message: string): void => this.refuse(place, message);
    const chunks = chunksOf(this.text, refuse, this.syntax);
    this.dump = dumpIn(chunks, refuse, true);
    this.section = "schema";
    for (const chunk of chunks) {
      if (chunk.kind === "sql") this.takeSql(this.unqualified(chunk.text), chunk.place);
      else if (TABLE_DIRECTIVES.includes(chunk.name))
        this.takeDirective(chunk.name, chunk.value, chunk.place);
      else
        refuse(
          chunk.place,
          `${chunk.name} belongs to a file of SQL; this file has tables, rows, variants and invariants`,
        );
    }
    const invariants = this.end(refuse);
    if (this.problems.length > 0) return { problems: this.problems };
    const named = <Sql extends SqlText>(sql: Sql): Sql => ({
      ...sql,
      place: { ...sql.place, file: this.file },
    });
    return {
      unqualified: (script) => this.dump?.unqualified(script, true) ?? script,
      tables: {
        ...mapTables(this.common, named),
        ...this.variantsMapped(named),
        invariants: invariants.map((invariant) => ({ ...invariant, sql: named(invariant.sql) })),
      },
    };
  }

  private variantsMapped(map: (sql: SqlText) => SqlText): Pick<Program, "variants"> {
    if (this.variants.length === 0) return {};
    return { variants: this.variants.map((each) => ({ name: each.name, ...mapTables(each, map) })) };
  }

  /** The invariants, once the whole file is read. */
  private end(refuse: Refuse): Invariant[] {
    this.enter("none");
    for (const { name, place } of this.settings)
      if (name === VARIANT_KEY && this.variants.length > 0)
        this.refuse(place, `${VARIANT_KEY} chooses one of the file's variants; rename the setting`);
    return this.invariants.flatMap((draft) => invariantOf(draft, this.transactions, refuse));
  }

  private refuse(place: Place, message: string): void {
    this.problems.push({ file: this.file, place, message });
  }

  private takeDirective(name: string, value: string, place: Place): void {
    const draft = this.section === "name" ? this.transactions.at(-1) : undefined;
    switch (name) {
      case "workload":
        if (this.workload !== undefined) this.refuse(place, "the workload has a name already");
        if (!WORKLOAD_NAME_PATTERN.test(value)) this.refuse(place, `${value} is not a name, such as bank`);
        this.workload = value;
        return;
      case "setting":
        this.takeSetting(value, place);
        return;
      case "schema":
      case "preload":
        this.enter(name);
        return;
      case "variant":
        this.takeVariant(value, place);
        return;
      case "name":
        this.takeName(value, place);
        return;
      case "invariant":
        this.enter("invariant");
        if (this.invariants.some((each) => each.name === value))
          this.refuse(place, `two invariants ${value}`);
        this.invariants.push({ name: value, place, statements: [] });
        return;
      case "acknowledged":
        this.takeAcknowledged(value, place);
        return;
    }
    if (!draft) {
      this.refuse(place, `${name} belongs below a name`);
      return;
    }
    if (name === "readonly") draft.isReadOnly = true;
    if (name === "weight") this.takeWeight(draft, value, place);
    if (name === "param") this.takeParameter(draft, value, place);
    if (name === "commit") this.takeCommit(draft, place);
    if (name === "sleep") this.takePause(draft, value, place);
    this.next.take(name, value, place);
  }

  private takeSetting(value: string, place: Place): void {
    const assignment = assignmentOf(value);
    if (!assignment) {
      this.refuse(place, `expected setting: name = value, such as accounts = 1000`);
      return;
    }
    if (this.settings.some(({ name }) => name === assignment.name)) {
      this.refuse(place, `two settings ${assignment.name}`);
      return;
    }
    this.settings.push({ name: assignment.name, value: scalarOf(assignment.text), place });
  }

  /** Begins a variant: `schema` and `preload` below belong to it, up to the next variant, transaction or invariant. */
  private takeVariant(value: string, place: Place): void {
    this.enter("schema");
    if (!WORKLOAD_NAME_PATTERN.test(value)) this.refuse(place, `${value} is not a name, such as partial`);
    if (this.variants.some(({ name }) => name === value)) this.refuse(place, `two variants ${value}`);
    const variant = { name: value, place, schema: [], preload: [] };
    this.variants.push(variant);
    this.tables = variant;
  }

  private takeName(value: string, place: Place): void {
    this.enter("name");
    const [, name = "", kind] = /^(\S+)\s+(:\w+)$/.exec(value) ?? [];
    if (kind !== undefined) this.refuse(place, `${kind} belongs to sqlc; write name: ${name}`);
    else if (!isOwnOperationName(value))
      this.refuse(place, `${value} is no name of a transaction (${OWN_OPERATION_NAME_RULE}), such as pay`);
    if (this.transactions.some(({ name }) => name === value)) this.refuse(place, `two transactions ${value}`);
    this.transactions.push({
      name: value,
      place,
      weight: 1,
      isReadOnly: false,
      parameters: [],
      steps: [],
    });
  }

  private takeWeight(draft: DraftTransaction, value: string, place: Place): void {
    draft.weight = Number(value);
    if (!(draft.weight > 0 && draft.weight <= 1e9))
      this.refuse(place, `weight ${value} is not a number above 0`);
  }

  private takeParameter(draft: DraftTransaction, value: string, place: Place): void {
    const assignment = assignmentOf(value);
    if (!assignment) {
      this.refuse(place, "expected param: name = expression, such as id = uuid()");
      return;
    }
    const { name, text, at } = assignment;
    if (draft.steps.length > 0)
      this.refuse(place, `param ${name} stands below a statement; move it above all`);
    if (this.isKnown(name, draft)) this.refuse(place, `${name} has a value already`);
    const parsed = parseExpression(text);
    const column = place.column + this.valueColumn(place) + at;
    if (!("expression" in parsed)) {
      this.refuse({ line: place.line, column: column + parsed.column - 1 }, parsed.message);
      return;
    }
    for (const used of variablesOf(parsed.expression))
      if (!this.isKnown(used, draft))
        this.refuse({ line: place.line, column }, `${used} is no setting and no param above this one`);
    draft.parameters.push({ variable: name, expression: parsed.expression });
  }

  /** Column of the value of the directive at `place`, counted in characters before it. */
  private valueColumn({ line, column }: Place): number {
    const text = this.text.split("\n")[line - 1]?.slice(column - 1) ?? "";
    return /^--\s*\w+\s*:\s*/.exec(text)?.[0].length ?? 0;
  }

  private takeCommit({ steps }: DraftTransaction, place: Place): void {
    this.next.requireNone();
    if (steps.findLastIndex(({ kind }) => kind === "sql") <= steps.findLastIndex(isPartEnd))
      this.refuse(place, "commit stands above all statements, or above another commit; remove it");
    steps.push({ kind: "control", does: "commit", text: "COMMIT", place });
  }

  private takePause(draft: DraftTransaction, value: string, place: Place): void {
    this.next.requireNone();
    const pause = pauseOf(value);
    if (!pause?.hasUnit) {
      this.refuse(place, "expected sleep: a number with us, ms or s, such as 5ms; the number may be :name");
      return;
    }
    const { variable, forMs } = pause;
    if (variable !== undefined && !this.isKnown(variable, draft))
      this.refuse(
        place,
        `${variable} has no value; write -- param: ${variable} = ... above the statements of ${draft.name}`,
      );
    if (draft.steps.length === 0)
      this.refuse(place, "sleep stands above all statements; use thinkTime in the scenario");
    draft.steps.push({ kind: "sleep", forMs, place });
  }

  private takeAcknowledged(value: string, place: Place): void {
    const invariant = this.section === "invariant" ? this.invariants.at(-1) : undefined;
    const match = /^([\w-]+)\.(\w+)$/.exec(value);
    if (!invariant) this.refuse(place, "acknowledged belongs below an invariant");
    else if (!match) this.refuse(place, "expected acknowledged: transaction.param, such as pay.id");
    else invariant.acknowledged = { transaction: match[1] ?? "", variable: match[2] ?? "", place };
  }

  private takeSql(text: string, origin: Place): void {
    const { statements, unended } = statementsIn(text, origin, this.syntax);
    if (unended) this.refuse(unended.place, `${unended.what} begins here and does not end`);
    for (const statement of statements) this.takeStatement(statement);
  }

  private unqualified(text: string): string {
    return this.dump?.unqualified(text, ["name", "invariant"].includes(this.section)) ?? text;
  }

  private takeStatement(statement: SqlText): void {
    const { place, variables } = statement;
    if (this.section === "schema" && this.dump?.isLeftOut(statement)) return;
    const problem = statementProblem(statement, this.section === "name");
    if (problem !== undefined) this.refuse(place, problem);
    if (variables.length > PARAMETERS_MAX)
      this.refuse(place, `${variables.length} parameters; a statement takes at most ${PARAMETERS_MAX}`);
    const draft = this.transactions.at(-1);
    switch (this.section) {
      case "none":
        this.refuse(
          place,
          "a statement above every section; write -- schema, -- preload or -- name: above it",
        );
        return;
      case "schema":
      case "preload":
        this.requireSettings(statement);
        this.tables[this.section].push(statement);
        return;
      case "invariant":
        this.requireSettings(statement);
        this.invariants.at(-1)?.statements.push(statement);
        return;
      case "name":
        if (draft) this.takeStep(draft, statement);
    }
  }

  private takeStep(draft: DraftTransaction, statement: SqlText): void {
    const { traits, bindings } = this.next.use();
    for (const variable of new Set(statement.variables)) {
      if (this.isKnown(variable, draft)) continue;
      const hint = bindings.some((each) => each.variable === variable)
        ? `${variable} is used before it is returned`
        : `${variable} has no value; write -- param: ${variable} = ... above the statements of ${draft.name}`;
      this.refuse(statement.place, hint);
    }
    for (const { variable } of bindings)
      if (this.isKnown(variable, draft)) this.refuse(statement.place, `${variable} has a value already`);
    if (traits.orEnd && draft.steps.some(isPartEnd))
      this.refuse(
        statement.place,
        "or end stands below a commit: only the first part may end as an empty poll",
      );
    draft.steps.push({ kind: "sql", ...statement, bindings, ...traits });
  }

  private isKnown(name: string, draft: DraftTransaction): boolean {
    return this.isSetting(name) || BUILT_IN_VARIABLES.includes(name) || isOwn(draft, name);
  }

  private isSetting(variable: string): boolean {
    return this.settings.some(({ name }) => name === variable);
  }

  private requireSettings({ variables, place }: SqlText): void {
    for (const variable of new Set(variables))
      if (!this.isSetting(variable))
        this.refuse(place, `${variable} is no setting; write -- setting: ${variable} = ... at the top`);
  }

  private requireStatements(): void {
    const [first] = this.transactions;
    if (!first) this.refuse({ line: 1, column: 1 }, "no transaction; write -- name: above its statements");
    for (const { name, place, steps } of this.transactions) {
      if (steps.length === 0) this.refuse(place, `${name} has no statement`);
      const last = steps.at(-1);
      if (last && isPartEnd(last)) this.refuse(last.place, "commit stands below all statements; remove it");
    }
  }

  /**
   * Begins a section of the file. Directives that stand after the last statement of the previous section belong to none and
   * are refused.
   */
  private enter(section: Reader["section"]): void {
    this.section = section;
    if (section === "name" || section === "invariant") this.tables = this.common;
    this.next.requireNone();
  }
}

/** Reads the tables of scripts, their rows and invariants. Above all directives the text is the schema. */
export function readTables(text: string, file: string, settings: readonly Setting[]): ReadTables {
  return new Reader(text, file, undefined).readTables(settings);
}

/** @param file its name in messages, and the default name of the workload */
export function readSqlFile(text: string, file: string, syntax?: SqlSyntax): ReadProgram {
  return new Reader(text, file, syntax).read();
}
