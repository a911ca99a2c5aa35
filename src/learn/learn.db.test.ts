import { beforeAll, expect, it } from "vitest";
import pg from "pg";
import { readSqlFile } from "../workloads/own.js";
import { LEARNABLE, runLearnable } from "../../test/support/learnable/learnable.js";
import { ownDatabase } from "../../test/support/own-database.js";
import { urlOf } from "../../test/support/suite-server.js";
import { learn, type LearnOptions } from "./learn.js";

const own = ownDatabase("learn");
const optionsOf = (more: Partial<LearnOptions> = {}): LearnOptions => ({
  ...{ endpoint: own.endpoint, minutes: 0, logs: [], rows: 1_000, permitted: [], coverage: 0.95, nowMs: 0 },
  ...{ wait: () => Promise.resolve() },
  ...more,
});

beforeAll(async () => {
  const client = new pg.Client({ connectionString: urlOf(own.endpoint) });
  await client.connect();
  await client.query("CREATE EXTENSION pg_stat_statements");
  await LEARNABLE.shop.setUp(client);
  await client.query("ANALYZE");
  await client.end();
});

const resetCounts = (): Promise<unknown> =>
  own.admin.query(
    "SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()",
  );

it("learns the transactions of an interval, with their weights and their shared keys", async () => {
  await runLearnable(LEARNABLE.shop, urlOf(own.endpoint), 44);
  const { text, missing } = await learn(
    optionsOf({ minutes: 1, wait: () => runLearnable(LEARNABLE.shop, urlOf(own.endpoint), 220) }),
  );
  const read = readSqlFile(text, "learnt.sql");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  // The rarest transaction is among the learnt ones if its time makes it one.
  const weights = read.program.transactions.map(({ name, weight }) => [name, weight]);
  expect(weights.slice(0, 5)).toEqual([
    ["select-products-by-sku", 80],
    ["select-orders-by-customer_id", 40],
    ["insert-carts", 40],
    ["insert-orders-transaction", 30],
    ["update-orders-by-id", 20],
  ]);
  expect(text).toMatch(/ transactions in 60 s: 3\.(5|67) a second/);
  expect(text).toContain(`-- returning: id as orders_id
INSERT INTO orders (customer_id, status, total) VALUES (:customer_id, :status, :total) RETURNING id;
INSERT INTO order_items (order_id, line_no, product_id, quantity) VALUES (:orders_id, :line_no, :product_id, :quantity);
UPDATE products SET stock = stock - :stock WHERE id = :product_id;`);
  // The schema lists the values, and 19 of 20 orders were sent.
  expect(text).toMatch(/-- param: status = pick\(('sent', ){19}'new'\)/);
  expect(missing).not.toContainEqual(expect.stringContaining("needs your hand"));
});

it("copies no value of a row, except from columns that --values names", async () => {
  await resetCounts();
  await runLearnable(LEARNABLE.shop, urlOf(own.endpoint), 44);
  const plain = await learn(optionsOf());
  expect(plain.text).not.toMatch(/someone|example\.org|SKU-|'DE'|'FR'|colour/);
  const permitted = await learn(optionsOf({ permitted: ["customers.country"] }));
  expect(permitted.text).toMatch(/'DE', .*'FR'/);
  expect(permitted.text).not.toMatch(/someone|example\.org|SKU-/);
});

it("changes nothing in the database, and reads with a time limit", async () => {
  const stateOf = (): Promise<unknown> =>
    own.admin.query(
      "SELECT (SELECT count(*) FROM pg_class) AS objects, (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables) AS writes, (SELECT stats_reset FROM pg_stat_statements_info) AS reset",
    );
  const before = await stateOf();
  await learn(optionsOf());
  expect(await stateOf()).toEqual(before);
  const [row] = await own.admin.query(
    "SELECT count(*)::int AS limits FROM pg_stat_statements WHERE query LIKE 'SET LOCAL statement_timeout%'",
  );
  expect(Number(row?.["limits"])).toBeGreaterThan(0);
});

it("refuses a column of --values that no table has", () =>
  expect(learn(optionsOf({ permitted: ["customers.country", "orders.statsu"] }))).rejects.toThrow(
    "--values: no table has the column orders.statsu",
  ));

it("refuses a name of --values that is no argument, and names the columns that it may mean", async () => {
  await runLearnable(LEARNABLE.shop, urlOf(own.endpoint), 44);
  await expect(learn(optionsOf({ permitted: ["country"] }))).rejects.toMatchObject({
    message: "--values: country is no argument of a function in the statements",
    hint: "Name the table too: customers.country.",
  });
});

it("says what to do if nothing was called, or if the extension is missing", async () => {
  await resetCounts();
  await expect(learn(optionsOf({ minutes: 1 }))).rejects.toMatchObject({
    message: expect.stringContaining("no statement of the database") as unknown,
    hint: expect.stringContaining("--minutes 0") as unknown,
  });
  await own.admin.query("DROP EXTENSION pg_stat_statements");
  await expect(learn(optionsOf())).rejects.toMatchObject({
    message: "the extension pg_stat_statements is not in the database",
    hint: expect.stringContaining("CREATE EXTENSION") as unknown,
  });
});
