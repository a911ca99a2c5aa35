// A queue of one table, claimed with SKIP LOCKED and found by a poll: the example of docs/reference/queue-adapters.md.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { role, url, schema, connections, concurrency } = JSON.parse((await lines.next()).value);
const pool = new pg.Pool({ connectionString: url, max: connections });
const jobs = `"${schema}".jobs`;
const create = `CREATE TABLE ${jobs} (n bigserial PRIMARY KEY, payload jsonb, priority int, due timestamptz,
  attempt int DEFAULT 0, state text DEFAULT 'waiting')`;
const insert = `WITH caller AS (INSERT INTO "${schema}".callers SELECT $2 WHERE $3::boolean)
  INSERT INTO ${jobs} (payload, priority, due) SELECT j->'payload', coalesce((j->>'priority')::int, 0),
    now() + coalesce((j->>'delayMs')::float, 0) * interval '1 ms' FROM jsonb_array_elements($1) AS j`;
const claim = `UPDATE ${jobs} SET state = 'running', attempt = attempt + 1 WHERE n = (SELECT n FROM ${jobs}
  WHERE state = 'waiting' AND due <= now() ORDER BY priority DESC, n LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *`;
const end = `UPDATE ${jobs} SET state = $2 WHERE n = $1`;
const ready = { event: "ready", library: "tiny", version: "1", promise: "at-least-once", acknowledges: true };
const send = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const report = (event, { payload, attempt }) =>
  send({ event, id: payload.id, attempt, atMs: Number(process.hrtime.bigint()) / 1e6 });
process.on("uncaughtException", ({ message }) => {
  send({ event: "broken", message, remedy: "Correct tiny.mjs or the scenario." });
  process.exit(1);
});

async function enqueue({ enqueue: added, request, transaction }) {
  try {
    await pool.query(insert, [JSON.stringify(added), added[0].payload.id, transaction]);
    send({ event: "enqueued", request });
  } catch ({ message, code }) {
    send({ event: "refused", request, message, code });
  }
}
async function handle(job) {
  report("started", job);
  await sleep(job.payload.ms);
  const isFailing = job.attempt <= job.payload.fails;
  await pool.query(end, [job.n, isFailing ? "waiting" : "done"]);
  report(isFailing ? "failed" : "finished", job);
}
let isStopping = false;
async function work() {
  while (!isStopping) {
    const [job] = (await pool.query(claim)).rows;
    await (job ? handle(job) : sleep(20));
  }
}
await pool.query(role === "install" ? create : "SELECT 1");
send({ ...ready, jobs: `SELECT payload->>'id' AS id, state, payload FROM ${jobs}` });
const underWay = role === "work" ? Array.from({ length: concurrency }, work) : [];
for await (const line of role === "enqueue" || role === "work" ? lines : []) {
  const command = JSON.parse(line);
  if (command.stop) break;
  underWay.push(enqueue(command));
}
isStopping = true;
await Promise.all(underWay);
process.exit(0);
