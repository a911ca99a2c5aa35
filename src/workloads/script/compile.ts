// Compiles the steps of a transaction to plain operations, and decides which of them BEGIN and COMMIT enclose.
import type { Statement } from "../../database/sql.js";
import type { Branch, Expression, Program, ScriptTransaction, SqlStep, Step } from "./program.js";
import { countsRows, sqlStepsOf, statementsOf } from "./statements.js";
import type { TransactionBegin } from "./store.js";

/** A statement in the form in which it is sent, with its step. */
export interface SentStatement {
  readonly step: SqlStep;
  readonly statement: Statement;
  /** True if the statement can be sent without awaiting its answer: no later statement depends on its rows. */
  readonly canWait: boolean;
}

/** Present if the script puts the operation between \startpipeline and \endpipeline. */
interface InPipeline {
  readonly isPipelined?: true;
}

export type Operation =
  | ({ readonly kind: "sql" } & SentStatement & InPipeline)
  /** The texts are BEGIN and, if there is one, the statement with which the connection finds the tables. */
  | ({ readonly kind: "begin"; readonly texts: readonly string[] } & InPipeline)
  /** Sends what the pipeline holds, and awaits the answers. */
  | { readonly kind: "sync" }
  | { readonly kind: "commit" | "rollback"; readonly text: string }
  | Extract<Step, { readonly kind: "set" | "sleep" }>
  /** Jumps to the operation `to` if the condition does not hold. */
  | { readonly kind: "unless"; readonly condition: Expression; to: number }
  | { readonly kind: "jump"; to: number };

export interface CompiledTransaction {
  readonly transaction: ScriptTransaction;
  /** True if the transaction counts rows as its units of work. */
  readonly countsRows: boolean;
  /** Texts of BEGIN for statements outside of transactions; undefined if they need none. */
  readonly frame: readonly string[] | undefined;
  readonly operations: readonly Operation[];
}

type Jump = Extract<Operation, { readonly kind: "unless" | "jump" }>;

/** Pattern of a BEGIN without options. */
export const PLAIN_BEGIN = /^(BEGIN|START)(\s+(WORK|TRANSACTION))?$/i;

/** True if no later statement depends on the rows of the step, and the extended protocol can send it. */
function canAnswerWait({ bindings, columns, orEnd }: SqlStep, { isText }: Statement): boolean {
  return bindings.length === 0 && columns === undefined && orEnd !== true && isText !== true;
}

class Compiler {
  readonly operations: Operation[] = [];
  /** True between the beginning and the end of a pipeline of the script. */
  private isPipelined = false;

  constructor(
    private readonly statements: ReadonlyMap<SqlStep, Statement>,
    private readonly transactionBegin: TransactionBegin,
  ) {}

  /** @param written text in the script */
  begin(written?: string): void {
    this.operations.push({ kind: "begin", texts: this.beginTexts(written), ...this.placement });
  }

  private get placement(): InPipeline {
    return this.isPipelined ? { isPipelined: true } : {};
  }

  beginTexts(written?: string): string[] {
    const { begin, setUp, isNeeded } = this.transactionBegin;
    const isWrittenBeginKept = written !== undefined && !(isNeeded && PLAIN_BEGIN.test(written));
    const text = isWrittenBeginKept ? written : begin;
    return setUp === undefined ? [text] : [text, setUp];
  }

  add(steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.kind === "sql") {
        const statement = this.statements.get(step) as Statement;
        const canWait = canAnswerWait(step, statement);
        this.operations.push({ kind: "sql", step, statement, canWait, ...this.placement });
      } else if (step.kind === "if") this.addBranches(step.branches);
      else if (step.kind === "pipeline") this.addPipeline(step.does);
      else if (step.kind !== "control") this.operations.push(step);
      else if (step.does === "begin") this.begin(step.text);
      else this.operations.push({ kind: step.does, text: step.text });
    }
  }

  private addPipeline(does: "start" | "sync" | "end"): void {
    this.isPipelined = does !== "end";
    if (does !== "start") this.operations.push({ kind: "sync" });
  }

  private addBranches(branches: readonly Branch[]): void {
    const ends: Jump[] = [];
    for (const { condition, steps } of branches) {
      const test = condition && this.addJump({ kind: "unless", condition, to: 0 });
      this.add(steps);
      ends.push(this.addJump({ kind: "jump", to: 0 }));
      if (test) test.to = this.operations.length;
    }
    for (const end of ends) end.to = this.operations.length;
  }

  private addJump(jump: Jump): Jump {
    this.operations.push(jump);
    return jump;
  }
}

/** True if the transaction is a single statement that needs neither BEGIN nor COMMIT. */
function isSingleStatement(
  { name, parameters, steps, isReadOnly }: ScriptTransaction,
  { invariants }: Pick<Program, "invariants">,
): boolean {
  const [first, ...others] = sqlStepsOf(steps);
  // If the server returns the id, it must be known before COMMIT is sent, since the commit may get no answer.
  const isIdReturned = invariants.some(
    ({ acknowledged }) =>
      acknowledged?.transaction === name &&
      !parameters.some(({ variable }) => variable === acknowledged.variable),
  );
  const hasPause = steps.some(({ kind }) => kind === "sleep");
  if (first === undefined || others.length > 0 || isIdReturned || hasPause) return false;
  return isReadOnly || first.expect === undefined;
}

function hasStep(steps: readonly Step[], isSought: (step: Step) => boolean): boolean {
  return steps.some(
    (step) =>
      isSought(step) ||
      (step.kind === "if" && step.branches.some((branch) => hasStep(branch.steps, isSought))),
  );
}

const isCommit = (step: Step): boolean => step.kind === "control" && step.does === "commit";

/** True if a script of the program uses \startpipeline. */
export function hasPipeline({ transactions }: Pick<Program, "transactions">): boolean {
  return transactions.some(({ steps }) => hasStep(steps, ({ kind }) => kind === "pipeline"));
}

/** True if a transaction of the program ends with COMMIT even on a connection that finds its tables without a `SET`. */
export function sendsCommits(program: Program): boolean {
  return program.transactions.some((transaction) =>
    transaction.isWhole ? !isSingleStatement(transaction, program) : hasStep(transaction.steps, isCommit),
  );
}

/** Compiles the transactions of a program into lists of operations. */
export function compile(
  program: Program,
  beginOf: (isReadOnly: boolean) => TransactionBegin,
): CompiledTransaction[] {
  const statements = statementsOf(program);
  return program.transactions.map((transaction) => {
    const { steps, isWhole, isReadOnly } = transaction;
    const transactionBegin = beginOf(isReadOnly);
    const { setUp, isNeeded } = transactionBegin;
    const compiler = new Compiler(statements, transactionBegin);
    const needsBegin =
      isWhole && (isNeeded || setUp !== undefined || !isSingleStatement(transaction, program));
    if (needsBegin) compiler.begin();
    compiler.add(steps);
    if (needsBegin) compiler.operations.push({ kind: "commit", text: "COMMIT" });
    const frame = !isWhole && (isNeeded || setUp !== undefined) ? compiler.beginTexts() : undefined;
    return { transaction, countsRows: countsRows(transaction), frame, operations: compiler.operations };
  });
}
