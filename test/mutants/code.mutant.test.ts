// Plausible bugs of train-sim's own client code, planted one at a time: transactions that do something else than what they are
// booked as. Each runs for a second on a real server, and the audit of the very same program has to find it.
import { testNamespace } from "../support/namespace.js";
import { mutant, type MutantTraits } from "./mutant.js";
import { mutatedProgram, startRun, verdictOf, type Replacement, type RunLevels } from "./program.js";

const RUN_MS = 60_000;
const ADVANCE = "SET status = a.status, attempts = s.attempts + 1, updated_at = clock_timestamp()";
const COPIED =
  "e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts";

function code(
  change: string,
  replacement: Replacement,
  traits: MutantTraits & RunLevels & { isInAudit?: boolean } = {},
): void {
  const plant = async () =>
    verdictOf(startRun(testNamespace("code"), traits, 1, mutatedProgram(replacement, traits.isInAudit)));
  mutant("code", change, plant, { ...traits, timeoutMs: RUN_MS });
}

code("one commit in ten is a rollback", [
  'await connection.control("commit", text)',
  'await (Math.random() < 0.1 ? connection.control("rollback", "ROLLBACK") : connection.control("commit", text))',
]);
code("the first event of a batch gets no status", [
  "SELECT * FROM unnest($1::uuid[])`",
  "SELECT u FROM unnest($1::uuid[]) WITH ORDINALITY AS x (u, n) WHERE n > 1`",
]);
code("one batch in ten is added under other keys", [
  "this.batchMaker.make(keys,",
  "this.batchMaker.make(batch % 10 === 3 ? Buffer.from(keys).fill(7, 15, 16) : keys,",
]);
code("some completions are not written", [
  ADVANCE,
  ADVANCE.replace(
    "a.status",
    "CASE WHEN a.status = 'COMPLETE' AND random() < 0.3 THEN s.status ELSE a.status END",
  ),
]);
code("failures are written as completions", [
  ADVANCE,
  ADVANCE.replace("a.status", "CASE a.status WHEN 'FAILED' THEN 'COMPLETE' ELSE a.status END"),
]);
code("passes are not counted", [ADVANCE, ADVANCE.replace("s.attempts + 1", "s.attempts")]);
code("passes are counted twice", [ADVANCE, ADVANCE.replace("s.attempts + 1", "s.attempts + 2")]);
code("updated_at is in an hour", [
  ADVANCE,
  ADVANCE.replace("clock_timestamp()", "clock_timestamp() + interval '1 hour'"),
]);
code(
  "documents are not changed",
  ["SET payload = a.payload", "SET payload = e.payload || a.payload - 'state'"],
  {
    payload: "jsonb",
  },
);
code("a text gets a space at its end", ["SET payload = a.payload", "SET payload = ' ' || a.payload"], {
  payload: "text",
});
code(
  "documents are made invalid, and expected to be",
  [
    "writeDigit(view, created + 20, (thousandths / 100) | 0)",
    "writeDigit(view, created + 10, (thousandths / 100) | 0)",
  ],
  { isInAudit: true, as: "invalid" },
);
code("some archived events are not copied", [
  "JOIN ${tables.events} AS e ON e.id = a.event_id`",
  "JOIN ${tables.events} AS e ON e.id = a.event_id AND random() < 0.9`",
]);
code("some archived events are not deleted", [
  "DELETE FROM ${tables.events} AS e USING ${keys} AS a WHERE e.id = a.event_id`",
  "DELETE FROM ${tables.events} AS e USING ${keys} AS a WHERE e.id = a.event_id AND random() < 0.9`",
]);
code("the history has one pass more", [COPIED, COPIED.replace("s.attempts", "s.attempts + 1")]);
code("the history has another status", [
  COPIED,
  COPIED.replace("s.status", "CASE s.status WHEN 'FAILED' THEN 'COMPLETE' ELSE 'FAILED' END"),
]);
code("the history has another created_at", [COPIED, COPIED.replace("e.created_at", "clock_timestamp()")], {
  missed:
    "created_at is held to the trial's bounds and to archived_at; the server sets it, and no ledger knows it",
});
code("an add that was acknowledged is booked as failed", [
  'ledger.settle(entry, "acknowledged",',
  'ledger.settle(entry, entry.batch % 10 === 3 ? "failed" : "acknowledged",',
]);
code("the claim takes the newest first", [
  "ORDER BY updated_at LIMIT $1",
  "ORDER BY updated_at DESC LIMIT $1",
]);
code("a read gets the oldest", ["ORDER BY created_at DESC LIMIT $2", "ORDER BY created_at LIMIT $2"]);
code("a read gets one row too few", [
  "ORDER BY created_at DESC LIMIT $2",
  "ORDER BY created_at DESC OFFSET 1 LIMIT $2",
]);
