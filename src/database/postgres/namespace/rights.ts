// Rights that train-sim's role lacks on a server of the user, and the lines that grant them. Reads the catalogue alone.
import type { AdminClient } from "../admin.js";
import type { SqlRow } from "../../sql.js";
import { managedServiceOf, type ManagedService } from "../managed-services.js";
import { quoteIdentifier } from "../quoting.js";
import { postgres } from "../dialects/postgres/dialect.js";
import { namespaceState } from "./namespace.js";

export interface MissingRight {
  /** True if nothing can run without the right; false if only some evidence is missing. */
  readonly isNeeded: boolean;
  readonly words: string;
  readonly remedy: string;
}

const RIGHTS_SQL = `SELECT current_user::text AS role, current_database()::text AS database,
  has_database_privilege(current_database(), 'CREATE') AS creates,
  coalesce((SELECT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = 'pg_read_all_stats'), true) AS "seesAll",
  EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_stat_statements') AS "hasStatements",
  EXISTS (SELECT FROM pg_settings WHERE name = 'pg_stat_statements.max') AS "isPreloaded",
  (SELECT setting FROM pg_settings WHERE name = 'shared_preload_libraries') AS "preloaded"`;

/** Query for the owner of the schema $1, if our role lacks the owner's rights. */
const STRANGER_OWNER_SQL = `SELECT pg_get_userbyid(nspowner)::text AS owner FROM pg_namespace
  WHERE nspname = $1 AND NOT pg_has_role(nspowner, 'USAGE')`;

export async function missingRights(
  client: AdminClient,
  namespaces: readonly string[],
): Promise<MissingRight[]> {
  const [row] = await client.query(RIGHTS_SQL);
  const role = String(row?.["role"]);
  const database = String(row?.["database"]);
  const missing: MissingRight[] = [];
  if (row?.["creates"] !== true)
    missing.push({
      isNeeded: true,
      words: `role "${role}" may not create a schema in database "${database}"`,
      remedy: `GRANT CREATE ON DATABASE ${quoteIdentifier(database)} TO ${quoteIdentifier(role)};`,
    });
  for (const namespace of namespaces) {
    if ((await namespaceState(client, namespace, postgres)).kind !== "ours") continue;
    const [stranger] = await client.query(STRANGER_OWNER_SQL, [namespace]);
    if (!stranger) continue;
    const owner = String(stranger["owner"]);
    missing.push({
      isNeeded: true,
      words: `schema "${namespace}" belongs to role "${owner}", and role "${role}" may not drop it`,
      remedy: `GRANT ${quoteIdentifier(owner)} TO ${quoteIdentifier(role)};`,
    });
  }
  if (row?.["seesAll"] !== true)
    missing.push({
      isNeeded: false,
      words: `role "${role}" may not read statistics of other roles: evidence will lack sessions, waits, vacuums and statements of theirs`,
      remedy: `GRANT pg_monitor TO ${quoteIdentifier(role)};`,
    });
  const statements = statementRemedies(row, await managedServiceOf(client));
  if (statements.length > 0)
    missing.push({
      isNeeded: false,
      words: `database "${database}" has no working extension pg_stat_statements: evidence will lack the server's time by statement`,
      remedy: statements.join("\n"),
    });
  return missing;
}

/**
 * Remedies if pg_stat_statements cannot be read: it needs its library loaded at the server's start, and its views in the
 * database.
 */
function statementRemedies(row: SqlRow | undefined, service: ManagedService | undefined): string[] {
  return [
    ...(row?.["isPreloaded"] === true ? [] : preloadRemedies(row?.["preloaded"], service)),
    ...(row?.["hasStatements"] === true ? [] : ["CREATE EXTENSION pg_stat_statements;"]),
  ];
}

/** `preloaded` has the libraries that are loaded; null if the role may not read them. */
function preloadRemedies(preloaded: unknown, service: ManagedService | undefined): string[] {
  if (service) return [`-- ${service.preload}`];
  if (typeof preloaded !== "string")
    return ["-- Add it to shared_preload_libraries, keep the others there, and restart the server."];
  const libraries = [...preloaded.split(/[\s,]+/).filter((name) => name !== ""), "pg_stat_statements"];
  const quoted = libraries.map((name) => `'${name.replaceAll("'", "''")}'`);
  return [`ALTER SYSTEM SET shared_preload_libraries = ${quoted.join(", ")};`, "-- Restart the server."];
}
