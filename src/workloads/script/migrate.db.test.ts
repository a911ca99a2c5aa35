// A command of the user makes the tables of a SQL file in train-sim's namespace before each trial.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { UNCLAIMED_NAMESPACE } from "../../database/contract.js";
import { prepareNamespace } from "../../engine/trial/prepare-namespace.js";
import { messageOf } from "../../foundation/errors.js";
import { parseScenario } from "../../scenario/loader.js";
import { storeOf, workloadOf } from "../registry.js";

const own = ownDatabase("migrate");
const SQL = `-- workload: shop
-- schema
CREATE INDEX item_price ON item (price);
-- preload
INSERT INTO item SELECT g, g FROM generate_series(1, 50) AS g;
-- name: look
-- param: id = uniform(1, 50)
SELECT price FROM item WHERE id = :id;
-- invariant: prices are known
SELECT count(*) = 50 FROM item;
`;
const ITEM = "CREATE TABLE item (id int PRIMARY KEY, price int NOT NULL);\n";

interface Migrated {
  readonly prepare: () => Promise<unknown>;
  readonly tryOut: () => Promise<readonly string[]>;
  readonly log: () => string;
}

/** A trial whose tables psql's words, or another command, make. */
function migratedBy(command: string | readonly string[], more: object = {}): Migrated {
  const directory = scratchDirectory();
  mkdirSync(join(directory, "db"));
  writeFileSync(join(directory, "load.sql"), SQL);
  writeFileSync(join(directory, "db", "item.sql"), ITEM);
  const workload = JSON.stringify({
    file: "./load.sql",
    migrate: { command, directory: "db", ...more },
  });
  const name = join(directory, "scenario.yaml");
  const { treatments } = parseScenario(
    `name: x\nseed: 1\nnamespace: migrated\nworkload: ${workload}\n`,
    name,
  );
  const settings = treatments[0]?.settings;
  if (!settings) throw new Error("the scenario has a treatment");
  const trial = { trial: { seed: 1 }, treatment: { settings }, directory };
  return {
    prepare: () => prepareNamespace({ admin: own.admin, claim: UNCLAIMED_NAMESPACE }, trial, []),
    tryOut: async () =>
      (await workloadOf(settings).loading?.tryOut?.(storeOf(settings), own.admin, settings)) ?? [],
    log: () => readFileSync(join(directory, "migrate.log"), "utf8"),
  };
}

/** A command that sends a text of SQL through node-postgres, which reads the variables of libpq. */
const send = (sql: string): readonly string[] => [
  process.execPath,
  "--input-type=module",
  "-e",
  `const { default: pg } = await import(${JSON.stringify(import.meta.resolve("pg"))});
   const client = new pg.Client();
   await client.connect();
   console.log((await client.query(${JSON.stringify(sql)})).command);
   await client.end();`,
];

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => messageOf(error),
  );
}

async function valueOf(sql: string): Promise<unknown> {
  const [row] = await own.admin.query(sql);
  return Object.values(row ?? {})[0];
}

describe("a command that makes the tables", () => {
  it("runs in each trial's empty namespace, before the schema and the preload of the file", async () => {
    const migrated = migratedBy(send(`${ITEM} CREATE EXTENSION IF NOT EXISTS citext`));
    expect(await migrated.tryOut()).toEqual([]);
    expect(await valueOf("SELECT to_regnamespace('migrated')")).toBeNull();
    for (let trial = 0; trial < 2; trial++) {
      await migrated.prepare();
      expect(await valueOf("SELECT count(*) FROM migrated.item")).toBe(50);
      expect(await valueOf("SELECT reltuples FROM pg_class WHERE oid = 'migrated.item'::regclass")).toBe(50);
      expect(await valueOf("SELECT to_regclass('migrated.item_price')::text")).toBe("migrated.item_price");
      expect(
        await valueOf("SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'citext'"),
      ).toBe("migrated");
    }
  });

  it("is refused if it makes objects in another schema, but for extensions", async () => {
    const migrated = migratedBy(
      send(`${ITEM} CREATE TABLE public.stray (id int); CREATE EXTENSION hstore SCHEMA public`),
    );
    expect(await failureOf(migrated.tryOut())).toBe(
      'workload.migrate made objects outside of schema "migrated": table public.stray. They stay, and trials would share them',
    );
    await own.admin.query("DROP TABLE public.stray");
  });

  fullIt("names a statement of the file that the migrated tables do not fit", async () => {
    const migrated = migratedBy(send("CREATE TABLE item (id int PRIMARY KEY, cost int)"));
    expect(await migrated.tryOut()).toEqual([
      'load.sql:3:1: column "price" does not exist',
      'load.sql:8:8: column "price" does not exist',
    ]);
  });

  it.each(
    casesOf<[string, string, object, string]>(
      [
        [
          "its exit code and last lines, without the password",
          "basename $PWD; cat item.sql; echo $PGPASSWORD $TRAIN_SIM_NAMESPACE >&2; exit 3",
          {},
          "ended with exit code 3. Its last lines:\n    db\n    CREATE TABLE item (id int PRIMARY KEY, price int NOT NULL);\n    ... migrated",
        ],
        [
          "that it took too long",
          "sleep 60 & sleep 60",
          { timeout: "200ms" },
          "had not ended after 0.2 s; it printed nothing",
        ],
        ["its missing directory", "true", { directory: "gone" }, "was not started: its directory"],
      ],
      1,
    ),
  )("fails with %s", async (_, command, more, words) => {
    const migrated = migratedBy(command, more);
    expect(await failureOf(migrated.prepare())).toContain(`workload.migrate: /bin/sh -c ${command} ${words}`);
  });

  fullIt("keeps its output in the trial's directory", async () => {
    const migrated = migratedBy("echo begun; echo $DATABASE_URL; exit 1");
    await failureOf(migrated.prepare());
    expect(migrated.log()).toMatch(
      /^begun\npostgresql:\/\/\w+:\.\.\.@.*options=-csearch_path%3D%22migrated%22\n$/,
    );
  });
});
