import type { AdminClient } from "../../database/postgres/admin.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import { TargetError } from "../../foundation/errors.js";
import { withConsole } from "../console.js";

export async function readVersion(console: AdminClient): Promise<string> {
  const [row] = await console.query("SHOW VERSION");
  const text = typeof row?.["version"] === "string" ? row["version"] : "";
  const version = /\d+(?:\.\d+)+/.exec(text)?.[0];
  if (version !== undefined) return version;
  throw new TargetError(
    `${describeEndpoint(console.endpoint)} is not a PgBouncer console: SHOW VERSION answered "${text}"`,
    'Name the console\'s database, "pgbouncer", in pool.adminUrl.',
  );
}

export async function readConfig(console: AdminClient): Promise<Record<string, string>> {
  const rows = await console.query("SHOW CONFIG");
  return Object.fromEntries(
    rows.flatMap(({ key, value }) =>
      typeof key === "string" && typeof value === "string" ? [[key, value]] : [],
    ),
  );
}

export const versionAt = (endpoint: Endpoint): Promise<string> => withConsole(endpoint, readVersion);
export const settingsAt = (endpoint: Endpoint): Promise<Record<string, string>> =>
  withConsole(endpoint, readConfig);
