// Read on a new session: an open one keeps older values. A part that the role may not see is named.
import { messageOf } from "../../foundation/errors.js";
import type { ServerIdentity } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { connectAdmin, type SqlClient } from "./admin.js";
import { dialectOfProduct, productOf, readSettings, versionOf } from "./server-info.js";

const momentSql = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const IDENTITY_QUERIES = {
  systemIdentifier: "SELECT system_identifier::text AS value FROM pg_control_system()",
  startedAt: `SELECT ${momentSql("pg_postmaster_start_time()")} AS value`,
  configLoadedAt: `SELECT ${momentSql("pg_conf_load_time()")} AS value`,
} as const;

/** Reads the server's identity in a new session. Rejects with a TargetError if no session can be opened. */
export async function readServerIdentity(endpoint: Endpoint): Promise<ServerIdentity> {
  // The check for writes is lifted, since a standby has an identity, too.
  const client = await connectAdmin({ ...endpoint, takesWrites: false }, { purpose: "identity" });
  try {
    return await identityOf(client);
  } finally {
    await client.close();
  }
}

async function identityOf(client: SqlClient): Promise<ServerIdentity> {
  const [row] = await client.query(
    "SELECT version() AS version, to_regclass('sys.jobs') IS NOT NULL AS jobs",
  );
  const text = String(row?.version);
  const product = productOf(text, row?.jobs === true);
  const version = `${product} ${versionOf(text)}`;
  if (!["postgres", "cloudberry"].includes(dialectOfProduct(product) ?? ""))
    return { version, settings: {}, missing: [`${product} does not show its start time and settings`] };
  const parts: Record<string, string> = {};
  const missing: string[] = [];
  for (const [part, query] of Object.entries(IDENTITY_QUERIES)) {
    try {
      const [answer] = await client.query(query);
      if (typeof answer?.value === "string") parts[part] = answer.value;
    } catch (error) {
      missing.push(`${part}: ${messageOf(error)}`);
    }
  }
  return { ...parts, version, settings: await readSettings(client), missing };
}
