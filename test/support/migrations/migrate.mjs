// A small migration tool: it applies migrations/*.sql in order, each once. A table has the names of the applied files. The
// connection comes from DATABASE_URL.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { default: pg } = await import(createRequire(import.meta.url).resolve("pg"));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query("CREATE TABLE IF NOT EXISTS applied_migration (name text PRIMARY KEY)");
const { rows } = await client.query("SELECT name FROM applied_migration");
const applied = new Set(rows.map(({ name }) => name));
for (const name of readdirSync("migrations").sort()) {
  if (applied.has(name)) continue;
  process.stdout.write(`applying ${name}\n`);
  await client.query(readFileSync(join("migrations", name), "utf8"));
  await client.query("INSERT INTO applied_migration VALUES ($1)", [name]);
}
await client.end();
