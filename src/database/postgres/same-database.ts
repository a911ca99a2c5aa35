// Every session of a database sees its advisory lock; on several servers (Citus, BDR) an unseen lock proves nothing.
import { freshSeed } from "../../foundation/prng.js";
import type { Endpoint } from "../endpoint.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { LIMITED_COLUMN_SQL } from "./session-limits.js";

/** First key of the advisory lock that marks the database during the check; the second key is random. */
const TOKEN_LOCK_KEY = 0x74_72_61_69;

/** Place at which a session has arrived, as its server reports it. */
export interface SessionPlace {
  readonly role: string;
  readonly database: string;
  /** Address of the server as it sees itself, such as `10.0.0.7:5432`. */
  readonly address: string;
  /** Start time of the server, in UTC. */
  readonly started: string;
  readonly isStandby: boolean;
  readonly isShared: boolean;
}

const PLACE_COLUMNS_SQL = `current_user::text AS role, current_database()::text AS database,
  coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket') AS address,
  to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started,
  pg_is_in_recovery() AS "isStandby",
  version() ~ '-YB-' OR EXISTS (SELECT FROM pg_extension WHERE extname IN ('citus', 'bdr', 'spock')) AS "isShared"`;

const SEES_LOCK_SQL = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND classid = ${TOKEN_LOCK_KEY} AND objid = $1::bigint::oid
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS "canSeeToken"`;

export async function sessionPlaceOf(client: AdminClient): Promise<SessionPlace> {
  const [row] = await client.query(`SELECT ${PLACE_COLUMNS_SQL}`);
  return row as unknown as SessionPlace;
}

/** Facts about the server and the role that a session through an endpoint observes. */
export interface EndpointObservation extends SessionPlace {
  readonly isSame: boolean;
  /** True if the session's role has the rights of the role asked about; null if that role does not exist. */
  readonly hasRole: boolean | null;
  /** Settings that limit the session, as JSON: see `settingLimits`. */
  readonly limited: string;
}

export class DatabaseToken {
  private readonly key = freshSeed() >>> 1;

  private constructor(private readonly session: AdminClient) {}

  static async acquire(endpoint: Endpoint): Promise<DatabaseToken> {
    const token = new DatabaseToken(await connectAdmin(endpoint, { purpose: "preflight" }));
    try {
      await token.session.query("BEGIN");
      await token.session.query("SELECT pg_advisory_xact_lock($1, $2)", [TOKEN_LOCK_KEY, token.key]);
      return token;
    } catch (error) {
      await token.session.close();
      throw error;
    }
  }

  /** Observes the server through another endpoint. Rejects like `connectAdmin`. */
  async observeFrom(endpoint: Endpoint, role: string): Promise<EndpointObservation> {
    const client = await connectAdmin(endpoint, { purpose: "preflight", keepsTimeLimits: true });
    try {
      const [row] = await client.query(
        `SELECT ${PLACE_COLUMNS_SQL}, ${SEES_LOCK_SQL}, ${LIMITED_COLUMN_SQL},
           (SELECT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = $2) AS "hasRole"`,
        [this.key, role],
      );
      const { canSeeToken, ...place } = row as unknown as Omit<EndpointObservation, "isSame"> & {
        canSeeToken: boolean;
      };
      return { ...place, isSame: canSeeToken };
    } finally {
      await client.close();
    }
  }

  /** Releases the lock and closes its session. Never rejects. */
  async remove(): Promise<void> {
    await this.session.query("ROLLBACK").catch(() => undefined);
    await this.session.close();
  }
}
