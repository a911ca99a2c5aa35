// Your own workload as a module: orders that take items from a stock, with what the next statement sends depending on
// what the last one returned. `import { defineWorkload } from "train-sim/workload"` types it where train-sim is installed.
export default {
  name: "orders",
  settings: { items: 1000 },
  schema: `
    CREATE TABLE stock (item int PRIMARY KEY, amount bigint NOT NULL);
    CREATE TABLE orders (id uuid PRIMARY KEY, item int NOT NULL, amount int NOT NULL);
  `,
  preload: "INSERT INTO stock SELECT g, 1000000 FROM generate_series(1, :items) g",
  transactions: {
    place: {
      weight: 4,
      draw: ({ random, settings }) => ({
        id: random.uuid(),
        item: random.intBetween(1, settings.items),
        amount: random.intBetween(1, 5),
      }),
      async run(session, { id, item, amount }) {
        const [row] = await session.query("lock", "SELECT amount FROM stock WHERE item = $1 FOR UPDATE", [
          item,
        ]);
        const taken = Math.min(amount, Number(row.amount));
        await session.query("take", "UPDATE stock SET amount = amount - $1 WHERE item = $2", [taken, item]);
        await session.query("record", "INSERT INTO orders VALUES ($1, $2, $3)", [id, item, taken]);
      },
      async resolve(session, { id }) {
        return (await session.query("find", "SELECT 1 FROM orders WHERE id = $1", [id])).length > 0;
      },
      fact: ({ id }) => id,
    },
    look: {
      isReadOnly: true,
      draw: ({ random, settings }) => random.intBetween(1, settings.items),
      async run(session, item) {
        await session.query("read", "SELECT amount FROM stock WHERE item = $1", [item]);
      },
    },
  },
  invariants: [
    {
      name: "what was taken was ordered",
      sql: "SELECT (SELECT sum(1000000 - amount) FROM stock) = (SELECT coalesce(sum(amount), 0) FROM orders)",
    },
    { name: "every acknowledged order is there", sql: "SELECT id FROM orders", acknowledged: "place" },
  ],
};
