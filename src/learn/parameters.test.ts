import { expect, it } from "vitest";
import type { Catalogue, Column, Table } from "./catalogue.js";
import { inLikelyOrder } from "./order.js";
import { TransactionWriter, type LearntStatement } from "./parameters.js";
import { readStatement } from "./statement.js";
import { isSkewed, Values } from "./values.js";

const column = (number: number, name: string, typeName = "int8"): Column => ({
  ...{ number, name, sql: name, type: typeName === "int8" ? "bigint" : "text", typeName, isNotNull: true },
  ...{ limit: undefined, labels: undefined, default: undefined, identity: undefined, generated: false },
  statistics: { nullShare: 0, width: 8, distinct: typeName === "int8" ? 3 : 20, topShare: 0, common: [] },
});

const table = (oid: number, name: string, columns: readonly Column[], more: Partial<Table> = {}): Table => ({
  ...{ oid, schema: "public", name, sql: name, kind: "table", isUnlogged: false, rows: 3_000 },
  ...{ isAnalysed: true, partitionKey: undefined, bound: undefined, parent: undefined, options: [] },
  ...{ view: undefined, columns, indexes: [], triggers: [] },
  constraints: [
    { name: "pk", kind: "p", columns: [1], parent: undefined, parentColumns: [], definition: "" },
  ],
  ...more,
});

const orders = table(1, "orders", [
  { ...column(1, "id"), identity: "ALWAYS" },
  column(2, "category", "text"),
]);
const items = table(2, "items", [column(1, "order_id"), column(2, "line_no"), column(3, "qty")], {
  constraints: [
    { name: "pk", kind: "p", columns: [1, 2], parent: undefined, parentColumns: [], definition: "" },
    { name: "fk", kind: "f", columns: [1], parent: 1, parentColumns: [1], definition: "" },
  ],
});
const catalogue: Catalogue = { tables: [orders, items], others: [] };

function linesOf(texts: readonly string[], values: readonly (readonly string[])[] = []): string[] {
  const learnt = texts.map((text): LearntStatement => ({
    statement: readStatement(text, values.length > 0),
    types: text.includes("||") ? ["text", "text"] : ["bigint", "bigint", "bigint"],
    values: values.flatMap((row) => Array<readonly string[]>(20).fill(row)),
  }));
  const made = new Values(
    catalogue,
    ({ name, rows }) => ({ setting: `${name}_rows`, count: rows }),
    new Set(),
    0,
    new Set(),
  );
  const writer = new TransactionWriter(inLikelyOrder(learnt, catalogue), catalogue, made, [], new Set());
  return writer.text().lines.filter((line) => !line.startsWith("-- guess:"));
}

const INSERT_ITEM = "INSERT INTO items (order_id, line_no, qty) VALUES ($1, $2, $3)";

it("inserts the parent first, hands on its key by the name in the result, and numbers its children", () =>
  expect(
    linesOf([
      "UPDATE orders SET category = category WHERE id = $1",
      INSERT_ITEM,
      INSERT_ITEM,
      "INSERT INTO orders (category) VALUES ($1) RETURNING id AS oid",
    ]),
  ).toEqual([
    "-- param: category = text(7)",
    "-- param: line_no = 1",
    "-- param: qty = uniform(1, 3)",
    "-- param: line_no_2 = 2",
    "-- param: qty_2 = uniform(1, 3)",
    "-- returning: oid as orders_id",
    "INSERT INTO orders (category) VALUES (:category) RETURNING id AS oid;",
    "INSERT INTO items (order_id, line_no, qty) VALUES (:orders_id, :line_no, :qty);",
    "INSERT INTO items (order_id, line_no, qty) VALUES (:orders_id, :line_no_2, :qty_2);",
    "UPDATE orders SET category = category WHERE id = :orders_id;",
  ]));

it("draws a key that no row has for a row whose key would be drawn among the rows", () =>
  expect(linesOf([INSERT_ITEM])).toEqual([
    "-- param: order_id = uniform(1, :orders_rows)",
    "-- param: line_no = uniform(1000000000000, 9000000000000000)",
    "-- param: qty = uniform(1, 3)",
    "INSERT INTO items (order_id, line_no, qty) VALUES (:order_id, :line_no, :qty);",
  ]));

it("calls values skewed only if chance does not explain the most common one", () => {
  const space = { size: "1000", count: 1_000, there: 1_000, root: "", isUnique: true };
  expect(isSkewed(space, 0.006, 1_000)).toBe(false);
  expect(isSkewed(space, 0.05, 1_000)).toBe(true);
});

it("keeps a number of a key that is the same in the whole log", () =>
  expect(
    linesOf(["INSERT INTO items (order_id, line_no, qty) VALUES ($1, 1, 19)"], [["7", "1", "19"]]).at(-1),
  ).toBe("INSERT INTO items (order_id, line_no, qty) VALUES (:order_id, 1, :qty) ON CONFLICT DO NOTHING;"));

it("gives the first operand of a concatenation the whole value, and the others nothing", () =>
  expect(linesOf(["SELECT id FROM orders WHERE category = $1 || $2"])).toEqual([
    "-- param: category = concat(10000 + uniform(1, 20), 'xx')",
    "-- param: p = ''",
    "SELECT id FROM orders WHERE category = :category || :p;",
  ]));
