// A database of one table for tests of the retry protocol, behind `protocol-server.ts`: it keeps the inserted and committed
// events, has a real database's transaction states (after an error only ROLLBACK), and fails at places that its script
// chooses. It understands only the SQL of the workload's add and its look-up.
import type { Answer, Backend, Call, ServerError, TransactionStatus } from "./protocol-server.js";

/** A failure that a test plans for one call, in place of the call's effect or after it. */
export interface Mishap {
  /** Error that the client gets. Without it the connection closes. */
  readonly error?: ServerError | undefined;
  /** True for a COMMIT that takes effect despite the failure. */
  readonly isDone?: boolean;
}

/** Returns the failure of a statement, if any. `nth` counts statements with the same first word, from 1. */
export type Script = (word: string, nth: number) => Mishap | undefined;

/**
 * Keys in a binary array of uuid, as 32 hexadecimal digits each. The array has a header of 20 bytes, then length and bytes
 * of each element.
 */
function keysIn(array: Buffer | null | undefined): string[] {
  if (!array) throw new Error("the keys were expected as a binary array");
  return Array.from({ length: (array.length - 20) / 20 }, (_, index) =>
    array.toString("hex", 24 + index * 20, 40 + index * 20),
  );
}

interface Transaction {
  readonly keys: string[];
  hasFailed: boolean;
}

export class ScriptedDatabase implements Backend {
  /** Keys of the events that transactions have committed. */
  readonly committed = new Set<string>();
  /** First words of the statements of all sessions, in the order of arrival. An add transaction has one `INSERT`. */
  readonly heard: string[] = [];
  private readonly counts = new Map<string, number>();
  private readonly open = new Map<number, Transaction>();

  constructor(private readonly script: Script) {}

  status(session: number): TransactionStatus {
    const transaction = this.open.get(session);
    if (!transaction) return "I";
    return transaction.hasFailed ? "E" : "T";
  }

  answer(call: Call): Answer {
    const word = /^\s*(\w+)/.exec(call.text)?.[1]?.toUpperCase() ?? "";
    const nth = (this.counts.get(word) ?? 0) + 1;
    this.counts.set(word, nth);
    this.heard.push(word);
    const transaction = this.open.get(call.session);
    if (transaction?.hasFailed && word !== "ROLLBACK" && word !== "COMMIT")
      return {
        error: {
          code: "25P02",
          message: "current transaction is aborted, commands ignored until end of transaction block",
        },
      };
    const mishap = this.script(word, nth);
    if (!mishap || mishap.isDone) {
      const answer = this.run(word, call);
      if (!mishap) return answer;
    }
    return this.fail(call.session, word, mishap);
  }

  /** Fails a call. Like on real servers an error leaves a transaction open but failed, and an error of COMMIT ends it. */
  private fail(session: number, word: string, { error }: Mishap): Answer {
    const transaction = this.open.get(session);
    if (transaction) transaction.hasFailed = true;
    if (word === "COMMIT" || !error) this.open.delete(session);
    return error ? { error } : "hang-up";
  }

  private run(word: string, { session, text, parameters }: Call): Answer {
    const transaction = this.open.get(session);
    switch (word) {
      case "BEGIN":
        this.open.set(session, { keys: [], hasFailed: false });
        return { tag: "BEGIN" };
      case "ROLLBACK":
        this.open.delete(session);
        return { tag: "ROLLBACK" };
      case "COMMIT":
        this.open.delete(session);
        for (const key of transaction?.keys ?? []) this.committed.add(key);
        return { tag: "COMMIT" };
      case "INSERT":
        return this.insert(session, text, keysIn(parameters[0]));
      case "SELECT": {
        const present = keysIn(parameters[0]).filter((key) => this.committed.has(key)).length;
        return { tag: "SELECT 1", rows: [{ present: String(present) }] };
      }
      default:
        throw new Error(`${word} is not understood here`);
    }
  }

  private insert(session: number, text: string, keys: readonly string[]): Answer {
    const isOfEvents = /event_type/.test(text);
    if (isOfEvents && keys.some((key) => this.committed.has(key)))
      return this.fail(session, "INSERT", {
        error: { code: "23505", message: 'duplicate key value violates unique constraint "events_pkey"' },
      });
    if (isOfEvents) this.open.get(session)?.keys.push(...keys);
    return { tag: `INSERT 0 ${keys.length}` };
  }
}
