import { expect, it } from "vitest";
import type { EndpointResult } from "../../results/result-schema.js";
import { exampleLatency } from "../../../test/support/example-result.js";
import { renderEndpoints } from "./endpoint-lines.js";

const endpoint = (name: string, meanMs: number, region?: string): EndpointResult => ({
  endpoint: name,
  ...(region !== undefined && { region }),
  weight: 1,
  clients: 3,
  connects: 4,
  refused: 5,
  lost: 1,
  operations: {
    add: { transactions: 70, events: 700, retries: 2, failures: 6, responseTimeMs: exampleLatency(meanMs) },
    process: { transactions: 0, events: 0, retries: 9, failures: 0, responseTimeMs: null },
  },
});

const figures = { windowSeconds: 10, operations: {}, lifecycle: { completedMs: null, archivedMs: null } };

it("the endpoint table has a row per endpoint and operation, and a line of connections", () => {
  const endpoints = [endpoint("db1:5432", 10), endpoint("db2:5432", 20)];
  expect(renderEndpoints({ ...figures, endpoints })).toEqual([
    "by endpoint:",
    "endpoint  id       tot_ops  mean(ms)  p50(ms)  p95(ms)  p99(ms)  max(ms)  retries  failures",
    "--------  -------  -------  --------  -------  -------  -------  -------  -------  --------",
    "db1:5432  add           70     10.00     9.00    20.00    30.00    50.00        2         6",
    "db1:5432  process        0         -        -        -        -        -        9         0",
    "db2:5432  add           70     20.00    18.00    40.00    60.00   100.00        2         6",
    "db2:5432  process        0         -        -        -        -        -        9         0",
    "connections: db1:5432 3 clients by weight, 4 opened, 5 refused, 1 lost; db2:5432 3 clients by weight, 4 opened, 5",
    "refused, 1 lost",
  ]);
});

it("the endpoint table begins with regions of several endpoints", () => {
  const endpoints = [endpoint("a:1", 10, "east"), endpoint("b:1", 20, "east")];
  const { operations, connects, refused, lost } = endpoint("", 15);
  const regions = [{ region: "east", endpoints: 2, clients: 6, connects, refused, lost, operations }];
  const [, , , first = ""] = renderEndpoints({ ...figures, endpoints, regions });
  expect(first).toMatch(/^east {4}all 2 +add +70 +15\.00/);
});

it("the endpoint table shortens long names unless that makes two equal", () => {
  const linesOfEndpoints = (...names: string[]): string[] =>
    renderEndpoints({ ...figures, endpoints: names.map((name) => endpoint(name, 10)) });
  const longName = `${"x".repeat(60)}.rds.example.com:5432`;
  const short = linesOfEndpoints(`a${longName}`, `b${longName}`);
  for (const line of short) expect(line.length).toBeLessThanOrEqual(120);
  expect(short[3]).toMatch(/^ax+…s\.example\.com:5432 {2}add/);
  expect(linesOfEndpoints(`${longName}a${longName}`, `${longName}b${longName}`)[3]).toContain(
    `${longName}a${longName}  add`,
  );
});

it("the endpoint table has at most 16 endpoints and counts the rest", () => {
  const endpoints = Array.from({ length: 20 }, (_, index) => endpoint(`db${index}:1`, 1));
  const text = renderEndpoints({ ...figures, endpoints }).join(" ");
  expect(text).toContain("and 4 endpoints more in result.json");
  expect(text).not.toContain("db16:1");
});

it("the endpoint table is absent without a split by endpoint", () => {
  expect(renderEndpoints(figures)).toEqual([]);
});
