// The single server of the bench: train-sim's embedded PostgreSQL with its default settings, the namespace that every peer
// works in, and documents for peers that make none. It also reads the counters of a window: events and passes by the
// database's clock, WAL, and processor time of the server's processes, ended ones included.
import { connectAdmin } from "#program/database/postgres/admin.js";
import { resetNamespace } from "../reset-namespace.mjs";
import { textArray, uuidArray } from "#program/database/postgres/wire/binary-arrays.js";
import { machineUsage, ticksOfTree } from "#program/foundation/machine-usage.js";
import {
  DEFAULT_DOCUMENT_BYTES,
  DocumentGenerator,
} from "#program/workloads/train-events/model/document-generator.js";
import { startEmbedded } from "#program/targets/embedded/embedded.js";

export const NAMESPACE = "train_sim";
/** Number of documents made in advance. They have the kind and size of train-sim's. */
export const DOCUMENTS = 20_000;
const PIECE = 1_000;
/** Ticks per second in Linux's /proc, whatever the kernel's own timer frequency. */
const TICKS_PER_SECOND = 100;

export async function openServer(clients) {
  const target = await startEmbedded({}, { maxConnectionsNeeded: clients + 4 });
  const admin = await connectAdmin(target.admin, { purpose: "bench" });
  await admin.query("CREATE SCHEMA peers");
  await fillDocuments(admin);
  return new Server(target, admin);
}

/**
 * Fills the table of documents. Payloads are text at every level: if a level is JSONB, the server must parse them for every
 * peer.
 */
async function fillDocuments(admin) {
  await admin.query(`CREATE TABLE peers.documents (
    number integer PRIMARY KEY, payload text NOT NULL, event_type text NOT NULL, authority_id uuid NOT NULL,
    train_id text NOT NULL)`);
  const generator = new DocumentGenerator(1, "peers", DEFAULT_DOCUMENT_BYTES);
  for (let first = 0; first < DOCUMENTS; first += PIECE) {
    const made = Array.from({ length: PIECE }, (_, index) => generator.at(first + index));
    await admin.query(
      `INSERT INTO peers.documents
       SELECT $1::integer + n - 1, payload, event_type, authority_id, train_id
       FROM unnest($2::text[], $3::text[], $4::uuid[], $5::text[])
         WITH ORDINALITY AS d (payload, event_type, authority_id, train_id, n)`,
      [
        first,
        textArray(made.map(({ json }) => json)),
        textArray(made.map(({ eventType }) => eventType)),
        uuidArray(made.map(({ authorityId }) => authorityId)),
        textArray(made.map(({ trainId }) => trainId)),
      ],
    );
  }
  await admin.query("VACUUM ANALYZE peers.documents");
}

class Server {
  constructor(target, admin) {
    this.target = target;
    this.admin = admin;
  }

  get endpoint() {
    return this.target.admin;
  }

  /** Connection URL without a password, which programs take from PGPASSWORD. */
  get url() {
    const { user, host, port, database } = this.endpoint;
    return `postgresql://${user}@${host}:${port}/${database}`;
  }

  get environment() {
    const { user, host, port, database, password } = this.endpoint;
    const libpq = {
      PGUSER: user,
      PGHOST: host,
      PGPORT: String(port),
      PGDATABASE: database,
      PGPASSWORD: password,
    };
    return { ...process.env, ...libpq };
  }

  /**
   * Makes empty tables of a payload level, removes dead rows of earlier runs from the system catalogues, and makes a
   * checkpoint.
   */
  async reset(payload) {
    await resetNamespace(this.admin, { namespace: NAMESPACE, payload });
    await this.admin.query("VACUUM pg_catalog.pg_class, pg_catalog.pg_attribute, pg_catalog.pg_depend");
    await this.admin.query("CHECKPOINT");
  }

  /** Gathers statistics, like train-sim does during its warm-up: plans for empty tables would distort the comparison. */
  async analyze() {
    for (const table of ["events", "event_status", "events_archive"])
      await this.admin.query(`ANALYZE ${NAMESPACE}.${table}`);
  }

  async isInUse() {
    const [row] = await this.admin.query(`SELECT EXISTS (SELECT FROM ${NAMESPACE}.events_archive) AS used`);
    return row.used;
  }

  /** Reads the counters at one end of a window. `clientPids` has the process ids from which the peer's processes descend. */
  async counters(clientPids) {
    const [row] = await this.admin.query(
      "SELECT clock_timestamp()::text AS at, pg_current_wal_insert_lsn() - '0/0' AS wal_bytes",
    );
    const machine = machineUsage();
    if (!machine) throw new Error("processor time of processes is read from /proc, which is not here");
    const seconds = (pids) =>
      pids.reduce((sum, pid) => sum + ticksOfTree(machine.processes, pid), 0) / TICKS_PER_SECOND;
    return {
      at: row.at,
      atMs: Date.parse(row.at),
      walBytes: Number(row.wal_bytes),
      serverCpuSeconds: seconds([this.target.serverPid]),
      clientCpuSeconds: seconds(clientPids),
    };
  }

  /** Counts events after the window, so that counting affects no peer's figures. */
  async eventsBetween(from, to) {
    const [row] = await this.admin.query(
      `SELECT count(*) AS archived, coalesce(avg(attempts), 0)::float8 AS passes,
         coalesce(avg((status = 'FAILED')::integer), 0)::float8 AS "failedShare"
       FROM ${NAMESPACE}.events_archive WHERE archived_at >= $1::timestamptz AND archived_at < $2::timestamptz`,
      [from, to],
    );
    const [added] = await this.admin.query(
      `SELECT count(*) FILTER (WHERE created_at < $1::timestamptz) AS before,
         count(*) FILTER (WHERE created_at >= $1::timestamptz AND created_at < $2::timestamptz) AS within
       FROM (SELECT created_at FROM ${NAMESPACE}.events UNION ALL SELECT created_at FROM ${NAMESPACE}.events_archive) AS e`,
      [from, to],
    );
    return { ...row, addedBefore: added.before, added: added.within };
  }

  async close() {
    await this.admin.close();
    await this.target.stop();
  }
}
