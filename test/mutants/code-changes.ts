// Plausible bugs of train-sim's own client code: transactions that differ from their booked operation. Each replaces a text
// that occurs once in the source.
import type { RunLevels } from "./program.js";
import type { Replacement } from "./places.js";
import type { MutantTraits } from "./mutant.js";

const ADVANCE = "SET status = a.status, attempts = s.attempts + 1, updated_at = clock_timestamp()";
const COPIED =
  "e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts";
const COPY = "connection.copyIn(statements.copy, copy)";

type EventTraits = MutantTraits & RunLevels & { readonly isInAudit?: boolean };

export const EVENT_CHANGES: readonly (readonly [
  change: string,
  replacement: Replacement,
  traits?: EventTraits,
])[] = [
  [
    "one commit in ten is a rollback",
    [
      'return session.control("commit", text).catch',
      'return (Math.random() < 0.1 ? session.control("rollback", "ROLLBACK") : session.control("commit", text)).catch',
    ],
  ],
  [
    "the first event of a batch gets no status",
    [
      "SELECT * FROM unnest($1::uuid[])`",
      "SELECT u FROM unnest($1::uuid[]) WITH ORDINALITY AS x (u, n) WHERE n > 1`",
    ],
  ],
  [
    "one batch in ten is added under other keys",
    [
      "this.batchMaker.make(keys,",
      "this.batchMaker.make(batch % 10 === 3 ? Buffer.from(keys).fill(7, 15, 16) : keys,",
    ],
  ],
  [
    "some completions are not written",
    [
      ADVANCE,
      ADVANCE.replace(
        "a.status",
        "CASE WHEN a.status = 'COMPLETE' AND random() < 0.3 THEN s.status ELSE a.status END",
      ),
    ],
  ],
  [
    "failures are written as completions",
    [ADVANCE, ADVANCE.replace("a.status", "CASE a.status WHEN 'FAILED' THEN 'COMPLETE' ELSE a.status END")],
  ],
  ["passes are not counted", [ADVANCE, ADVANCE.replace("s.attempts + 1", "s.attempts")]],
  ["passes are counted twice", [ADVANCE, ADVANCE.replace("s.attempts + 1", "s.attempts + 2")]],
  [
    "updated_at is in an hour",
    [ADVANCE, ADVANCE.replace("clock_timestamp()", "clock_timestamp() + interval '1 hour'")],
  ],
  [
    "documents are not changed",
    ["SET payload = a.payload", "SET payload = e.payload || a.payload - 'state'"],
    {
      payload: "jsonb",
    },
  ],
  [
    "a text gets a space at its end",
    ["SET payload = a.payload", "SET payload = ' ' || a.payload"],
    {
      payload: "text",
    },
  ],
  [
    "documents are made invalid, and expected to be",
    [
      "writeDigit(view, createdAtOffset + 20, (msOfSecond / 100) | 0)",
      "writeDigit(view, createdAtOffset + 10, (msOfSecond / 100) | 0)",
    ],
    { isInAudit: true, as: "invalid" },
  ],
  [
    "some archived events are not copied",
    [
      "JOIN ${tables.events} AS e ON e.id = a.event_id`",
      "JOIN ${tables.events} AS e ON e.id = a.event_id AND random() < 0.5`",
    ],
  ],
  [
    "some archived events are not deleted",
    [
      "DELETE FROM ${tables.events} AS e USING ${keys} AS a WHERE e.id = a.event_id`",
      "DELETE FROM ${tables.events} AS e USING ${keys} AS a WHERE e.id = a.event_id AND random() < 0.5`",
    ],
  ],
  ["the history has one pass more", [COPIED, COPIED.replace("s.attempts", "s.attempts + 1")]],
  [
    "the history has another status",
    [COPIED, COPIED.replace("s.status", "CASE s.status WHEN 'FAILED' THEN 'COMPLETE' ELSE 'FAILED' END")],
  ],
  [
    "the history has another created_at",
    [COPIED, COPIED.replace("e.created_at", "clock_timestamp()")],
    {
      missed:
        "created_at is held to the trial's bounds and to archived_at; the server sets it, and no ledger knows it",
    },
  ],
  [
    "an add that was acknowledged is booked as failed",
    [
      'ledger.settle(entry, "acknowledged",',
      'ledger.settle(entry, entry.batch % 10 === 3 ? "failed" : "acknowledged",',
    ],
  ],
  ["the claim takes the newest first", ["ORDER BY updated_at LIMIT $1", "ORDER BY updated_at DESC LIMIT $1"]],
  ["a read gets the oldest", ["ORDER BY created_at DESC LIMIT $2", "ORDER BY created_at LIMIT $2"]],
  [
    "a read gets one row too few",
    ["ORDER BY created_at DESC LIMIT $2", "ORDER BY created_at DESC OFFSET 1 LIMIT $2"],
  ],
];

/** Names of the workloads other than Train Events. */
export type Family = "accounts" | "calls" | "connections" | "documents";

export const FAMILY_CHANGES: readonly (readonly [
  family: Family,
  change: string,
  replacement: Replacement,
  traits: MutantTraits,
])[] = [
  [
    "accounts",
    "one commit in ten is a rollback",
    [
      'return session.control("commit", text).catch',
      'return (Math.random() < 0.1 ? session.control("rollback", "ROLLBACK") : session.control("commit", text)).catch',
    ],
    { as: "lost" },
  ],
  [
    "accounts",
    "some transfers are paid to the next account",
    [
      "session.execute(statements.addToAccount, [delta, aid]",
      "session.execute(statements.addToAccount, [delta, aid % 7 === 3 ? aid + 1 : aid]",
    ],
    { as: "unbalanced" },
  ],
  [
    "accounts",
    "branches get less than was sent",
    [
      "session.execute(statements.addToBranch, [delta, bid]",
      "session.execute(statements.addToBranch, [delta - 1, bid]",
    ],
    { as: "unbalanced" },
  ],
  [
    "accounts",
    "the history has another teller",
    [
      "session.execute(statements.addToHistory, [id, tid, bid, aid, delta]",
      "session.execute(statements.addToHistory, [id, (tid % 10) + 1, bid, aid, delta]",
    ],
    { as: "changed" },
  ],
  [
    "connections",
    "one row in ten is not inserted",
    [
      "asTransaction(send(connection, insert, id), () => undefined)",
      "id % 10 === 3 ? Promise.resolve(undefined) : asTransaction(send(connection, insert, id), () => undefined)",
    ],
    { as: "lost" },
  ],
  [
    "connections",
    "one row in ten has the id of the row before",
    [
      "const id = idOf({ client: writes.client, number });",
      "const id = idOf({ client: writes.client, number: number % 10 === 3 ? number - 1 : number });",
    ],
    { as: "duplicated" },
  ],
  [
    "documents",
    "inserts have an id column of another document",
    [
      "return [...(writesId(settings) ? [document.key] : []),",
      "return [...(writesId(settings) ? [`${document.key}x`] : []),",
    ],
    { as: "lost" },
  ],
  [
    "documents",
    "an update sets the value of another update",
    ["this.maker.value(stamp)", "this.maker.value(`${stamp}0`)"],
    { as: "changed" },
  ],
  [
    "documents",
    "updates do not count up the version",
    ['"version = version + 1"', '"version = version"'],
    {
      as: "undone",
    },
  ],
  [
    "documents",
    "inserts that are never sent are booked as acknowledged",
    [
      "(session: Connection) => asTransaction(session.execute(insert, values), () => true)",
      "() => Promise.resolve(true)",
    ],
    { as: "lost" },
  ],
  [
    "calls",
    "times of calls are a microsecond late",
    ["copy.add(row.map((value) =>", "copy.add(row.map((value, i) => i === 1 ? `${value}.000001` :"],
    { as: "damaged" },
  ],
  [
    "calls",
    "each batch is sent twice",
    [`${COPY} }`, `${COPY}.then(() => ${COPY}) }`],
    {
      as: "unexpected",
    },
  ],
  [
    "calls",
    "batches that are never sent are booked as acknowledged",
    ["await made.send(connection);", ""],
    { as: "lost" },
  ],
];
