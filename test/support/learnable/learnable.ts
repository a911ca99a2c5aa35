// Workloads in the manner of public ones, from which `train-sim learn` learns: each runs through a driver, on a database of
// the suite's server.
import { readFileSync } from "node:fs";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { Prng } from "../../../src/foundation/prng.js";

/** Runs one transaction of the workload. */
type Transaction = (client: pg.PoolClient, prng: Prng) => Promise<unknown>;

export interface Learnable {
  readonly setUp: (client: pg.Client) => Promise<unknown>;
  /** Transactions with their weights. */
  readonly transactions: readonly (readonly [weight: number, run: Transaction])[];
}

const sqlOf = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

async function inTransaction(client: pg.PoolClient, work: () => Promise<unknown>): Promise<void> {
  await client.query("BEGIN");
  await work();
  await client.query("COMMIT");
}

const TPC_B_TABLES = `
  CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88)) WITH (fillfactor = 100);
  CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84)) WITH (fillfactor = 100);
  CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84)) WITH (fillfactor = 100);
  CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
  INSERT INTO pgbench_branches SELECT g, 0, '' FROM generate_series(1, 5) g;
  INSERT INTO pgbench_tellers SELECT g, (g - 1) / 10 + 1, 0, '' FROM generate_series(1, 50) g;
  INSERT INTO pgbench_accounts SELECT g, (g - 1) / 20000 + 1, 0, '' FROM generate_series(1, 100000) g`;

/** The five statements of pgbench's transaction. */
const tpcB: Transaction = (client, prng) => {
  const [aid, bid, tid] = [prng.intBetween(1, 100_000), prng.intBetween(1, 5), prng.intBetween(1, 50)];
  const delta = prng.intBetween(-5_000, 5_000);
  return inTransaction(client, async () => {
    await client.query("UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2", [delta, aid]);
    await client.query("SELECT abalance FROM pgbench_accounts WHERE aid = $1", [aid]);
    await client.query("UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2", [delta, tid]);
    await client.query("UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2", [delta, bid]);
    await client.query(
      "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
      [tid, bid, aid, delta],
    );
  });
};

const rentals: Learnable["transactions"] = [
  [
    5,
    (client, prng) =>
      client.query("SELECT film_id, title, rating FROM film WHERE title LIKE $1 ORDER BY title LIMIT 10", [
        `film ${prng.intBetween(1, 99)}%`,
      ]),
  ],
  [
    6,
    (client, prng) =>
      client.query(
        `SELECT f.title, r.rental_date FROM rental r JOIN inventory i ON i.inventory_id = r.inventory_id
         JOIN film f ON f.film_id = i.film_id WHERE r.customer_id = $1 ORDER BY r.rental_date DESC LIMIT 20`,
        [prng.intBetween(1, 600)],
      ),
  ],
  [3, (client, prng) => client.query("SELECT * FROM customer_list WHERE id = $1", [prng.intBetween(1, 600)])],
  [2, (client, prng) => client.query("SELECT inventory_in_stock($1)", [prng.intBetween(1, 4_500)])],
  [
    4,
    (client, prng) =>
      inTransaction(client, async () => {
        const customer = prng.intBetween(1, 600);
        const { rows } = await client.query<{ rental_id: number }>(
          "INSERT INTO rental (rental_date, inventory_id, customer_id) VALUES (now(), $1, $2) RETURNING rental_id",
          [prng.intBetween(1, 4_500), customer],
        );
        await client.query(
          "INSERT INTO payment (customer_id, rental_id, amount, payment_date) VALUES ($1, $2, $3, now())",
          [customer, rows[0]?.rental_id, prng.intBetween(1, 9)],
        );
      }),
  ],
  [
    2,
    (client, prng) =>
      client.query("UPDATE rental SET return_date = now() WHERE rental_id = $1", [
        prng.intBetween(1, 16_000),
      ]),
  ],
  [1, (client) => client.query("SELECT rating, count(*) FROM film WHERE rating = 'PG' GROUP BY rating")],
];

const shop: Learnable["transactions"] = [
  [
    8,
    (client, prng) =>
      client.query("SELECT id, title, price, attributes FROM shop.products WHERE sku = $1", [
        `SKU-${prng.intBetween(1, 500)}`,
      ]),
  ],
  [
    4,
    (client, prng) =>
      client.query(
        "SELECT id, status, total FROM shop.orders WHERE customer_id = $1 AND created_at > now() - interval '30 days' ORDER BY created_at DESC LIMIT 10",
        [prng.intBetween(1, 2_000)],
      ),
  ],
  [
    4,
    (client) =>
      client.query(
        `INSERT INTO shop.carts (session, customer_id, content, updated_at)
         VALUES (gen_random_uuid(), NULL, $1, now()) ON CONFLICT (session) DO UPDATE SET content = excluded.content`,
        [JSON.stringify({ items: [{ sku: "SKU-1", quantity: 2 }], note: "soon" })],
      ),
  ],
  [
    3,
    (client, prng) =>
      inTransaction(client, async () => {
        const { rows } = await client.query<{ id: string }>(
          "INSERT INTO shop.orders (customer_id, status, total) VALUES ($1, 'new', $2) RETURNING id",
          [prng.intBetween(1, 2_000), prng.intBetween(1, 200)],
        );
        const product = prng.intBetween(1, 500);
        await client.query(
          "INSERT INTO shop.order_items (order_id, line_no, product_id, quantity) VALUES ($1, 1, $2, $3)",
          [rows[0]?.id, product, 1],
        );
        await client.query("UPDATE shop.products SET stock = stock - $1 WHERE id = $2", [1, product]);
      }),
  ],
  [
    2,
    (client, prng) =>
      client.query("UPDATE shop.orders SET status = $1 WHERE id = $2 AND status = 'new'", [
        "paid",
        prng.intBetween(1, 5_000),
      ]),
  ],
  [
    1,
    (client) =>
      client.query("INSERT INTO shop.customers (email, name, country) VALUES (gen_random_uuid(), $1, 'DE')", [
        "new name",
      ]),
  ],
];

export const LEARNABLE: Readonly<Record<"tpcB" | "rentals" | "shop", Learnable>> = {
  tpcB: { setUp: (client) => client.query(TPC_B_TABLES), transactions: [[1, tpcB]] },
  rentals: { setUp: (client) => client.query(sqlOf("rentals.sql")), transactions: rentals },
  shop: { setUp: (client) => client.query(sqlOf("shop.sql")), transactions: shop },
};

const CLIENTS = 4;

/** Runs that many transactions on four connections, each kind as often as its weight says, in random order. */
export async function runLearnable({ transactions }: Learnable, url: string, count: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: CLIENTS });
  const all = transactions.reduce((sum, [weight]) => sum + weight, 0);
  const prng = new Prng(7);
  const order = transactions.flatMap(([weight, run]) =>
    Array<Transaction>(Math.round((count * weight) / all)).fill(run),
  );
  for (let i = order.length - 1; i > 0; i--) {
    const j = prng.intBetween(0, i);
    [order[i], order[j]] = [order[j] as Transaction, order[i] as Transaction];
  }
  try {
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        const client = await pool.connect();
        try {
          for (let run = order.pop(); run; run = order.pop()) await run(client, prng);
        } finally {
          client.release();
        }
      }),
    );
  } finally {
    await pool.end();
  }
}

/** Uses pg-boss as a program does: jobs are sent, fetched and completed. */
export async function runPgBoss(url: string, jobs: number): Promise<void> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, max: CLIENTS });
  await boss.start();
  await boss.createQueue("mails");
  for (let i = 0; i < jobs; i++) {
    await boss.send("mails", { to: `user ${i}`, template: "welcome" });
    const fetched = await boss.fetch("mails");
    for (const { id } of fetched) await boss.complete("mails", id);
  }
  await boss.stop({ graceful: false });
}
