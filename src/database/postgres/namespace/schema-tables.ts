import type { SqlClient } from "../admin.js";

/** Qualified, quoted names of all tables in the schema. */
export async function tablesOfSchema(client: SqlClient, schema: string): Promise<string[]> {
  const rows = await client.query(
    `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`,
    [schema],
  );
  return rows.map(({ name }) => String(name));
}
