// Facts about a server and a role that limit no run, but part of its evidence or its faults.
import type { ServerFact } from "../contract.js";
import type { AdminClient } from "./admin.js";
import { managedServiceOf } from "./managed-services.js";
import { quoteIdentifier } from "./quoting.js";
import { readServerInfo } from "./server-info.js";

/** Rights are null if the version has no such role. */
const FACTS_SQL = `SELECT current_user::text AS role,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
  (SELECT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = 'pg_signal_backend') AS signals,
  (SELECT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = 'pg_checkpoint') AS checkpoints,
  current_setting('track_wal_io_timing', true) AS "walTiming"`;

export async function serverFacts(admin: AdminClient): Promise<ServerFact[]> {
  const { dialect } = await readServerInfo(admin);
  if (dialect !== "postgres") return [];
  const service = await managedServiceOf(admin);
  const [row] = await admin.query(FACTS_SQL);
  const role = String(row?.["role"]);
  const quotedRole = quoteIdentifier(role);
  const isSuperuser = row?.["isSuperuser"] === true;
  const facts: ServerFact[] = [
    {
      state: "ok",
      what: "service",
      words: service
        ? `${service.name}: its poolers, roles, limits and costs are in docs/guide/managed-databases.md`
        : "no sign of a managed service",
      remedy: "",
    },
    {
      state: "ok",
      what: "role",
      words: isSuperuser
        ? `"${role}" is a superuser; a role with CREATE on the database is enough`
        : `"${role}" is no superuser, and need not be one`,
      remedy: "",
    },
  ];
  if (row?.["signals"] !== true && !isSuperuser)
    facts.push({
      state: "optional",
      what: "faults",
      words: `role "${role}" ends its own sessions only: a load of another role has no session faults`,
      remedy: `GRANT pg_signal_backend TO ${quotedRole};`,
    });
  if (row?.["checkpoints"] !== true && !isSuperuser)
    facts.push({
      state: "optional",
      what: "checkpoints",
      words: `role "${role}" may not request a checkpoint before each trial: they come by the server's schedule`,
      remedy:
        row?.["checkpoints"] === false
          ? `GRANT pg_checkpoint TO ${quotedRole};`
          : "Before PostgreSQL 15 only a superuser may. Use windows of several checkpoint_timeout.",
    });
  if (row?.["walTiming"] === "off")
    facts.push({
      state: "optional",
      what: "evidence",
      words: "track_wal_io_timing is off: times of writing and flushing the log will be missing",
      remedy: service
        ? `Set track_wal_io_timing = on in the settings of ${service.name}.`
        : "ALTER SYSTEM SET track_wal_io_timing = on; SELECT pg_reload_conf();",
    });
  return facts;
}
