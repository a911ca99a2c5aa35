// Reads a server's log (csvlog, or stderr with any log_line_prefix) into transactions by session.
import { createReadStream } from "node:fs";
import { messageOf, UsageError } from "../foundation/errors.js";
import { tokensOf } from "../workloads/own.js";
import { readStatement, type Statement } from "./statement.js";

export interface LoggedStatement {
  readonly statement: Statement;
  /** Values of the slots of each transaction that was kept; null stands for NULL. */
  readonly values: (string | null)[][];
}

/** Transactions of the same statements in the same order. */
export interface LoggedKind {
  readonly statements: readonly LoggedStatement[];
  calls: number;
  totalMs: number;
}

export interface LogReading {
  readonly kinds: readonly LoggedKind[];
  /** Seconds between the first and the last statement. */
  readonly seconds: number;
  /** Statements that are no part of transactions, such as SET, with their numbers. */
  readonly others: ReadonlyMap<string, number>;
  readonly rolledBack: number;
  /** Number of log entries of statements. */
  readonly entries: number;
  readonly hasSessions: boolean;
  /** True if the log has times of statements. */
  readonly hasDurations: boolean;
}

interface Entry {
  readonly session: string;
  readonly severity: string;
  readonly message: string;
  readonly detail: string;
  readonly atMs: number;
}

interface Executed {
  readonly text: string;
  values: readonly (string | null)[];
  ms: number;
}

interface Session {
  open: Executed[] | undefined;
  last: Executed | undefined;
  /** A statement outside of a transaction: it is complete once the session's next entry begins. */
  single: Executed | undefined;
  /** Time of parsing and binding the next statement. */
  preparingMs: number;
  /** True if the session's last entry executed a statement, so that the parameters behind it are its own. */
  isExecuting: boolean;
}

const KEPT_TRANSACTIONS = 1_000;
const KINDS_MAX = 20_000;
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?/;
const BEGIN = /^\s*(begin|start\s+transaction)\b/i;
const COMMIT = /^\s*(commit|end)\b(?!\s+prepared)/i;
const ROLLBACK = /^\s*(rollback|abort)\b(?!\s+(to|prepared)\b)/i;
const LEARNABLE = /^\s*(select|insert|update|delete|merge|with|values|table|call)\b/i;
/** Comment that train-sim puts into the statements with which it learns, and names that only it uses. */
export const OWN_STATEMENT =
  /\/\* train-sim \*\/|\btrain_sim|^SET LOCAL (statement|lock)_timeout = ('30s'|'2s'|\$1)$|^SET idle_session_timeout = (0|\$1)$/;
const CONTROL_INSIDE = /^\s*(savepoint|release|rollback\s+to)\b/i;
export const CATALOGUE_QUERY =
  /\b(from|join)\s+("?pg_catalog"?\s*\.|information_schema\s*\.|pg_(?!temp)\w+)/i;

export const controlOf = (text: string): "begin" | "commit" | "rollback" | undefined => {
  if (BEGIN.test(text)) return "begin";
  if (COMMIT.test(text)) return "commit";
  return ROLLBACK.test(text) ? "rollback" : undefined;
};
const withoutComments = (text: string): string => text.replaceAll(/^(?:\s|--[^\n]*\n|\/\*[^]*?\*\/)+/g, "");
export const isLearnable = (text: string): boolean => LEARNABLE.test(withoutComments(text));

/** Records of a CSV file, whose fields may hold line breaks. */
async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let fields: string[] = [];
  let field = "";
  let isQuoted = false;
  let wasQuote = false;
  for await (const chunk of chunks)
    for (const character of chunk) {
      if (isQuoted) {
        if (wasQuote && character === '"') field += '"';
        else if (wasQuote) isQuoted = false;
        else if (character !== '"') field += character;
        wasQuote = character === '"' && !wasQuote;
        if (isQuoted) continue;
        wasQuote = false;
      }
      if (character === '"') isQuoted = true;
      else if (character === ",") {
        fields.push(field);
        field = "";
      } else if (character === "\n") {
        yield [...fields, field];
        fields = [];
        field = "";
      } else if (character !== "\r") field += character;
    }
}

const CSV = { time: 0, database: 2, session: 5, severity: 11, message: 13, detail: 14 } as const;
const CSV_FIELDS_MIN = 23;

async function* csvEntries(chunks: AsyncIterable<string>, database: string): AsyncGenerator<Entry> {
  for await (const fields of csvRecords(chunks)) {
    if (fields.length < CSV_FIELDS_MIN || fields[CSV.database] !== database) continue;
    yield {
      session: fields[CSV.session] ?? "",
      severity: fields[CSV.severity] ?? "",
      message: fields[CSV.message] ?? "",
      detail: fields[CSV.detail] ?? "",
      atMs: Date.parse(`${TIME.exec(fields[CSV.time] ?? "")?.[0] ?? ""}Z`),
    };
  }
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

const LINE =
  /^(.*?)\b(LOG|DETAIL|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|HINT|CONTEXT|STATEMENT|QUERY|LOCATION|DEBUG\d?): {2}(.*)$/;

/** Entries of the log that the server writes to stderr: an entry's further lines begin with a tab. */
async function* stderrEntries(chunks: AsyncIterable<string>): AsyncGenerator<Entry> {
  let entry: { session: string; severity: string; lines: string[]; atMs: number } | undefined;
  const finished = (): Entry[] => (entry ? [{ ...entry, message: entry.lines.join("\n"), detail: "" }] : []);
  for await (const line of linesOf(chunks)) {
    const [, prefix = "", severity, message = ""] = line.startsWith("\t") ? [] : (LINE.exec(line) ?? []);
    if (severity === undefined) {
      entry?.lines.push(line.replace(/^\t/, ""));
      continue;
    }
    yield* finished();
    const session =
      /\[(\d+)(?:-\d+)?\]/.exec(prefix)?.[1] ?? /\b[0-9a-f]{8}\.[0-9a-f]+\b/.exec(prefix)?.[0] ?? "";
    entry = { session, severity, lines: [message], atMs: Date.parse(`${TIME.exec(prefix)?.[0] ?? ""}Z`) };
  }
  yield* finished();
}

/** Values of `$1 = 'a', $2 = NULL`, in order. */
export function parametersIn(text: string): (string | null)[] {
  return [...text.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)'(?:\.\.\.)?)/g)].map(([all, value]) =>
    all.endsWith("NULL") && value === undefined ? null : (value ?? "").replaceAll("''", "'"),
  );
}

/** The value of a constant as the server would get it as a parameter. */
function valueOfConstant(text: string): string {
  const [, inside] = /^[eEnN]?'([^]*)'$/.exec(text) ?? [];
  return inside === undefined ? text : inside.replaceAll("''", "'");
}

/** Statements of a message of the simple protocol, which may hold several. */
function statementsOfMessage(text: string): string[] {
  const parts = [""];
  for (const { kind, text: part } of tokensOf(text)) {
    if (kind === "symbol" && part === ";") parts.push("");
    else parts[parts.length - 1] = (parts.at(-1) ?? "") + part;
  }
  return parts.filter((part) => part.trim() !== "");
}

/** Collects the transactions of one way of logging. */
class Collector {
  readonly kinds = new Map<string, LoggedKind>();
  readonly others = new Map<string, number>();
  private readonly sessions = new Map<string, Session>();
  private readonly statements = new Map<string, Statement>();
  rolledBack = 0;
  entries = 0;
  hasDurations = false;
  firstMs = Number.NaN;
  lastMs = Number.NaN;

  take(
    { session: id, atMs }: Entry,
    text: string,
    ms: number | undefined,
    values: readonly (string | null)[],
  ): void {
    this.entries++;
    if (ms !== undefined) this.hasDurations = true;
    if (!Number.isNaN(atMs)) {
      if (Number.isNaN(this.firstMs)) this.firstMs = atMs;
      this.lastMs = atMs;
    }
    const session = this.session(id);
    const parts = /;\s*\S/.test(text) ? statementsOfMessage(text) : [text];
    const wholeMs = (ms ?? 0) + session.preparingMs;
    session.preparingMs = 0;
    session.isExecuting = true;
    for (const part of parts)
      if (!OWN_STATEMENT.test(part)) this.takeStatement(session, part, wholeMs / parts.length, values);
  }

  private takeStatement(session: Session, text: string, ms: number, values: Executed["values"]): void {
    this.endSingle(session);
    const control = controlOf(text);
    session.last = { text, values, ms };
    if (control === "begin") session.open = [];
    else if (control === "commit") {
      if (session.open && session.open.length > 0) this.emit(session.open);
      session.open = undefined;
    } else if (control === "rollback") {
      if (session.open) this.rolledBack++;
      session.open = undefined;
    } else if (!isLearnable(text)) {
      const [word = ""] = /^\s*\w+/.exec(withoutComments(text)) ?? [];
      if (!CONTROL_INSIDE.test(text))
        this.others.set(word.trim().toUpperCase(), (this.others.get(word.trim().toUpperCase()) ?? 0) + 1);
    } else if (CATALOGUE_QUERY.test(text))
      this.others.set("catalogue queries", (this.others.get("catalogue queries") ?? 0) + 1);
    else if (session.open) session.open.push(session.last);
    else session.single = session.last;
  }

  /** Adds to the session's last statement the values of its parameters. */
  addValues(id: string, values: readonly (string | null)[]): void {
    const { last, isExecuting } = this.session(id);
    if (last && isExecuting) last.values = values;
  }

  addDuration(id: string, ms: number): void {
    const { last } = this.session(id);
    if (last) last.ms += ms;
    this.hasDurations = true;
  }

  /** Adds the time of an entry that prepares the session's next statement: its parameters follow once more. */
  addPreparing(id: string, ms: number): void {
    const session = this.session(id);
    session.preparingMs += ms;
    session.isExecuting = false;
  }

  end(): void {
    for (const session of this.sessions.values()) this.endSingle(session);
  }

  private session(id: string): Session {
    const session = this.sessions.get(id) ?? {
      ...{ open: undefined, last: undefined, single: undefined },
      ...{ preparingMs: 0, isExecuting: false },
    };
    this.sessions.set(id, session);
    return session;
  }

  private endSingle(session: Session): void {
    if (session.single) this.emit([session.single]);
    session.single = undefined;
  }

  private read(text: string): Statement {
    const statement = this.statements.get(text) ?? readStatement(text, true);
    // Texts with constants differ from one call to the next and are not worth keeping.
    if (statement.slots.every(({ constant }) => constant === undefined)) this.statements.set(text, statement);
    return statement;
  }

  private emit(executed: readonly Executed[]): void {
    const statements = executed.map(({ text }) => this.read(text));
    const key = statements
      .map(({ pieces }) => pieces.join("?"))
      .join(";\n")
      .toLowerCase();
    let kind = this.kinds.get(key);
    if (!kind) {
      if (this.kinds.size >= KINDS_MAX) return;
      kind = { statements: statements.map((statement) => ({ statement, values: [] })), calls: 0, totalMs: 0 };
      this.kinds.set(key, kind);
    }
    kind.calls++;
    kind.totalMs += executed.reduce((sum, { ms }) => sum + ms, 0);
    if (kind.calls > KEPT_TRANSACTIONS) return;
    for (const [i, { slots }] of statements.entries()) {
      const { values = [] } = executed[i] ?? {};
      kind.statements[i]?.values.push(
        slots.map(({ number, constant }) =>
          constant === undefined ? (values[(number ?? 0) - 1] ?? null) : valueOfConstant(constant),
        ),
      );
    }
  }
}

const STATEMENT = /^(?:duration: ([\d.]+) ms {2})?(?:statement|execute (?!fetch from )[^:]*): ([^]*)$/;
/** An entry about a statement that is logged once more when it is executed. */
const PREPARING = /^duration: ([\d.]+) ms {2}(?:parse|bind|execute fetch from) [^:]*: /;
const PLAN =
  /^duration: ([\d.]+) ms {2}plan:\s*Query Text: ([^]*?)\n(?:Query Parameters: ([^\n]*)\n)?(?=[A-Z][\w ]*\b.*\(cost=|[A-Z]\w+ )/;
const DURATION = /^duration: ([\d.]+) ms$/;
const PARAMETERS = /^[Pp]arameters: /;

/** @param database name of the database: entries of others in a csvlog are skipped */
export async function readLog(files: readonly string[], database: string): Promise<LogReading> {
  const statements = new Collector();
  const plans = new Collector();
  let hasSessions = true;
  for (const file of files) {
    const chunks = createReadStream(file, { encoding: "utf8" });
    const entries = file.endsWith(".csv") ? csvEntries(chunks, database) : stderrEntries(chunks);
    try {
      for await (const entry of entries) {
        const { session, severity, message, detail } = entry;
        if (session === "") hasSessions = false;
        if (severity === "DETAIL" && PARAMETERS.test(message))
          statements.addValues(session, parametersIn(message));
        if (severity !== "LOG") continue;
        const [, ms, text] = STATEMENT.exec(message) ?? [];
        const [, planMs, planText, planParameters] = PLAN.exec(message) ?? [];
        const [, duration] = DURATION.exec(message) ?? [];
        const [, preparing] = PREPARING.exec(message) ?? [];
        if (text !== undefined)
          statements.take(
            entry,
            text,
            ms === undefined ? undefined : Number(ms),
            PARAMETERS.test(detail) ? parametersIn(detail) : [],
          );
        else if (planText !== undefined)
          plans.take(entry, planText, Number(planMs), parametersIn(planParameters ?? ""));
        else if (duration !== undefined) statements.addDuration(session, Number(duration));
        else if (preparing !== undefined) statements.addPreparing(session, Number(preparing));
      }
    } catch (error) {
      throw new UsageError(`cannot read ${file}: ${messageOf(error)}`, "Name a readable file.", {
        cause: error,
      });
    }
  }
  // A plan repeats a statement that is logged itself.
  const chosen = statements.entries > 0 ? statements : plans;
  chosen.end();
  return {
    kinds: [...chosen.kinds.values()],
    seconds: (chosen.lastMs - chosen.firstMs) / 1000,
    others: chosen.others,
    rolledBack: chosen.rolledBack,
    entries: chosen.entries,
    hasSessions,
    hasDurations: chosen.hasDurations,
  };
}
