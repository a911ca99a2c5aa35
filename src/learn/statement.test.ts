import { describe, expect, it } from "vitest";
import type { Catalogue, Column, Table } from "./catalogue.js";
import { Reading } from "./reading.js";
import { filledText, numberedText, readStatement, withoutSchemas } from "./statement.js";

function table(oid: number, schema: string, name: string, columns: readonly string[]): Table {
  return {
    ...{ oid, schema, name, sql: name, kind: "table", isUnlogged: false, rows: 10, isAnalysed: true },
    ...{ partitionKey: undefined, bound: undefined, parent: undefined, options: [], view: undefined },
    ...{ constraints: [], indexes: [], triggers: [] },
    columns: columns.map((column, i): Column => ({
      ...{ number: i + 1, name: column, sql: column, type: "integer", typeName: "int4", limit: undefined },
      ...{ labels: undefined, isNotNull: false, default: undefined, identity: undefined, generated: false },
      statistics: undefined,
    })),
  };
}

const CATALOGUE: Catalogue = {
  tables: [
    table(1, "shop", "orders", ["id", "customer_id", "status", "total"]),
    table(2, "public", "items", ["order_id", "line"]),
  ],
  others: [{ kind: "function", schema: "shop", name: "price_of", definition: "" }],
};

/** Uses of a statement's parameters, such as `key orders.id`. */
function usesIn(text: string): string[] {
  const reading = new Reading(readStatement(text), CATALOGUE);
  return reading
    .places()
    .map(({ use, table: of, column, argument }) =>
      [use, of && column ? `${of.name}.${column.name}` : (argument ?? "")].join(" ").trim(),
    );
}

describe("the place of a parameter", () => {
  it.each([
    ["SELECT * FROM shop.orders WHERE id = $1 LIMIT $2 OFFSET $3", ["key orders.id", "limit", "offset"]],
    [
      "SELECT * FROM orders o JOIN items i ON i.order_id = o.id WHERE o.status = $1 AND i.line > $2",
      ["key orders.status", "range items.line"],
    ],
    [
      "SELECT * FROM orders WHERE id IN ($1, $2) AND total BETWEEN $3 AND $4",
      ["key orders.id", "key orders.id", "range orders.total", "range orders.total"],
    ],
    [
      "SELECT * FROM orders WHERE id = ANY ($1::int[]) AND lower(status) LIKE lower($2)",
      ["array orders.id", "like"],
    ],
    [
      "UPDATE orders SET total = total + $1, status = $2 WHERE $3 = id",
      ["change orders.total", "written orders.status", "key orders.id"],
    ],
    [
      "INSERT INTO shop.orders (customer_id, total) VALUES ($1, $2), ($3, coalesce($4, $5))",
      [
        "inserted orders.customer_id",
        "inserted orders.total",
        "inserted orders.customer_id",
        "inserted orders.total",
        "inserted orders.total",
      ],
    ],
    [
      "INSERT INTO items VALUES ($1, $2) ON CONFLICT (order_id) DO UPDATE SET line = $3",
      ["inserted items.order_id", "inserted items.line", "written items.line"],
    ],
    [
      "INSERT INTO items (order_id, line) SELECT $1, $2 FROM orders WHERE id = $3",
      ["inserted items.order_id", "inserted items.line", "key orders.id"],
    ],
    [
      "WITH gone AS (DELETE FROM items WHERE order_id = $1 RETURNING line) SELECT count(*) FROM gone",
      ["key items.order_id"],
    ],
    ["SELECT * FROM price_of(item => $1, at => $2::date)", ["other item", "other at"]],
    ["SELECT total AT TIME ZONE $1 FROM orders", ["other timezone"]],
    [
      "INSERT INTO items (order_id) SELECT CASE WHEN true THEN $1 ELSE 2 END + date_part($2, now())",
      ["other", "other date_part"],
    ],
  ])("is read from %s", (text, uses) => expect(usesIn(text)).toEqual(uses));
});

describe("a printed statement", () => {
  it.each([
    ["SELECT now() - INTERVAL $1", "SELECT now() - $1::INTERVAL"],
    ["SELECT extract($1 FROM now())", "SELECT extract(epoch FROM now())"],
    ["-- name: One :one\nSELECT  $2 /* why */ , $1 ;", "SELECT $1 , $2"],
    ["SELECT '$1', $1::date", "SELECT '$1', $1::date"],
  ])("%s can be prepared", (text, prepared) => expect(numberedText(readStatement(text))).toBe(prepared));

  it("keeps the name that sqlc gave it", () =>
    expect(readStatement("-- name: GetOrder :one\nSELECT 1").name).toBe("GetOrder"));
});

it("cuts the constants of a logged statement, and none of its type, order or interval", () => {
  const statement = readStatement(
    "SELECT cast('1' AS numeric(10, 2)) FROM orders WHERE id = -5 AND status = 'new' AND at > now() - interval '1 day' ORDER BY 2, 1 LIMIT 10",
    true,
  );
  expect(statement.slots.map(({ constant }) => constant)).toEqual(["'1'", "-5", "'new'", "10"]);
  expect(filledText(statement, ["a", "b", "c", "d"])).toBe(
    "SELECT cast(a AS numeric(10, 2)) FROM orders WHERE id = b AND status = c AND at > now() - interval '1 day' ORDER BY 2, 1 LIMIT d",
  );
});

it("removes schemas of known objects only", () =>
  expect(
    withoutSchemas(`SELECT shop.price_of(o.id), "shop".orders.id, shop.other FROM shop.orders o`, CATALOGUE),
  ).toBe("SELECT price_of(o.id), orders.id, shop.other FROM orders o"));
