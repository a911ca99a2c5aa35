// Statements of the workloads with pgbench's tables on Aurora DSQL, which was not at hand: it takes no TRUNCATE, VACUUM or
// fillfactor, no index that is not ASYNC, and one DDL statement and 3 000 rows a transaction.
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ddl } from "../../test/support/namespace.js";
import type * as Admin from "../database/postgres/admin.js";
import { capabilitiesOf } from "../database/registry.js";
import { parseScenario } from "../scenario/loader.js";
import { postgres as accounts } from "./accounts/stores/postgres.js";
import type { Treatment as AccountsTreatment } from "./accounts/settings.js";
import { postgres as connections } from "./connections/stores/postgres.js";
import type { Treatment as ConnectionsTreatment } from "./connections/settings.js";

const { sent, client } = vi.hoisted(() => {
  const texts: string[] = [];
  const query = async (text: string): Promise<unknown[]> => {
    texts.push(text);
    return [];
  };
  return { sent: texts, client: { query, close: async () => undefined } };
});
vi.mock("../database/postgres/admin.js", async (original) => ({
  ...(await original<typeof Admin>()),
  connectAdmin: async () => client,
}));
const admin = client as unknown as Admin.AdminClient;

beforeEach(() => void sent.splice(0));

function settingsOf(workload: string): unknown {
  const text =
    `name: x\nworkload: ${workload}\ndialect: dsql\n` +
    "target: { url: 'postgresql://app@db.example:5432/app' }\n" +
    (workload === "accounts" ? "isolation: repeatable read\n" : "");
  return parseScenario(text, "x.yaml").treatments[0]?.settings;
}

const listing = (texts: readonly string[]): string => texts.map((text) => `${text};\n`).join("\n");

/** The first INSERT of each table, and all other statements. */
function firstInserts(texts: readonly string[]): string[] {
  const tables = texts.map((text) => /^INSERT INTO (\S+)/.exec(text)?.[1]);
  return texts.filter((_, i) => tables[i] === undefined || tables.indexOf(tables[i]) === i);
}

const insertedRows = (text: string): number => {
  const [, first, last] = /generate_series\((\d+), (\d+)\)/.exec(text) ?? [];
  return Number(last) - Number(first) + 1;
};

describe.each([
  [
    "accounts",
    async (settings: unknown) => {
      const treatment = settings as AccountsTreatment;
      await accounts.fill(admin, treatment, () => true);
      await accounts.scan(admin, treatment, () => undefined);
      return accounts.statements(treatment);
    },
    100_000 + 10 + 1,
  ],
  [
    "connections",
    async (settings: unknown) => {
      const treatment = settings as ConnectionsTreatment;
      await connections.fill(admin, treatment, () => true);
      await connections.scan(admin, treatment, () => undefined);
      return connections.statements(treatment);
    },
    100_000,
  ],
] as const)("workload %s on Aurora DSQL", (workload, send, rows) => {
  test("sends statements that equal the golden file", async () => {
    const statements = await send(settingsOf(workload));
    const tables = ddl({ workload, namespace: "train_sim" }, "dsql");
    const all = [...tables, ...statements.map(({ text }) => text), ...firstInserts(sent)];
    await expect(listing(all)).toMatchFileSnapshot(`golden/${workload}-dsql.sql`);
  });

  test("fills its tables with no more rows in a statement than a transaction may change", async () => {
    await send(settingsOf(workload));
    const counts = sent.filter((text) => text.startsWith("INSERT")).map(insertedRows);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows);
    expect(Math.max(...counts)).toBeLessThanOrEqual(capabilitiesOf("dsql").rowsPerTransaction ?? 0);
  });
});
