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
import { DocumentMaker, insertedKey, preloadedKey, stampOf } from "./document.js";
import { updateOf, type Treatment } from "./settings.js";
import type { Document, DocumentOperations, DocumentStore } from "./store.js";

const count = z.int().min(0);

/** Updates of one document by all clients of one worker. */
const Updates = z.object({
  document: count,
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
  /** Number of statements that found no document, or more than one, with their key. */
  misread: count,
  /** First statements of this kind, with the number of rows that they found. */
  misreads: z.array(z.object({ operation: z.string(), key: z.string(), rows: count })),
});
type WorkerAccount = z.infer<typeof WorkerAccount>;

/** Prime above the largest number of documents. As a factor it spreads neighbouring ranks over the table. */
const RANK_SCATTER_PRIME = 100_000_007;

interface DrawnOperation {
  /** Number of the preloaded document, or of an insert among the client's inserts. */
  readonly document: number;
}
interface DrawnInsert extends DrawnOperation {
  readonly operation: "insert";
  readonly key: string;
  readonly transaction: PreparedTransaction<true>;
}
interface DrawnUpdate extends DrawnOperation {
  readonly operation: "update";
  readonly stamp: string;
  readonly transaction: PreparedTransaction<readonly number[]>;
}
interface DrawnRead extends DrawnOperation {
  readonly operation: "read" | "slice";
  readonly transaction: PreparedTransaction<readonly unknown[]>;
}
type AnyDrawnOperation = DrawnInsert | DrawnUpdate | DrawnRead;

class OperationDrawer {
  private readonly prngs: readonly Prng[];
  private readonly mix: Mix<AnyDrawnOperation["operation"]>;
  private readonly zipf: Zipf | undefined;
  private readonly maker: DocumentMaker;

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
    this.zipf = keys === "zipfian" && documents > 0 ? new Zipf(documents, skew) : undefined;
    this.maker = new DocumentMaker(settings, seed);
  }

  operationOf(arrival: Arrival): AnyDrawnOperation["operation"] {
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
      return {
        operation,
        document: sentCounts.insert,
        key,
        transaction: operations.insert(this.documentOf(key, key)),
      };
    }
    const document = this.drawDocumentNumber(prng);
    const key = preloadedKey(document);
    if (operation !== "update") return { operation, document, transaction: operations[operation](key) };
    const stamp = stampOf(client, sentCounts.update);
    const change =
      updateOf(this.settings) === "whole" ? this.documentOf(key, stamp) : this.maker.value(stamp);
    return { operation, document, stamp, transaction: operations.update(key, change) };
  }

  /** Document with that key, whose values are derived from `name`. */
  private documentOf(key: string, name: string): Document {
    const values = this.maker.values(name);
    return { key, values, json: this.maker.json(key, values) };
  }

  private drawDocumentNumber(prng: Prng): number {
    const { documents } = this.settings;
    // The factor spreads documents of neighbouring ranks over the table.
    return this.zipf
      ? (this.zipf.draw(prng) * RANK_SCATTER_PRIME) % documents
      : prng.intBetween(0, documents - 1);
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
  const updates = new Map<number, WorkerAccount["updates"][number]>();
  const updatesSent = new Array<number>(clients).fill(0);
  let misread = 0;
  const misreads: WorkerAccount["misreads"] = [];
  const drawnOperations: (AnyDrawnOperation | undefined)[] = [];

  const insertsOfClient = (number: number): Writes => inserts[number] as Writes;
  const draw = (number: number, arrival?: Arrival): AnyDrawnOperation =>
    drawer.draw(number, arrival, { insert: insertsOfClient(number).sent, update: updatesSent[number] ?? 0 });

  function expectOneRow(operation: string, document: number, { length: rows }: readonly unknown[]): void {
    if (rows === 1) return;
    misread++;
    if (misreads.length < NAMED_FINDINGS_PER_KIND)
      misreads.push({ operation, key: preloadedKey(document), rows });
  }

  function updatesOf(document: number): WorkerAccount["updates"][number] {
    const existingUpdates = updates.get(document);
    if (existingUpdates) return existingUpdates;
    const none = {
      document,
      acknowledged: 0,
      versions: 0,
      last: { version: 0, stamp: "" },
      inDoubt: [],
      unsettled: 0,
    };
    updates.set(document, none);
    return none;
  }

  async function insert(
    number: number,
    intendedMs: number,
    { document, key, transaction }: DrawnInsert,
  ): Promise<void> {
    const counts = insertsOfClient(number);
    counts.sent++;
    const isThere = operations.isThere(key);
    const end = await transactor.run<true>({
      ...singleOperationPlan("insert", number, intendedMs),
      body: transaction,
      settle: async (session) => (await isThere(session)) || undefined,
      onUnanswered: () => void counts.inDoubt.push(document),
    });
    if (end.kind === "failed") counts.failed.push(document);
  }

  async function update(
    number: number,
    intendedMs: number,
    { document, stamp, transaction }: DrawnUpdate,
  ): Promise<void> {
    updatesSent[number] = (updatesSent[number] ?? 0) + 1;
    const end = await transactor.run({
      ...singleOperationPlan("update", number, intendedMs),
      body: transaction,
      onUnanswered: () => void updatesOf(document).inDoubt.push(stamp),
    });
    if (end.kind === "failed") {
      if (end.inDoubt) updatesOf(document).unsettled++;
      return;
    }
    expectOneRow("update", document, end.result);
    const counts = updatesOf(document);
    const [version = 0] = end.result;
    counts.acknowledged++;
    counts.versions += version;
    if (version > counts.last.version) counts.last = { version, stamp };
  }

  async function read(
    number: number,
    intendedMs: number,
    { operation, document, transaction }: DrawnRead,
  ): Promise<void> {
    const end = await transactor.run({
      ...singleOperationPlan(operation, number, intendedMs),
      body: transaction,
    });
    if (end.kind !== "failed") expectOneRow(operation, document, end.result);
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
      return next.operation === "update" ? update(number, intendedMs, next) : read(number, intendedMs, next);
    },
    close: (): WorkerAccount => ({ inserts, updates: [...updates.values()], misread, misreads }),
  };
}
