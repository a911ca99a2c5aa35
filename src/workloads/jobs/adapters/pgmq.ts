// The program of pgmq, by its SQL functions alone. Its schema is fixed: `pgmq`.
//
// `defaults`: read 1 message with vt 30, as its README, or with `claim.lease`; polls as often as `read_with_poll` does by default, 100 ms.
// `tuned`: reads 50 messages at a time (`qty`, https://pgmq.github.io/pgmq/api/sql/functions/#read), deletes them by one
// call, and gives a failed message back by set_vt after `retryAfterMs`.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { quoteIdentifier } from "../../../database/postgres/quoting.js";
import { Connections } from "./connections.js";
import {
  caveatOf,
  leaseSecondsOf,
  serve,
  Unusable,
  type Adapter,
  type Handler,
  type Payload,
  type Start,
} from "./kit.js";
import { Loops } from "./loops.js";

const QUEUE = "jobs";
const DEFAULT_VT_SECONDS = 30;
const POLL_MS = 100;
const TUNED_QTY = 50;
const TUNED_RETRY_MS = 1_000;

const TESTED_VERSION = "1.13.0";
const TESTED_FILE = "bf7e66c75ed771df0c5f7cb2b9f0123ca77992daacd56e3911d1894a3efa99de";

const MISSING_REMEDY =
  "Run: pip download --no-deps pgmq==1.1.4 && unzip -j pgmq-1.1.4-*.whl pgmq/sql/pgmq.sql, beside the scenario; " +
  "or install the extension pgmq on the server.";

interface Message {
  readonly id: string;
  readonly attempt: number;
  readonly payload: Payload;
}

interface Source {
  readonly version: string;
  /** Text of the user's file; without it the server has the extension. */
  readonly sql?: string;
}

async function findSource(start: Start): Promise<Source> {
  const file = join(start.directory, "pgmq.sql");
  if (existsSync(file)) {
    const sql = readFileSync(file, "utf8");
    const digest = createHash("sha256").update(sql).digest("hex");
    return {
      sql,
      version: digest === TESTED_FILE ? TESTED_VERSION : `pgmq.sql, sha256 ${digest.slice(0, 12)}`,
    };
  }
  const connections = await Connections.open(start, 1);
  try {
    const { rows } = await connections.use((session) =>
      session.query<{ version: string }>(
        "SELECT default_version AS version FROM pg_available_extensions WHERE name = 'pgmq'",
      ),
    );
    if (!rows[0])
      throw new Unusable(`${file} does not exist, and the server has no extension pgmq`, MISSING_REMEDY);
    return rows[0];
  } finally {
    await connections.close();
  }
}

/** Comment by which train-sim knows the schema that it made. */
const MARK = "train-sim made this schema, and drops it";

async function stateOf(
  session: pg.ClientBase,
): Promise<{ exists: boolean; isOwn: boolean; isExtension: boolean }> {
  const { rows } = await session.query<{ comment: string | null; extension: boolean }>(
    `SELECT obj_description(oid, 'pg_namespace') AS comment,
       EXISTS (SELECT FROM pg_extension WHERE extname = 'pgmq') AS extension
     FROM pg_namespace WHERE nspname = 'pgmq'`,
  );
  const [row] = rows;
  return { exists: row !== undefined, isOwn: row?.comment === MARK, isExtension: row?.extension ?? false };
}

async function install(start: Start): Promise<string> {
  const { sql = "CREATE EXTENSION pgmq" } = await findSource(start);
  const connections = await Connections.open(start, 1);
  try {
    await connections.use(async (session) => {
      const { exists } = await stateOf(session);
      if (exists)
        throw new Unusable(
          "The schema pgmq exists already",
          "Use a database without it, or drop it: DROP SCHEMA pgmq CASCADE.",
        );
      // One transaction: all of it or nothing.
      await session.query(
        `BEGIN; ${sql};\nSELECT pgmq.create('${QUEUE}'); COMMENT ON SCHEMA pgmq IS '${MARK}'; COMMIT`,
      );
    });
  } finally {
    await connections.close();
  }
  return `SELECT message ->> 'id' AS id,
      CASE WHEN read_ct > 0 AND vt > clock_timestamp() THEN 'running' ELSE 'waiting' END AS state,
      message AS payload
    FROM pgmq.q_${QUEUE}
    UNION ALL
    SELECT message ->> 'id', 'done', message FROM pgmq.a_${QUEUE}`;
}

async function remove(start: Start): Promise<void> {
  const connections = await Connections.open(start, 1);
  try {
    await connections.use(async (session) => {
      const { isOwn, isExtension } = await stateOf(session);
      if (isOwn)
        await session.query(isExtension ? "DROP EXTENSION pgmq CASCADE" : "DROP SCHEMA pgmq CASCADE");
    });
  } finally {
    await connections.close();
  }
}

/** Messages with the same delay go in by one call. */
async function send(session: pg.ClientBase, delayMs: number, payloads: readonly Payload[]): Promise<void> {
  const due = "clock_timestamp() + $2 * interval '1 ms'";
  const [only] = payloads;
  await session.query(
    payloads.length === 1
      ? {
          name: "send",
          text: `SELECT pgmq.send('${QUEUE}', $1::jsonb, ${due})`,
          values: [JSON.stringify(only), delayMs],
        }
      : {
          name: "send_batch",
          text: `SELECT pgmq.send_batch('${QUEUE}', $1::jsonb[], ${due})`,
          values: [payloads.map((payload) => JSON.stringify(payload)), delayMs],
        },
  );
}

async function readMessages(session: pg.ClientBase, vtSeconds: number, qty: number): Promise<Message[]> {
  const { rows } = await session.query<Message>({
    name: "read",
    text: `SELECT msg_id AS id, read_ct AS attempt, message AS payload FROM pgmq.read('${QUEUE}', $1, $2)`,
    values: [vtSeconds, qty],
  });
  return rows;
}

async function deleteMessages(session: pg.ClientBase, ids: readonly string[]): Promise<void> {
  await session.query({
    name: "delete",
    text: `SELECT pgmq.delete('${QUEUE}', $1::bigint[])`,
    values: [ids],
  });
}

async function retryLater(session: pg.ClientBase, ids: readonly string[]): Promise<void> {
  await session.query({
    name: "set_vt",
    text: `SELECT pgmq.set_vt('${QUEUE}', $1::bigint[], clock_timestamp() + $2 * interval '1 ms')`,
    values: [ids, TUNED_RETRY_MS],
  });
}

async function work(
  connections: Connections,
  handler: Handler,
  { isTuned, vtSeconds }: { readonly isTuned: boolean; readonly vtSeconds: number },
  wakeNext: () => void,
): Promise<boolean> {
  const qty = isTuned ? TUNED_QTY : 1;
  const messages = await connections.use((session) => readMessages(session, vtSeconds, qty));
  if (messages.length >= qty) wakeNext();
  const done: Message[] = [];
  const failed: Message[] = [];
  for (const message of messages)
    await handler.run(message.payload, message.attempt).then(
      () => done.push(message),
      () => failed.push(message),
    );
  const idsOf = (each: readonly Message[]): string[] => each.map(({ id }) => id);
  if (done.length > 0) {
    await connections.untilAnswered((session) => deleteMessages(session, idsOf(done)));
    for (const { payload, attempt } of done) handler.finished(payload, attempt);
  }
  if (failed.length > 0 && isTuned)
    await connections.untilAnswered((session) => retryLater(session, idsOf(failed)));
  return messages.length > 0;
}

const adapter: Adapter = {
  async load(start) {
    const { version } = await findSource(start);
    const vtSeconds = leaseSecondsOf(start);
    return {
      ...{ library: "pgmq", version, promise: "at-least-once", acknowledges: true },
      ...caveatOf(
        version !== TESTED_VERSION && `tested with pgmq ${TESTED_VERSION} alone`,
        vtSeconds !== undefined && `claim.lease is the visibility timeout of its reads: ${vtSeconds} s`,
      ),
    };
  },
  install,
  remove,
  async enqueuer(start) {
    const connections = await Connections.open(start, start.connections);
    const caller = `INSERT INTO ${quoteIdentifier(start.schema)}.callers (id) VALUES ($1)`;
    return {
      async enqueue(jobs, inTransaction) {
        const byDelay = new Map<number, Payload[]>();
        for (const { payload, delayMs = 0 } of jobs)
          byDelay.set(delayMs, [...(byDelay.get(delayMs) ?? []), payload]);
        const sendAll = async (session: pg.ClientBase): Promise<void> => {
          for (const [delayMs, payloads] of byDelay) await send(session, delayMs, payloads);
        };
        await connections.use((session) =>
          inTransaction || byDelay.size > 1
            ? connections.transaction(session, async () => {
                if (inTransaction) await session.query(caller, [jobs[0]?.payload.id]);
                await sendAll(session);
              })
            : sendAll(session),
        );
      },
      close: () => connections.close(),
    };
  },
  async worker(start, handler) {
    const connections = await Connections.open(start, start.connections);
    const reading = {
      isTuned: start.profile === "tuned",
      vtSeconds: leaseSecondsOf(start) ?? DEFAULT_VT_SECONDS,
    };
    const loops = new Loops(start.concurrency, POLL_MS, (wakeNext) =>
      work(connections, handler, reading, wakeNext),
    );
    return {
      failure: loops.failure,
      async stop() {
        await loops.stop();
        await connections.close();
      },
    };
  },
};
serve(adapter);
