// Peer `procedure`: the cycle inside the server, one CALL for each client and for the whole load, with a COMMIT after each
// transaction. It has no client and no network, so it shows the server's upper limit with this SQL.
import pg from "pg";
import { BATCH, LAST_FIRST_DOCUMENT, sameStatements } from "./statements.mjs";

/** The statement as one that counts its rows and returns the number, since a procedure must put a result somewhere. */
function countingStatement(statement) {
  const last = statement.lastIndexOf("\nSELECT ");
  const source = /\bFROM (\w+)/.exec(statement.slice(last));
  if (last < 0 || !source)
    throw new Error(`train-sim's statement has changed: it no longer ends with a SELECT: ${statement}`);
  return `${statement.slice(0, last)}\nSELECT count(*) INTO batch_moved FROM ${source[1]}`;
}

function body(payload) {
  const { add, process, archive } = sameStatements(payload, { size: "batch_size", first: "batch_first" });
  const size = `batch_size := floor(random() * ${BATCH.max - BATCH.min + 1})::integer + ${BATCH.min};`;
  return `CREATE OR REPLACE PROCEDURE peers.cycles(until_time timestamptz) LANGUAGE plpgsql AS $body$
DECLARE batch_size integer; batch_first integer; batch_moved bigint;
BEGIN
  WHILE clock_timestamp() < until_time LOOP
    batch_first := floor(random() * ${LAST_FIRST_DOCUMENT + 1})::integer;
    ${size}
    ${add};
    COMMIT;
    ${size}
    ${countingStatement(process)};
    COMMIT;
    ${size}
    ${countingStatement(archive)};
    COMMIT;
  END LOOP;
END $body$`;
}

export async function prepare() {
  return { version: "PL/pgSQL", start };
}

async function start(server, { payload, clients, loadSeconds }) {
  await server.admin.query(body(payload));
  const { host, port, user, password, database } = server.endpoint;
  const sessions = Array.from(
    { length: clients },
    () => new pg.Client({ host, port, user, password, database }),
  );
  await Promise.all(sessions.map((session) => session.connect()));
  let hasEnded = false;
  const call = `CALL peers.cycles(clock_timestamp() + interval '${loadSeconds} seconds')`;
  const ended = Promise.all(sessions.map((session) => session.query(call)))
    .then(
      () => undefined,
      (error) => error.message,
    )
    .finally(() => (hasEnded = true));
  return {
    pids: [],
    ended,
    hasEnded: () => hasEnded,
    async stop() {
      await ended;
      await Promise.all(sessions.map((session) => session.end()));
    },
  };
}
