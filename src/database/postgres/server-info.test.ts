import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { freeConnections, requireConnections } from "../connection-budget.js";
import { productOf, versionOf } from "./server-info.js";

describe("product and version of a server", () => {
  it.each([
    ["PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit", "PostgreSQL", "18.4"],
    ["PostgreSQL 19beta1 on x86_64-pc-linux-gnu", "PostgreSQL", "19beta1"],
    ["CockroachDB CCL v25.1.2 (x86_64-pc-linux-gnu, built 2025/03/10)", "CockroachDB", "v25.1.2"],
    ["something else", "unknown", "unknown"],
  ])("are read from %j", (text, product, version) => {
    expect(productOf(text)).toBe(product);
    expect(versionOf(text)).toBe(version);
  });
});

describe("requireConnections", () => {
  const budget = { max: 100, reserved: 3, inUse: 7 };

  it("subtracts reserved and used connections", () => {
    expect(freeConnections(budget)).toBe(90);
    expect(() => requireConnections(budget, 90, "direct")).not.toThrow();
  });

  it("refuses one connection too many, with the numbers and a remedy", () => {
    expect(() => requireConnections(budget, 91, "text-direct")).toThrow(UsageError);
    expect(() => requireConnections(budget, 91, "text-direct")).toThrow(
      "treatment text-direct needs 91 connections, but the server has 90 left (max_connections 100, 3 of them reserved, 7 in use)",
    );
  });

  it("accepts any number if the server states no limit", () => {
    expect(() => requireConnections({ max: undefined, reserved: 0, inUse: 0 }, 1e6, "x")).not.toThrow();
  });
});
