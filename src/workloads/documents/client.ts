// The account for the audit is small: exceptions of inserts; the number and the last of a document's updates.
import * as z from "zod";
import type { PreparedTransaction } from "../../database/session.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { Zipf } from "../../foundation/zipf.js";
import type { Arrival } from "../../load/arrivals.js";
import { NAMED_FINDINGS_PER_KIND } from "../findings.js";
import { Mix } from "../mix.js";
import { initialWrites, Writes } from "../numbered-writes.js";
import { singleOperationPlan } from "../one-role.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import { DocumentMaker, insertedKey, parseKey, preloadedKey, stampOf, unwrappedRowsOf } from "./document.js";
import { updateOf, type Operation, type Treatment } from "./settings.js";
import type { Document, DocumentOperations, DocumentStore } from "./store.js";

const count = z.int().min(0);

/** Updates of one document by all clients of one worker. */
const Updates = z.object({
  /** Key of the document. */
  document: z.string(),
  acknowledged: count,
  /** Sum of the version numbers that acknowledged updates made. */
  versions: count,
  last: z.object({ version: count, stamp: z.string() }),
  /** Stamps of updates whose commit got no answer; a stamp appears once for each attempt without an answer. */
  inDoubt: z.array(z.string()),
  /** Number of updates whose outcome stayed in doubt. */
  unsettled: count,
});

export const WorkerAccount = z.object({
  inserts: z.array(Writes),
  updates: z.array(Updates),
  /** Number of statements that found more or fewer rows than the documents of the trial explain. */
  misread: count,
  /** First statements of this kind, with the number of rows that they found. */
  misreads: z.array(z.object({ operation: z.string(), key: z.string(), rows: count })),
});
type WorkerAccount = z.infer<typeof WorkerAccount>;

/** Prime above the largest number of documents. As a factor it spreads neighbouring ranks over the table. */
const RANK_SCATTER_PRIME = 100_000_007;

/** Greatest number of documents that a scan reads, as in YCSB. */
const SCAN_LENGTH_MAX = 100;

type RowRange = readonly [least: number, most: number];
const ONE_ROW: RowRange = [1, 1];

interface DrawnInsert {
  readonly operation: "insert";
  /** Number of the insert among the client's inserts. */
  readonly number: number;
  readonly key: string;
  readonly transaction: PreparedTransaction<true>;
}
interface DrawnUpdate {
  readonly operation: "update" | "modify";
  readonly key: string;
  readonly stamp: string;
  readonly transaction: PreparedTransaction<readonly number[]>;
}
interface DrawnRead {
  readonly operation: "read" | "scan" | "slice" | "unwrap";
  readonly key: string;
  readonly transaction: PreparedTransaction<readonly unknown[]>;
  /** Least and greatest number of rows that the statement may find. */
  readonly rows: RowRange;
}
type AnyDrawnOperation = DrawnInsert | DrawnUpdate | DrawnRead;

class OperationDrawer {
  private readonly prngs: readonly Prng[];
  private readonly mix: Mix<Operation>;
  private readonly zipf: Zipf | undefined;
  private readonly maker: DocumentMaker;
  private readonly unwrappedRows: RowRange;
  /** Keys of the worker's acknowledged inserts in order; empty unless `keys` is latest. */
  private readonly latestKeys: string[] = [];

  constructor(
    private readonly settings: Treatment,
    private readonly operations: DocumentOperations,
    private readonly firstClient: number,
    { seed, role, clients }: { readonly seed: number; readonly role: string; readonly clients: number },
  ) {
    const { keys, documents, skew, mix } = settings;
    this.prngs = Array.from(
      { length: clients },
      (_, number) => new Prng(deriveSeed(seed, "documents", role, firstClient + number)),
    );
    this.mix = new Mix(mix, deriveSeed(seed, role));
    this.zipf = keys !== "uniform" && documents > 0 ? new Zipf(documents, skew) : undefined;
    this.maker = new DocumentMaker(settings, seed);
    const unwrappedRows = unwrappedRowsOf(settings.shape);
    this.unwrappedRows = [unwrappedRows, unwrappedRows];
  }

  operationOf(arrival: Arrival): Operation {
    return this.mix.of(arrival);
  }

  draw(
    number: number,
    arrival: Arrival | undefined,
    sentCounts: { insert: number; update: number },
  ): AnyDrawnOperation {
    const prng = this.prngs[number] as Prng;
    const { operations } = this;
    const client = this.firstClient + number;
    const operation = arrival ? this.mix.of(arrival) : this.mix.next(prng);
    if (operation === "insert") {
      const key = insertedKey(client, sentCounts.insert);
      const transaction = operations.insert(this.documentOf(key, key));
      return { operation, number: sentCounts.insert, key, transaction };
    }
    const key = this.drawKey(prng);
    if (operation === "update" || operation === "modify") {
      const stamp = stampOf(client, sentCounts.update);
      const change =
        updateOf(this.settings) === "whole" ? this.documentOf(key, stamp) : this.maker.value(stamp);
      return { operation, key, stamp, transaction: operations[operation](key, change) };
    }
    if (operation === "scan") {
      const length = prng.intBetween(1, SCAN_LENGTH_MAX);
      return {
        operation,
        key,
        transaction: operations.scan(key, length),
        rows: this.scannedRows(key, length),
      };
    }
    const rows = operation === "unwrap" ? this.unwrappedRows : ONE_ROW;
    return { operation, key, transaction: operations[operation](key), rows };
  }

  /** Makes an acknowledged insert the latest one. */
  acknowledgeInsert(key: string): void {
    const { keys, documents } = this.settings;
    if (keys !== "latest") return;
    this.latestKeys.push(key);
    // No rank exceeds the number of preloaded documents.
    if (this.latestKeys.length > 2 * documents) this.latestKeys.splice(0, documents);
  }

  /** Numbers of rows that a scan may find. Ids of inserts come first, so a scan from a preloaded document finds no insert. */
  private scannedRows(key: string, length: number): RowRange {
    const { documents } = this.settings;
    const { client, number = 0 } = parseKey(key) ?? {};
    if (client !== undefined) return [Math.min(length, documents + 1), length];
    const rows = Math.min(length, documents - number);
    return [rows, rows];
  }

  /** Document with that key, whose values are derived from `name`. */
  private documentOf(key: string, name: string): Document {
    const values = this.maker.values(name);
    return { key, values, json: this.maker.json(key, values) };
  }

  private drawKey(prng: Prng): string {
    const { keys, documents } = this.settings;
    if (!this.zipf) return preloadedKey(prng.intBetween(0, documents - 1));
    const rank = this.zipf.draw(prng);
    // The factor spreads documents of neighbouring ranks over the table.
    if (keys === "zipfian") return preloadedKey((rank * RANK_SCATTER_PRIME) % documents);
    const { latestKeys } = this;
    return latestKeys.at(-rank) ?? preloadedKey(documents - (rank - latestKeys.length));
  }
}

type DocumentUpdates = WorkerAccount["updates"][number];

/** Updates that a worker sent, by document. */
class UpdateAccount {
  private readonly byDocument = new Map<string, DocumentUpdates>();

  get all(): DocumentUpdates[] {
    return [...this.byDocument.values()];
  }

  of(document: string): DocumentUpdates {
    const existing = this.byDocument.get(document);
    if (existing) return existing;
    const last = { version: 0, stamp: "" };
    const none = { document, acknowledged: 0, versions: 0, last, inDoubt: [], unsettled: 0 };
    this.byDocument.set(document, none);
    return none;
  }
}

export function client(
  store: DocumentStore,
  { assignment, transactor }: ClientContext<Treatment>,
): WorkloadClients {
  const { settings, trial, role, firstClient, clients } = assignment;
  const operations = store.operations(settings);
  const drawer = new OperationDrawer(settings, operations, firstClient, { seed: trial.seed, role, clients });
  const inserts = initialWrites(assignment);
  const updates = new UpdateAccount();
  const updatesSent = new Array<number>(clients).fill(0);
  let misread = 0;
  const misreads: WorkerAccount["misreads"] = [];
  const drawnOperations: (AnyDrawnOperation | undefined)[] = [];

  const insertsOfClient = (number: number): Writes => inserts[number] as Writes;
  const draw = (number: number, arrival?: Arrival): AnyDrawnOperation =>
    drawer.draw(number, arrival, { insert: insertsOfClient(number).sent, update: updatesSent[number] ?? 0 });

  function countMisread(operation: string, key: string, rows: number): void {
    misread++;
    if (misreads.length < NAMED_FINDINGS_PER_KIND) misreads.push({ operation, key, rows });
  }

  async function insert(
    number: number,
    intendedMs: number,
    { number: insertNumber, key, transaction }: DrawnInsert,
  ): Promise<void> {
    const counts = insertsOfClient(number);
    counts.sent++;
    const isThere = operations.isThere(key);
    const end = await transactor.run<true>({
      ...singleOperationPlan("insert", number, intendedMs),
      body: transaction,
      settle: async (session) => (await isThere(session)) || undefined,
      onUnanswered: () => void counts.inDoubt.push(insertNumber),
    });
    if (end.kind === "failed") counts.failed.push(insertNumber);
    else drawer.acknowledgeInsert(key);
  }

  async function update(
    number: number,
    intendedMs: number,
    { operation, key, stamp, transaction }: DrawnUpdate,
  ): Promise<void> {
    updatesSent[number] = (updatesSent[number] ?? 0) + 1;
    const end = await transactor.run({
      ...singleOperationPlan(operation, number, intendedMs),
      body: transaction,
      onUnanswered: () => void updates.of(key).inDoubt.push(stamp),
    });
    if (end.kind === "failed") {
      if (end.inDoubt) updates.of(key).unsettled++;
      return;
    }
    const { length: rows } = end.result;
    if (rows !== 1) countMisread(operation, key, rows);
    const counts = updates.of(key);
    const [version = 0] = end.result;
    counts.acknowledged++;
    counts.versions += version;
    if (version > counts.last.version) counts.last = { version, stamp };
  }

  async function read(
    number: number,
    intendedMs: number,
    { operation, key, transaction, rows: [least, most] }: DrawnRead,
  ): Promise<void> {
    const end = await transactor.run({
      ...singleOperationPlan(operation, number, intendedMs),
      ...(operation === "scan" && { events: ({ length }: readonly unknown[]) => length }),
      body: transaction,
    });
    if (end.kind === "failed") return;
    const { length: rows } = end.result;
    if (rows < least || rows > most) countMisread(operation, key, rows);
  }

  return {
    operationOf: (arrival) => drawer.operationOf(arrival),
    prepare(number, arrival) {
      if (arrival) drawnOperations[number] = draw(number, arrival);
      else drawnOperations[number] ??= draw(number);
    },
    iterate(number, intendedMs) {
      const next = drawnOperations[number] ?? draw(number);
      drawnOperations[number] = undefined;
      if (next.operation === "insert") return insert(number, intendedMs, next);
      return "stamp" in next ? update(number, intendedMs, next) : read(number, intendedMs, next);
    },
    close: (): WorkerAccount => ({ inserts, updates: updates.all, misread, misreads }),
  };
}
