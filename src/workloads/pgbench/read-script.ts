// SQL with meta commands. A statement ends at a semicolon or where a meta command begins.
import { nearest } from "../../syntax/nearest.js";
import { parseExpression, variablesOf } from "../script/expression.js";
import type { Expression, FileProblem, Parameter, Place, SqlStep, Step } from "../script/program.js";
import { placeIn, statementsOf, tokenAt, wordsOf } from "../script/sql-text.js";
import type { CutStatement, Token } from "../script/sql-text.js";
import { pauseOf } from "../script/pause.js";
import { BUILT_IN_VARIABLES, scriptProblem } from "../script/statement-rules.js";
import { sqlStepsOf } from "../script/statements.js";
import { openTransactionsAfter } from "./open-transactions.js";
import { joinQuotedSql, splitAtQuotedVariables, type QuotedSql } from "./quoted-variables.js";
import {
  COMMANDS,
  CONTINUATION,
  META_LINE,
  PIPELINE_STEPS,
  REFUSED_COMMANDS,
  type MetaCommand,
} from "./meta-commands.js";

type Columns = NonNullable<SqlStep["columns"]>;
type StepTraits = Pick<SqlStep, "orEnd" | "countsRows">;
type ControlStep = Extract<Step, { readonly kind: "control" }>;

export interface ScriptParameter extends Parameter {
  /** Text of the expression, as written. */
  readonly text: string;
  readonly place: Place;
}

export interface Script {
  /** Variables that the script sets before its first statement. */
  readonly parameters: readonly ScriptParameter[];
  readonly steps: readonly Step[];
}

export interface ReadScript {
  readonly script: Script;
  readonly problems: readonly FileProblem[];
}

interface OpenCondition {
  readonly place: Place;
  readonly branches: { readonly condition?: Expression; readonly steps: Step[] }[];
  hasElse: boolean;
}

/** Pattern of a comment with a directive for the statement below it. pgbench skips it as a comment. */
const DIRECTIVE_COMMENT = /--[ \t]*(or end|counts: ?rows)[ \t]*$/gm;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
const ROLLBACK_TO_SAVEPOINT = /^(ROLLBACK|ABORT)( WORK| TRANSACTION)? TO\b/;

function transactionControlOf(words: readonly string[]): ControlStep["does"] | undefined {
  const [verb = "", second] = words;
  if (verb === "BEGIN" || (verb === "START" && second === "TRANSACTION")) return "begin";
  if (second === "PREPARED") return undefined;
  if (verb === "COMMIT" || verb === "END") return "commit";
  if (verb !== "ROLLBACK" && verb !== "ABORT") return undefined;
  return ROLLBACK_TO_SAVEPOINT.test(words.join(" ")) ? undefined : "rollback";
}

class ScriptReader {
  readonly problems: FileProblem[] = [];
  private readonly parameters: ScriptParameter[] = [];
  private readonly steps: Step[] = [];
  private readonly open: OpenCondition[] = [];
  /** Place of the \\startpipeline whose \\endpipeline is still to come, and the list of its steps. */
  private pipeline: { readonly place: Place; readonly steps: Step[] } | undefined;
  /** Tokens of SQL that are not cut into statements yet. */
  private pending: Token[] = [];
  private readonly variables: Set<string>;
  private readonly prefixes: string[] = [];

  constructor(
    private readonly text: string,
    private readonly file: string,
    definedVariables: readonly string[],
  ) {
    this.variables = new Set([...BUILT_IN_VARIABLES, ...definedVariables]);
  }

  read(): ReadScript {
    let at = 0;
    for (let token = tokenAt(this.text, at); token; token = tokenAt(this.text, at)) {
      at = token.at + token.text.length;
      if (token.kind === "unended") {
        this.refuse(this.placeAt(token.at), `${token.text} begins here and does not end`);
        break;
      }
      const isBackslash = token.kind === "symbol" && token.text === "\\";
      const escapePattern = isBackslash ? /[;:]/y : undefined;
      if (escapePattern) escapePattern.lastIndex = at;
      const [mark] = escapePattern?.exec(this.text) ?? [];
      if (!isBackslash) this.pending.push(token);
      else if (mark === undefined) at = this.takeMeta(token.at);
      else {
        this.pending.push({ kind: "symbol", text: mark === ";" ? "\\;" : ":", at: token.at });
        at++;
      }
    }
    this.takeSql();
    for (const { place } of this.open) this.refuse(place, "\\if has no \\endif");
    if (this.pipeline) this.refuse(this.pipeline.place, "\\startpipeline has no \\endpipeline");
    if (this.problems.length === 0) this.requireCompleteScript();
    return { script: { parameters: this.parameters, steps: this.steps }, problems: this.problems };
  }

  private refuse(place: Place, message: string): void {
    this.problems.push({ file: this.file, place, message });
  }

  private placeAt(at: number): Place {
    return { ...placeIn(this.text, at), file: this.file };
  }

  private isKnown(name: string): boolean {
    return this.variables.has(name) || this.prefixes.some((prefix) => name.startsWith(prefix));
  }

  private requireKnownVariables(names: readonly string[], place: Place): void {
    for (const name of new Set(names))
      if (!this.isKnown(name))
        this.refuse(place, `${name} has no value; write \\set ${name} ... above, or define it`);
  }

  /** List to which the next step is added: the script's own or that of the innermost open branch. */
  private get current(): Step[] {
    return this.open.at(-1)?.branches.at(-1)?.steps ?? this.steps;
  }

  private takeMeta(at: number): number {
    META_LINE.lastIndex = at;
    const [line = ""] = META_LINE.exec(this.text) ?? [];
    const flat = line.replace(CONTINUATION, (end) => " ".repeat(end.length));
    const [head = "", name = ""] = /^\\(\S*)\s*/.exec(flat) ?? [];
    const meta = {
      name: name.toLowerCase(),
      place: this.placeAt(at),
      valueAt: at + head.length,
      value: flat.slice(head.length).trimEnd(),
    };
    if (meta.name === "gset" || meta.name === "aset") this.takeColumns(meta);
    else {
      this.takeSql();
      this.takeCommand(meta);
    }
    return at + line.length;
  }

  private takeCommand(meta: MetaCommand): void {
    const { name, place } = meta;
    const refused = REFUSED_COMMANDS[name];
    if (refused !== undefined) {
      this.refuse(place, `\\${name} is refused: it ${refused}`);
      return;
    }
    const pipelineStep = PIPELINE_STEPS[name];
    if (pipelineStep !== undefined) {
      this.requireNoArgument(meta);
      this.takePipeline(pipelineStep, meta);
      return;
    }
    switch (name) {
      case "set":
        this.readSetCommand(meta);
        return;
      case "sleep":
        this.readSleepCommand(meta);
        return;
      case "if":
        this.open.push({ place, branches: [], hasElse: false });
        this.addBranch(meta, this.conditionOf(meta));
        return;
      case "elif":
        this.addBranch(meta, this.conditionOf(meta));
        return;
      case "else":
        this.requireNoArgument(meta);
        this.addBranch(meta);
        return;
      case "endif":
        this.requireNoArgument(meta);
        this.endIf(place);
        return;
    }
    const near = nearest(name, [...COMMANDS, ...Object.keys(REFUSED_COMMANDS)]);
    this.refuse(
      place,
      `\\${name} is not a command of pgbench${near === undefined ? "" : `; did you mean \\${near}?`}`,
    );
  }

  private requireNoArgument({ name, value, place }: MetaCommand): void {
    if (value !== "") this.refuse(place, `\\${name} takes nothing behind it`);
  }

  private expressionIn(text: string, at: number): Expression | undefined {
    const parsed = parseExpression(text);
    if (!("expression" in parsed)) {
      this.refuse(this.placeAt(at + parsed.column - 1), parsed.message);
      return undefined;
    }
    this.requireKnownVariables(variablesOf(parsed.expression), this.placeAt(at));
    return parsed.expression;
  }

  private readSetCommand({ place, value, valueAt }: MetaCommand): void {
    const [head, variable = "", text = ""] = /^([A-Za-z_]\w*)\s+(?=\S)(.*)$/s.exec(value) ?? [];
    if (head === undefined) {
      this.refuse(place, "expected \\set name expression, such as \\set aid random(1, 100)");
      return;
    }
    const expression = this.expressionIn(text, valueAt + value.length - text.length);
    this.variables.add(variable);
    if (!expression) return;
    const isBeforeStatements = this.steps.length === 0 && this.open.length === 0;
    if (isBeforeStatements)
      this.parameters.push({ variable, expression, text: text.replace(/\s+/g, " "), place });
    else this.current.push({ kind: "set", variable, expression, place });
  }

  private readSleepCommand({ place, value }: MetaCommand): void {
    const pause = pauseOf(value);
    if (!pause) {
      this.refuse(
        place,
        "expected \\sleep number [us | ms | s], such as \\sleep 10 ms; the number may be :name",
      );
      return;
    }
    if (pause.variable !== undefined) this.requireKnownVariables([pause.variable], place);
    this.current.push({ kind: "sleep", forMs: pause.forMs, place });
  }

  private conditionOf({ name, value, valueAt, place }: MetaCommand): Expression | undefined {
    if (value === "") this.refuse(place, `\\${name} has no condition`);
    return value === "" ? undefined : this.expressionIn(value, valueAt);
  }

  private addBranch({ name, place }: MetaCommand, condition?: Expression): void {
    const last = this.open.at(-1);
    if (!last) {
      this.refuse(place, `\\${name} without \\if`);
      return;
    }
    if (last.hasElse) this.refuse(place, `\\${name} behind \\else`);
    if (name === "else") last.hasElse = true;
    last.branches.push({ ...(condition && { condition }), steps: [] });
  }

  private endIf(place: Place): void {
    const last = this.open.pop();
    if (!last) {
      this.refuse(place, "\\endif without \\if");
      return;
    }
    this.current.push({ kind: "if", branches: last.branches, place: last.place });
  }

  private takePipeline(does: "start" | "sync" | "end", { name, place }: MetaCommand): void {
    const { pipeline } = this;
    const problem =
      does === "start"
        ? pipeline && `within a pipeline, which begins in line ${pipeline.place.line}; write \\endpipeline`
        : !pipeline
          ? "without \\startpipeline"
          : pipeline.steps !== this.current && "must stand in the same branch of \\if as its \\startpipeline";
    if (problem) this.refuse(place, `\\${name} ${problem}`);
    if (does !== "sync") this.pipeline = does === "start" ? { place, steps: this.current } : undefined;
    this.current.push({ kind: "pipeline", does, place });
  }

  private takeColumns({ name, value: prefix, place }: MetaCommand): void {
    const columns: Columns = { prefix, of: name === "gset" ? "only row" : "last row" };
    if (prefix !== "" && !VARIABLE_NAME.test(prefix))
      this.refuse(place, `${prefix} is not the beginning of a name of a variable`);
    if (this.pipeline)
      this.refuse(place, `\\${name} needs an answer, and a pipeline awaits none before \\endpipeline`);
    if (!this.takeSql(columns)) this.refuse(place, `\\${name} follows no statement`);
    this.prefixes.push(prefix);
  }

  /**
   * Adds the pending statements; returns false if there are none.
   * @param columns variables for the columns of the last one
   */
  private takeSql(columns?: Columns): boolean {
    const { statements } = statementsOf(this.pending, (at) => this.placeAt(at));
    const traits = this.traitsOf(statements);
    this.pending = [];
    let group: CutStatement[] = [];
    for (const [i, statement] of statements.entries()) {
      group.push(statement);
      const isLast = i === statements.length - 1;
      if (statement.isJoined && !isLast) continue;
      this.takeGroup(
        group,
        isLast ? columns : undefined,
        group.length > 1 ? {} : (traits.get(statement) ?? {}),
      );
      group = [];
    }
    return statements.length > 0;
  }

  /** Directives of each statement, from the comments above it or between the last statement and its meta command. */
  private traitsOf(statements: readonly CutStatement[]): ReadonlyMap<CutStatement, StepTraits> {
    const traits = new Map<CutStatement, StepTraits>();
    for (const { kind, text, at } of this.pending)
      for (const { 1: words, index } of kind === "blank" ? text.matchAll(DIRECTIVE_COMMENT) : []) {
        const from = this.placeAt(at + index);
        const statement = statements.find(({ place }) => place.line > from.line) ?? statements.at(-1);
        const more: StepTraits = words === "or end" ? { orEnd: true } : { countsRows: true };
        if (statement) traits.set(statement, { ...traits.get(statement), ...more });
        else this.refuse(from, `${words ?? ""} stands above no statement`);
      }
    return traits;
  }

  /** Adds statements that `\;` joins, as one message unless one of them must be sent alone. */
  private takeGroup(group: readonly CutStatement[], columns: Columns | undefined, traits: StepTraits): void {
    const areSentSeparately =
      columns?.of === "last row" || group.some((each) => transactionControlOf(wordsOf(each)) !== undefined);
    const statements = group.map((each) => this.statementOf(each));
    const [first, ...others] = statements;
    if (!first) return;
    if (!areSentSeparately && others.length > 0)
      this.addStatement(joinQuotedSql(statements), columns, { isMessage: true });
    else
      for (const [i, each] of statements.entries())
        this.addStatement(
          each,
          i === others.length || columns?.of === "last row" ? columns : undefined,
          traits,
        );
  }

  /** A statement with its quoted variables, as it is sent. */
  private statementOf(statement: CutStatement): QuotedSql {
    const { variables, place } = statement;
    const words = wordsOf(statement);
    const problem = transactionControlOf(words) === undefined ? scriptProblem(statement) : undefined;
    if (problem !== undefined) this.refuse(place, problem);
    this.requireKnownVariables(variables, place);
    const { sql, misplaced } = splitAtQuotedVariables(statement, words[0] === "DO", (name) =>
      this.isKnown(name),
    );
    for (const problem of misplaced) this.refuse(place, problem);
    return sql;
  }

  private addStatement(
    sql: QuotedSql,
    columns: Columns | undefined,
    more: Pick<SqlStep, "isMessage"> & StepTraits,
  ): void {
    const words = wordsOf(sql);
    const does = transactionControlOf(words);
    if (does === undefined || more.isMessage) {
      this.current.push({ kind: "sql", ...sql, bindings: [], ...(columns && { columns }), ...more });
      return;
    }
    const { place, pieces, variables } = sql;
    if (variables.length > 0) this.refuse(place, `${words[0] ?? ""} takes no variable`);
    if (columns) this.refuse(place, `${words[0] ?? ""} returns no row`);
    if (/\bAND CHAIN$/.test(words.join(" ")))
      this.refuse(place, "AND CHAIN is not supported; write BEGIN behind it");
    this.current.push({ kind: "control", does, text: pieces.join(""), place });
  }

  private requireCompleteScript(): void {
    if (sqlStepsOf(this.steps).length === 0) this.refuse(this.placeAt(0), "the script has no statement");
    for (const begin of openTransactionsAfter(this.steps, (place, message) => this.refuse(place, message)))
      if (begin)
        this.refuse(begin, "the script may end inside of the transaction that begins here; write END");
  }
}

/** @param definedVariables variables that have a value before the script begins */
export function readScript(text: string, file: string, definedVariables: readonly string[]): ReadScript {
  return new ScriptReader(text, file, definedVariables).read();
}
