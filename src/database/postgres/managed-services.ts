// Services that run PostgreSQL for their users, recognised by roles and functions that each of them documents.
import type { SqlClient } from "./admin.js";

export interface ManagedService {
  readonly name: string;
  /** SQL condition that holds on the service's servers only. */
  readonly sign: string;
  /** How a library is added to those that the server loads at its start. */
  readonly preload: string;
}

const hasRole = (name: string): string => `EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}')`;

/** Aurora has the roles of RDS, too, so it comes first. */
const SERVICES: readonly ManagedService[] = [
  {
    name: "Amazon Aurora",
    sign: "to_regproc('aurora_version') IS NOT NULL",
    preload: "Add it to shared_preload_libraries in the cluster's parameter group, and reboot the writer.",
  },
  {
    name: "Amazon RDS",
    sign: hasRole("rds_superuser"),
    preload: "Add it to shared_preload_libraries in the instance's parameter group, and reboot.",
  },
  {
    name: "Google Cloud SQL",
    sign: hasRole("cloudsqlsuperuser"),
    preload: "Create the extension first; look at the instance's database flags if it still does not work.",
  },
  {
    name: "Azure Database for PostgreSQL",
    sign: hasRole("azure_pg_admin"),
    preload: "Add it to the server parameters azure.extensions and shared_preload_libraries, and restart.",
  },
  {
    name: "Neon",
    sign: hasRole("neon_superuser"),
    preload: "Create the extension first; ask Neon if it still does not work.",
  },
  {
    name: "Supabase",
    sign: hasRole("supabase_admin"),
    preload: "Enable it among the project's database extensions.",
  },
];

/** The service that runs the server; undefined if no sign of one is there. */
export async function managedServiceOf(client: SqlClient): Promise<ManagedService | undefined> {
  const [row] = await client.query(`SELECT ${SERVICES.map(({ sign }, i) => `${sign} AS "${i}"`).join(", ")}`);
  return SERVICES.find((_, i) => row?.[String(i)] === true);
}
