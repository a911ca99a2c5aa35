/** PostgreSQL's quoting of a name, which its relatives share. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
