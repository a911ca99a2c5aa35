// The way out of errors, by SQLSTATE and, if a code has several causes, by the message.
import {
  codeOf,
  ExitCode,
  messageOf,
  TargetError,
  TrainSimError,
  TrialError,
} from "../../foundation/errors.js";
import { storageError } from "../../foundation/storage-error.js";
import { quoteIdentifier } from "./quoting.js";
import { StatementError } from "../errors.js";
import { classifyFailure } from "./sqlstates.js";

export interface Remedy {
  /** Error code, or the first characters of the codes of a class. */
  readonly code: string;
  /** Pattern of the message; its groups are names that `way` repeats. Default: any message. */
  readonly detail?: RegExp;
  readonly advice: string | ((...names: string[]) => string);
}

const LOWER_CLIENTS_ADVICE = "or lower the scenario's clients";
const READ_LOG_ADVICE = "Read the server's log.";
const NAME_POOLER_ADVICE =
  "If a pooler is there, name the database server in target.url and the pooler in pool.url, with pool.strategy: pgbouncer.";

export const FAILURE_REMEDIES: readonly Remedy[] = [
  {
    code: "53300",
    detail: /for role "(.+)"/,
    advice: (role = "") =>
      `ALTER ROLE ${quoteIdentifier(role)} CONNECTION LIMIT -1; ${LOWER_CLIENTS_ADVICE}.`,
  },
  {
    code: "53300",
    detail: /for database "(.+)"/,
    advice: (name = "") =>
      `ALTER DATABASE ${quoteIdentifier(name)} CONNECTION LIMIT -1; ${LOWER_CLIENTS_ADVICE}.`,
  },
  {
    code: "53300",
    advice: `Raise max_connections there, close other sessions, ${LOWER_CLIENTS_ADVICE}.`,
  },
  {
    code: "08P01",
    detail: /max_client_conn/,
    advice: `Raise max_client_conn of the pooler, ${LOWER_CLIENTS_ADVICE}.`,
  },
  {
    code: "08P01",
    detail: /unsupported startup parameter:? ?"?(\w*)/,
    advice: (name = "") => `Add ${name || "it"} to ignore_startup_parameters of the PgBouncer there.`,
  },
  { code: "08P01", detail: /transaction blocks not allowed/, advice: NAME_POOLER_ADVICE },
  { code: "08P01", detail: /prepared statement did not exist/, advice: NAME_POOLER_ADVICE },
  { code: "26000", advice: NAME_POOLER_ADVICE },
  { code: "42P05", advice: NAME_POOLER_ADVICE },
  {
    code: "57014",
    detail: /statement timeout/,
    advice: "Raise statement_timeout of the role, the database or the server; 0 is no limit.",
  },
  {
    code: "57014",
    detail: /user request/,
    advice: "Another session cancelled the statement: find out which, and run again.",
  },
  { code: "57014", advice: "Run again, and read the server's log if it happens again." },
  {
    code: "55P03",
    advice:
      "Another session holds a lock: look at pg_locks and pg_stat_activity, and end that session or wait for it.",
  },
  {
    code: "25P03",
    advice:
      "Raise idle_in_transaction_session_timeout of the role, the database or the server; 0 is no limit.",
  },
  {
    code: "25P04",
    advice: "Raise transaction_timeout of the role, the database or the server; 0 is no limit.",
  },
  {
    code: "57P05",
    advice: "Raise idle_session_timeout of the role, the database or the server; 0 is no limit.",
  },
  {
    code: "25006",
    detail: /during recovery|is a standby/,
    advice: "Name the server that is the primary, or all of them.",
  },
  {
    code: "25006",
    advice:
      "Set default_transaction_read_only = off for the role, the database or the server, or name the primary.",
  },
  {
    code: "23",
    advice:
      "If the error is expected, catch it in SQL: ON CONFLICT DO NOTHING, or a function with an EXCEPTION block.",
  },
  { code: "42501", advice: "Grant the role the right that the message names, or use another role." },
  { code: "53100", advice: "Free space on the server's disk." },
  {
    code: "53200",
    detail: /shared memory/,
    advice: "Raise max_locks_per_transaction or the memory that the message names.",
  },
  { code: "53200", advice: "Give the server more memory, or lower work_mem, shared_buffers or the clients." },
  { code: "53400", advice: "Raise the limit that the message names." },
  { code: "54", advice: "Make the value or the statement smaller than the limit that the message names." },
  { code: "57P03", advice: "Try again in a moment." },
  { code: "57P", advice: "Check that the server is still running, and read its log." },
  { code: "58", advice: "Check the server's disk and files, and read its log." },
  { code: "XX", advice: READ_LOG_ADVICE },
  { code: "08", advice: "Check that the server is still running, and read its log." },
];

/** System calls that change a file system. */
const WRITING_SYSTEM_CALLS: ReadonlySet<string> = new Set([
  "open",
  "write",
  "mkdir",
  "rename",
  "copyfile",
  "fsync",
  "rm",
  "rmdir",
  "unlink",
]);

const SYSTEM_REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: "Raise the limit of open files (ulimit -n), or lower the clients.",
  ENFILE: "Raise the machine's limit of open files (fs.file-max), or lower the clients.",
  ENOMEM: "Free memory on this machine, or lower the clients.",
  EAGAIN: "Raise the limit of processes (ulimit -u), or lower the workers.",
  ENOSPC: "Free some space, or choose another disk.",
};

export function remedyOf(error: unknown): string | undefined {
  const cause = causeOf(error);
  const code = codeOf(cause) ?? "";
  const message = messageOf(cause);
  for (const remedy of FAILURE_REMEDIES) {
    if (!code.startsWith(remedy.code)) continue;
    const match = (remedy.detail ?? /^/).exec(message);
    if (!match) continue;
    return typeof remedy.advice === "string" ? remedy.advice : remedy.advice(...match.slice(1));
  }
  return undefined;
}

function causeOf(error: unknown): unknown {
  return error instanceof StatementError ? error.cause : error;
}

function isServerError(error: unknown): boolean {
  return error instanceof Error && "severity" in error && /^[0-9A-Z]{5}$/.test(codeOf(error) ?? "");
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && codeOf(error) !== undefined;
}

/** The error in words for users; undefined if only a bug of this program can have caused it. */
export function explain(error: unknown): TrainSimError | undefined {
  if (error instanceof TrainSimError) return error;
  const cause = causeOf(error);
  const { kind, sqlstate } = classifyFailure(cause);
  if (isServerError(cause)) {
    const message = `the server refused a statement: ${messageOf(error)} (SQLSTATE ${sqlstate})`;
    const hint =
      remedyOf(cause) ?? `If the statement is train-sim's own, check the server's version; else correct it.`;
    return kind === "reconnect"
      ? new TargetError(message, hint, { cause: error })
      : new TrialError(message, hint, { cause: error });
  }
  if (kind === "reconnect")
    return new TargetError(
      `the connection to a server was lost: ${messageOf(error)}`,
      remedyOf(cause) ?? "Check that the server is still running, and read its log.",
      { cause: error },
    );
  if (!isSystemError(cause)) return undefined;
  return cause.path !== undefined && WRITING_SYSTEM_CALLS.has(cause.syscall ?? "")
    ? storageError(cause, cause.path)
    : new TrainSimError(
        `the operating system refused: ${messageOf(error)}`,
        ExitCode.unexpected,
        SYSTEM_REMEDIES[sqlstate] ?? "Check the limits and the disk of this machine.",
        { cause: error },
      );
}
