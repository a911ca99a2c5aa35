import { expect, it } from "vitest";
import { exampleLatency } from "../../../../test/support/example-result.js";
import { cellsOf } from "../../../../test/support/report-html.js";
import { endpointTables } from "./numbers.js";

const figures = { windowSeconds: 10, operations: {}, lifecycle: { completedMs: null, archivedMs: null } };
const counts = { transactions: 71, events: 702, retries: 3, failures: 4 };
const measured = {
  connects: 15,
  refused: 16,
  lost: 17,
  operations: { add: { ...counts, responseTimeMs: exampleLatency(10) } },
};

it("endpoint tables have counts, latencies and connections of each endpoint and region", () => {
  const endpoints = [{ endpoint: "<b>:5432", region: "east", weight: 2.5, clients: 12, ...measured }];
  const regions = [{ region: null, endpoints: 1, clients: 12, ...measured }];
  const { markup } = endpointTables({ ...figures, endpoints, regions }, "here");
  const cells = cellsOf(markup);
  for (const cell of ["east", "none named", "71", "702", "2.5", "12", "15", "16", "17", "10", "50"])
    expect(cells).toContain(cell);
  expect(markup).toContain("&lt;b&gt;:5432");
  expect(markup).not.toContain("<b>");
});

it("endpoint tables are empty without a split by endpoint", () => {
  expect(endpointTables(figures, "here").markup.trim()).toBe("");
});
