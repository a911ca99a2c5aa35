// An advisory lock is seen by every session of its database, through poolers and proxies, and by no other. A database of
// several servers (Citus, BDR, Spock, YugabyteDB) has locks of each server: there a lock that is not seen proves nothing.
import { freshSeed } from "../../foundation/prng.js";
import type { Endpoint } from "../endpoint.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { LIMITED } from "./session-limits.js";

/** First key of the lock; the second is random. */
const TOKEN = 0x74_72_61_69;

/** The place of a session, by its own words. */
export interface Place {
  /** The server's role, which is another than the URL's where a pooler logs in as somebody else. */
  readonly role: string;
  readonly database: string;
  /** `10.0.0.7:5432`, as the server itself calls it. */
  readonly address: string;
  /** The start of the server, UTC. */
  readonly started: string;
  readonly isStandby: boolean;
  /** Whether several servers may make up this database. */
  readonly isShared: boolean;
}

const PLACE = `current_user::text AS role, current_database()::text AS database,
  coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket') AS address,
  to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started,
  pg_is_in_recovery() AS "isStandby",
  version() ~ '-YB-' OR EXISTS (SELECT FROM pg_extension WHERE extname IN ('citus', 'bdr', 'spock')) AS "isShared"`;

const SEES = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND classid = ${TOKEN} AND objid = $1::bigint::oid
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS "sees"`;

export async function placeOf(client: AdminClient): Promise<Place> {
  const [row] = await client.query(`SELECT ${PLACE}`);
  return row as unknown as Place;
}

/** An observation through an endpoint. */
export interface Sight extends Place {
  readonly isSame: boolean;
  /** Whether its role has the rights of the role that was asked about; null where there is no such role. */
  readonly hasRole: boolean | null;
  /** Its settings that limit a session: see `settingLimits`. */
  readonly limited: string;
}

export class Token {
  private readonly key = freshSeed() >>> 1;

  private constructor(private readonly session: AdminClient) {}

  static async plant(endpoint: Endpoint): Promise<Token> {
    const token = new Token(await connectAdmin(endpoint, { purpose: "preflight" }));
    try {
      await token.session.query("BEGIN");
      await token.session.query("SELECT pg_advisory_xact_lock($1, $2)", [TOKEN, token.key]);
      return token;
    } catch (error) {
      await token.session.close();
      throw error;
    }
  }

  /** Rejects as `connectAdmin` does. */
  async lookFrom(endpoint: Endpoint, role: string): Promise<Sight> {
    const client = await connectAdmin(endpoint, { purpose: "preflight", keepsTimeLimits: true });
    try {
      const [row] = await client.query(
        `SELECT ${PLACE}, ${SEES}, ${LIMITED},
           (SELECT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = $2) AS "hasRole"`,
        [this.key, role],
      );
      const { sees, ...place } = row as unknown as Omit<Sight, "isSame"> & { sees: boolean };
      return { ...place, isSame: sees };
    } finally {
      await client.close();
    }
  }

  /** Never rejects. */
  async remove(): Promise<void> {
    await this.session.query("ROLLBACK").catch(() => undefined);
    await this.session.close();
  }
}
