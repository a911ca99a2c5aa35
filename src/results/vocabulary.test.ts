import { expect, it } from "vitest";
import { workloadOf, WORKLOADS } from "../workloads/registry.js";
import { operationsWith, unitOf, unitsText } from "../workloads/vocabulary.js";
import { exampleResult } from "../../test/support/example-result.js";
import { PAYMENTS } from "../../test/support/payments.js";
import { ResultDocument } from "./result-schema.js";
import type { Workload } from "../workloads/workload.js";
import { workloadNamed, workloadResult } from "./vocabulary.js";

it("is what the result says, even for names that a built-in workload has", () => {
  const stored = ResultDocument.parse({ ...exampleResult(), workload: PAYMENTS });
  const { workload: vocabulary } = stored;
  expect(unitOf(vocabulary, "add")).toBe("payments");
  expect(unitOf(vocabulary, "lifecycle.completed")).toBe("events");
  expect(operationsWith(vocabulary, "in")).toEqual([]);
  expect(workloadNamed(vocabulary)).toBeUndefined();
});

it.each(WORKLOADS)("of workload $name is known by its stored name", (workload) => {
  expect(workloadNamed(workloadResult(workload))).toBe(workload);
});

it("is stored as it is known", () => {
  const stored = workloadResult(workloadOf({}));
  expect(ResultDocument.parse({ ...exampleResult(), workload: stored }).workload).toEqual(stored);
  expect(workloadNamed(stored)).toBe(workloadOf({}));
  expect(stored.operations.add).toEqual({ verb: "adds", unit: "events", flow: "in" });
  expect(stored.roles.producers).toEqual({ operations: ["add"], arrivals: ["add"] });
  expect(stored.audited).toEqual({ one: "event", acknowledged: "published" });
});

it("has each unit of several operations once", () => {
  expect(unitsText(["payments", "payments"])).toBe("payments");
  expect([unitsText(["payments", "refunds"]), unitsText([])]).toEqual(["payments, refunds", "events"]);
});

it("has the operations of all treatments' workloads, those of the first before the others'", () => {
  const of = (name: string, verb: string): Workload =>
    ({
      name,
      audited: { one: "transaction", acknowledged: "committed" },
      operations: { [verb]: { verb, unit: "rows" }, both: { verb, unit: "rows" } },
      roles: { clients: { operations: [verb, "both"], arrivals: [verb] } },
    }) as unknown as Workload;
  const { name, operations, roles } = workloadResult(of("a", "pay"), [of("b", "look")]);
  expect(name).toBe("a");
  expect(Object.entries(operations).map(([each, { verb }]) => [each, verb])).toEqual([
    ["pay", "pay"],
    ["both", "pay"],
    ["look", "look"],
  ]);
  expect(roles["clients"]).toEqual({ operations: ["pay", "both", "look"], arrivals: ["pay", "look"] });
});
