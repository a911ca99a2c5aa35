// Runs the real pgbench on a database of the tests: the one on the PATH, otherwise Debian's. Throws with the reason if
// there is none.
import { spawnSync } from "node:child_process";
import type { OwnDatabase } from "./own-database.js";

export type RunPgbench = (args: readonly string[]) => {
  readonly status: number | null;
  readonly stderr: string;
};

export async function realPgbench({ endpoint }: Pick<OwnDatabase, "endpoint">): Promise<RunPgbench> {
  const finder = new URL("../../bench/peers/find-pgbench.mjs", import.meta.url).href;
  const found = (await import(finder)) as { readonly findPgbench: () => Promise<string> };
  const pgbench = await found.findPgbench();
  const { host, port, user, database, password = "" } = endpoint;
  const connection = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database };
  const env = { ...process.env, ...connection, PGPASSWORD: password };
  return (args) => {
    const { status, stderr, error } = spawnSync(pgbench, args, { env, encoding: "utf8", maxBuffer: 1e8 });
    if (error) throw error;
    return { status, stderr };
  };
}
