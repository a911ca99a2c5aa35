// The retry protocol of CockroachDB and Aurora DSQL: the real transactor, workload, pool and driver, and a server that sends the
// bytes of these products.
import type { Connection } from "../database/sql.js";
import { postgresql } from "../database/postgres/postgresql.js";
import { afterEach, describe, expect, it } from "vitest";
import { keyBytes } from "../workloads/event-id.js";
import { EventBatch } from "../workloads/train-events/model/event-batch.js";
import { monotonicMs } from "../foundation/clock.js";
import { TrialError } from "../foundation/errors.js";
import { Prng } from "../foundation/prng.js";
import { PartNames } from "../metrics/part-times.js";
import { Recorder } from "../metrics/recorder.js";
import { eventOperations } from "../workloads/train-events/stores/operations.js";
import { createConnectionSource } from "../pools/registry.js";
import { classifyFailure } from "../database/postgres/sqlstates.js";
import { makeBatch } from "../../test/support/make-batch.js";
import { startProtocolServer, type Backend, type ServerError } from "../../test/support/protocol-server.js";
import {
  COCKROACHDB_DRAINING,
  COCKROACHDB_ERRORS,
  DSQL_CONFLICT,
  DSQL_LIMITS,
  DSQL_REFUSALS,
  DSQL_SCHEMA_CHANGE,
} from "../../test/support/retry-errors.js";
import { ScriptedDatabase, type Mishap, type Script } from "../../test/support/scripted-database.js";
import { EventLog } from "./event-log.js";
import { RetryPolicy } from "./retry-policy.js";
import { TimeAccount } from "./time-account.js";
import { Transactor } from "./transactor.js";
import type { ConnectionSource, EndpointContacts } from "../database/session.js";
import type { DialectName } from "../database/registry.js";

const BATCH = 5;
const batch = makeBatch(BATCH, 3);
const ids = batch.map(({ id }) => id);

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function connectionsTo(backend: Backend): Promise<ConnectionSource> {
  const server = await startProtocolServer(backend);
  cleanUps.push(() => server.close());
  const source = createConnectionSource({
    pool: { strategy: "direct", reconnect: "never" },
    endpoints: [{ scheme: "postgresql", host: "127.0.0.1", port: server.port, database: "d", user: "u" }],
    ...{ clients: 1, firstClient: 0, clientsOfTrial: 1, workers: 1, workerIndex: 0, prepared: true },
    applicationName: "train-sim/retry",
  });
  cleanUps.push(() => source.close());
  return source;
}

/** One failure for the first statement that begins with `word`, and none after it. */
const once =
  (word: string, mishap: Mishap): Script =>
  (heard, nth) =>
    heard === word && nth === 1 ? mishap : undefined;

/** Totals over all seconds: a busy machine takes more than one. */
function countsOf(recorder: Recorder) {
  const sum = { transactions: 0, events: 0, unansweredCommits: 0, retries: {}, failures: {} };
  const merge = (into: Record<string, number>, from: Readonly<Record<string, number>>): void => {
    for (const [sqlstate, count] of Object.entries(from)) into[sqlstate] = (into[sqlstate] ?? 0) + count;
  };
  for (const { operations } of recorder.take(Number.POSITIVE_INFINITY).seconds) {
    const { add } = operations;
    if (!add) continue;
    sum.transactions += add.transactions;
    sum.events += add.events;
    sum.unansweredCommits += add.unansweredCommits;
    merge(sum.retries, add.retries);
    merge(sum.failures, add.failures);
  }
  return sum;
}

/** Adds one batch with `dialect` against a server that answers by `script`. */
async function addOnce(dialect: DialectName, script: Script) {
  const database = new ScriptedDatabase(script);
  const source = await connectionsTo(database);
  const workload = eventOperations({
    ...{ dialect, namespace: "train_sim", payload: "text", locking: "for-update" },
    ...{ isolation: dialect === "dsql" ? "repeatable read" : "serializable", statementShape: "set-based" },
  });
  const recorder = new Recorder(["add"]);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  const pauses: number[] = [];
  const transactor = new Transactor({
    failures: postgresql.failures,
    failurePlaceOf: postgresql.failures.placesOf([], {}),
    source,
    recorder,
    eventLog: new EventLog({ isLevelEnabled: () => false } as never),
    retry: new RetryPolicy({ attempts: 20, baseMs: 1, ceilingMs: 4, deadlineMs: 60_000 }, new Prng(5)),
    slowTransactionMs: 1e9,
    sleeper: { sleep: async (ms: number) => void pauses.push(ms), wakeAll: () => undefined } as never,
    isStartedBySchedule: () => false,
    time: new TimeAccount(),
    partNames: new PartNames(),
    nowMs: monotonicMs,
  });
  const end = transactor.run<true>({
    ...{ operation: "add", client: 0, intendedMs: 0, isPoll: false, events: () => BATCH },
    body: async (connection: Connection) => {
      await workload.add(EventBatch.of(batch))(connection);
      return true;
    },
    settle: async (connection: Connection) =>
      (await workload.countPresent(connection, keyBytes(ids))) > 0 ? true : undefined,
  });
  const kind = await end.then(
    ({ kind }) => kind,
    (error: unknown) => error,
  );
  const [contacts] = source.contacts as readonly [EndpointContacts];
  const counts = countsOf(recorder);
  return { kind, database, pauses, counts, connects: contacts.connects };
}

const ADD = ["BEGIN", "INSERT", "INSERT"];
const whole = (word: string): string[] => [...ADD.slice(0, ADD.indexOf(word) + 1), "ROLLBACK"];
const retried = COCKROACHDB_ERRORS.filter(({ kind }) => kind === "retry");
const ambiguous = COCKROACHDB_ERRORS.filter(({ kind }) => kind === "in-doubt");

describe.each([
  ["cockroachdb", retried],
  ["dsql", [DSQL_CONFLICT, DSQL_SCHEMA_CHANGE]],
] as const)("an add on %s", (dialect, errors) => {
  it.each(errors)(
    "$title within the transaction is rolled back, and the whole transaction is repeated",
    async (error) => {
      const { kind, database, pauses, counts, connects } = await addOnce(dialect, once("INSERT", { error }));
      expect(kind).toBe("committed");
      expect(database.heard).toEqual([...whole("INSERT"), ...ADD, "COMMIT"]);
      expect(database.committed.size).toBe(BATCH);
      expect(counts).toMatchObject({ transactions: 1, events: BATCH, retries: { "40001": 1 }, failures: {} });
      expect(pauses).toHaveLength(1);
      expect(connects).toBe(1);
    },
  );

  it.each(errors)("$title at COMMIT is retried on the same connection without a rollback", async (error) => {
    const { kind, database, counts, connects } = await addOnce(dialect, once("COMMIT", { error }));
    expect(kind).toBe("committed");
    expect(database.heard).toEqual([...ADD, "COMMIT", ...ADD, "COMMIT"]);
    expect(database.committed.size).toBe(BATCH);
    expect(counts).toMatchObject({ transactions: 1, retries: { "40001": 1 }, unansweredCommits: 0 });
    expect(connects).toBe(1);
  });

  it("repeated conflicts are each counted as a retry with a pause, until the commit succeeds", async () => {
    const [error] = errors;
    const script: Script = (word, nth) => (word === "COMMIT" && nth <= 3 ? { error } : undefined);
    const { kind, database, pauses, counts } = await addOnce(dialect, script);
    expect(kind).toBe("committed");
    expect(counts).toMatchObject({ transactions: 1, events: BATCH, retries: { "40001": 3 } });
    expect(database.heard.filter((word) => word === "COMMIT")).toHaveLength(4);
    expect(pauses).toHaveLength(3);
  });

  it("a conflict at every attempt is a single failure under its code, and stores nothing", async () => {
    const [error] = errors;
    const { kind, database, counts } = await addOnce(dialect, (word) =>
      word === "COMMIT" ? { error } : undefined,
    );
    expect(kind).toBe("failed");
    expect(counts).toMatchObject({ transactions: 0, retries: { "40001": 19 }, failures: { "40001": 1 } });
    expect(database.committed.size).toBe(0);
  });
});

describe("a commit in doubt", () => {
  const noErrors: readonly (ServerError | undefined)[] = [undefined];
  const shutdown = COCKROACHDB_ERRORS.filter(({ kind }) => kind === "reconnect");
  const answers = [...ambiguous, ...shutdown, ...noErrors].map((error) => ({
    answer: error?.message ?? "a closed connection",
    sqlstate: error?.code ?? "08006",
    error,
  }));

  it.each(answers)("a commit that happened ($answer) is not repeated", async ({ error, sqlstate }) => {
    const { kind, database, counts, connects } = await addOnce(
      "cockroachdb",
      once("COMMIT", { error, isDone: true }),
    );
    expect(kind).toBe("committed");
    expect(database.heard).toEqual([...ADD, "COMMIT", "SELECT"]);
    expect(database.committed.size).toBe(BATCH);
    const retries = { [sqlstate]: 1 };
    expect(counts).toMatchObject({ transactions: 1, events: BATCH, retries, unansweredCommits: 1 });
    expect(connects).toBe(2);
  });

  it.each(answers)("a commit that did not happen ($answer) is repeated", async ({ error }) => {
    const { kind, database, counts } = await addOnce("cockroachdb", once("COMMIT", { error }));
    expect(kind).toBe("committed");
    expect(database.heard).toEqual([...ADD, "COMMIT", "SELECT", ...ADD, "COMMIT"]);
    expect(database.committed.size).toBe(BATCH);
    expect(counts).toMatchObject({ transactions: 1, events: BATCH, unansweredCommits: 1 });
  });
});

describe("a non-retryable error", () => {
  it.each(DSQL_LIMITS)("stops the trial with the server's message: $title", async (error) => {
    const { kind, database, pauses } = await addOnce("dsql", once("INSERT", { error }));
    expect(kind).toBeInstanceOf(TrialError);
    expect((kind as TrialError).message).toBe(`add.events: ${error.message} (SQLSTATE 54000)`);
    expect(database.heard).toEqual(whole("INSERT"));
    expect(pauses).toEqual([]);
  });
});

describe("a refused login", () => {
  it.each([COCKROACHDB_DRAINING, ...DSQL_REFUSALS])("is classified as $kind: $title", async (known) => {
    const database = new ScriptedDatabase(() => undefined);
    const source = await connectionsTo({
      answer: (call) => database.answer(call),
      status: (session) => database.status(session),
      login: () => known,
    });
    const failure = await Promise.resolve(source.acquire(0)).then(() => undefined, classifyFailure);
    expect(failure).toEqual({ kind: known.kind, sqlstate: known.code });
  });
});
