// Facts for `doctor`, on a separate server with roles and settings that managed services give.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startEmbedded } from "../../targets/embedded/embedded.js";
import type { RunningTarget } from "../../targets/running-target.js";
import type { ServerFact } from "../contract.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { managedServiceOf } from "./managed-services.js";
import { missingRights } from "./namespace/rights.js";
import { serverFacts } from "./server-facts.js";

let target: RunningTarget;
let admin: AdminClient;
let limited: AdminClient;

beforeAll(async () => {
  target = await startEmbedded(
    { shared_preload_libraries: "pg_prewarm", track_wal_io_timing: "off" },
    { maxConnectionsNeeded: 10 },
  );
  admin = await connectAdmin(target.admin);
  await admin.query(
    "CREATE ROLE tenant LOGIN PASSWORD 'tenant'; GRANT CREATE ON DATABASE postgres TO tenant",
  );
  limited = await connectAdmin({ ...target.admin, user: "tenant", password: "tenant" });
});
afterAll(async () => {
  await limited.close();
  await admin.close();
  await target.stop();
});

function about(facts: readonly ServerFact[], what: string): ServerFact | undefined {
  return facts.find((fact) => fact.what === what);
}

it("rights that a role lacks are optional, each with the statement that grants it", async () => {
  const facts = await serverFacts(limited);
  expect(about(facts, "service")).toMatchObject({ state: "ok", words: "no sign of a managed service" });
  expect(about(facts, "role")?.words).toBe('"tenant" is no superuser, and need not be one');
  expect(about(facts, "faults")).toMatchObject({
    state: "optional",
    remedy: 'GRANT pg_signal_backend TO "tenant";',
  });
  expect(about(facts, "checkpoints")).toMatchObject({
    state: "optional",
    remedy: 'GRANT pg_checkpoint TO "tenant";',
  });
  expect(about(facts, "evidence")?.remedy).toContain("ALTER SYSTEM SET track_wal_io_timing = on;");
  for (const what of ["faults", "checkpoints"]) await admin.query(about(facts, what)?.remedy ?? "");
  const granted = await serverFacts(limited);
  expect([about(granted, "faults"), about(granted, "checkpoints")]).toEqual([undefined, undefined]);
});

it("a superuser has more rights than a run needs", async () => {
  const facts = await serverFacts(admin);
  expect(about(facts, "role")?.words).toContain("a role with CREATE on the database is enough");
  expect(about(facts, "faults")).toBeUndefined();
});

it.each([
  [
    "Amazon Aurora",
    "FUNCTION aurora_version() RETURNS text LANGUAGE sql AS 'SELECT 1::text'",
    "FUNCTION aurora_version()",
  ],
  ["Amazon RDS", "ROLE rds_superuser", "ROLE rds_superuser"],
  ["Google Cloud SQL", "ROLE cloudsqlsuperuser", "ROLE cloudsqlsuperuser"],
  ["Azure Database for PostgreSQL", "ROLE azure_pg_admin", "ROLE azure_pg_admin"],
  ["Neon", "ROLE neon_superuser", "ROLE neon_superuser"],
  ["Supabase", "ROLE supabase_admin", "ROLE supabase_admin"],
])("%s is recognised, and remedies are its settings and no ALTER SYSTEM", async (name, made, dropped) => {
  await admin.query(`CREATE ${made}`);
  try {
    const service = await managedServiceOf(limited);
    expect(service?.name).toBe(name);
    const facts = await serverFacts(limited);
    expect(about(facts, "service")?.words).toContain(`${name}: its poolers`);
    const statements = (await missingRights(limited, [])).at(-1);
    expect(statements?.remedy).toBe(`-- ${service?.preload}\nCREATE EXTENSION pg_stat_statements;`);
    expect(facts.map(({ remedy }) => remedy).join()).not.toContain("ALTER SYSTEM");
  } finally {
    await admin.query(`DROP ${dropped}`);
  }
});

it("a role that may not read the loaded libraries gets no statement that would drop them", async () => {
  const seen = (await missingRights(admin, [])).at(-1);
  expect(seen?.remedy).toContain(
    "ALTER SYSTEM SET shared_preload_libraries = 'pg_prewarm', 'pg_stat_statements';",
  );
  const unseen = (await missingRights(limited, [])).at(-1);
  expect(unseen?.remedy).toContain("-- Add it to shared_preload_libraries, keep the others there");
});
