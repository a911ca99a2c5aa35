// Limits on a role or a database, each with the line that lifts it. Reads the catalogue alone.
import { counted } from "../../foundation/units.js";
import type { SqlClient } from "./admin.js";
import { quoteIdentifier } from "./quoting.js";
import { APPLICATION_NAME } from "../contract.js";
import { IS_TIME_LIMIT_SQL } from "./time-limits.js";

export interface SessionLimit {
  /** True if a run cannot work with the limit; false if the limit is a part of what is measured. */
  readonly isFatal: boolean;
  readonly words: string;
  readonly remedy: string;
}

const READ_ONLY_SETTING = "default_transaction_read_only";

/** Time limit in milliseconds below which a load cannot work: no transaction can end in less. */
const TIME_LIMIT_MIN_MS = 10;

/** Column of a SELECT: the settings that limit the session, as JSON. */
export const LIMITED_COLUMN_SQL = `(SELECT coalesce(json_agg(json_build_object('name', name, 'value', current_setting(name), 'setting', setting, 'source', source)), '[]')::text
    FROM pg_settings WHERE (${IS_TIME_LIMIT_SQL})
      OR (name = '${READ_ONLY_SETTING}' AND setting = 'on')) AS "limited"`;

interface LimitingSetting {
  readonly name: string;
  readonly value: string;
  /** Value in the setting's own unit, which for a time limit is milliseconds. */
  readonly setting: string;
  /** Level at which the value was set: `user`, `database`, `database user`, `configuration file`. */
  readonly source: string;
}

export function settingLimits(
  where: string,
  { role, database, limited }: { readonly role: string; readonly database: string; readonly limited: string },
): SessionLimit[] {
  const settings = JSON.parse(limited) as readonly LimitingSetting[];
  return settings.map(({ name, value, setting, source }): SessionLimit => {
    const [of, remedy] = limitOrigin(source, name, role, database);
    const words =
      name === READ_ONLY_SETTING
        ? `${where} takes no writes: ${name} is on for ${of}`
        : `${where} has ${name} ${value}, set for ${of}: work that takes longer fails and counts as a failure`;
    return { isFatal: name === READ_ONLY_SETTING || Number(setting) < TIME_LIMIT_MIN_MS, words, remedy };
  });
}

function limitOrigin(
  source: string,
  name: string,
  role: string,
  database: string,
): [of: string, remedy: string] {
  const [ofRole, ofDatabase] = [quoteIdentifier(role), quoteIdentifier(database)];
  if (source === "user") return [`role "${role}"`, `ALTER ROLE ${ofRole} RESET ${name};`];
  if (source === "database") return [`database "${database}"`, `ALTER DATABASE ${ofDatabase} RESET ${name};`];
  if (source === "database user")
    return [
      `role "${role}" in database "${database}"`,
      `ALTER ROLE ${ofRole} IN DATABASE ${ofDatabase} RESET ${name};`,
    ];
  const unlimitedValue = name === READ_ONLY_SETTING ? "off" : "0";
  return ["the whole server", `ALTER ROLE ${ofRole} SET ${name} = ${unlimitedValue};`];
}

const CONNECTION_LIMITS_SQL = `SELECT kind, name, max, in_use AS "inUse" FROM (
    SELECT 'role' AS kind, rolname::text AS name, rolconnlimit AS max,
        (SELECT count(*) FROM pg_stat_activity WHERE usename = rolname AND application_name <> '${APPLICATION_NAME}/preflight') AS in_use
      FROM pg_roles WHERE rolname = ANY (string_to_array($1, E'\\n')) AND NOT rolsuper
    UNION ALL
    SELECT 'database', datname::text, datconnlimit,
        (SELECT count(*) FROM pg_stat_activity a WHERE a.datname = d.datname AND application_name <> '${APPLICATION_NAME}/preflight')
      FROM pg_database d WHERE datname = current_database()
       AND EXISTS (SELECT FROM pg_roles WHERE rolname = ANY (string_to_array($1, E'\\n')) AND NOT rolsuper)) limits
  WHERE max >= 0`;

/**
 * CONNECTION LIMITs, of these roles and of the database of `client`, that are below what the run needs. A superuser has
 * none.
 */
export async function connectionLimits(
  client: SqlClient,
  connectionsByRole: ReadonlyMap<string, number>,
): Promise<SessionLimit[]> {
  const rows = await client.query(CONNECTION_LIMITS_SQL, [[...connectionsByRole.keys()].join("\n")]);
  const all = [...connectionsByRole.values()].reduce((sum, each) => sum + each, 0);
  return rows.flatMap((row): SessionLimit[] => {
    const [kind, name] = [String(row["kind"]), String(row["name"])];
    const [max, inUse] = [Number(row["max"]), Number(row["inUse"])];
    const needed = kind === "role" ? (connectionsByRole.get(name) ?? 0) : all;
    if (needed + inUse <= max) return [];
    return [
      {
        isFatal: true,
        words: `${kind} "${name}" may have ${counted(max, "connection")} (CONNECTION LIMIT), ${inUse} are in use, and the run needs ${needed}`,
        remedy: `ALTER ${kind.toUpperCase()} ${quoteIdentifier(name)} CONNECTION LIMIT ${needed + inUse};`,
      },
    ];
  });
}
