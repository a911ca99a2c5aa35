import { expect, it } from "vitest";
import { workloadOf, WORKLOADS } from "../workloads/registry.js";
import { operationsWith, unitOf, unitsText } from "../workloads/vocabulary.js";
import { exampleResult } from "../../test/support/example-result.js";
import { PAYMENTS } from "../../test/support/payments.js";
import { ResultDocument } from "./result-schema.js";
import type { Workload } from "../workloads/workload.js";
import { workloadNamed, workloadResult } from "./vocabulary.js";

it("a stored vocabulary takes precedence over a built-in workload of the same operations", () => {
  const stored = ResultDocument.parse({ ...exampleResult(), workload: PAYMENTS });
  const { workload: vocabulary } = stored;
  expect(unitOf(vocabulary, "add")).toBe("payments");
  expect(unitOf(vocabulary, "lifecycle.completed")).toBe("events");
  expect(operationsWith(vocabulary, "in")).toEqual([]);
  expect(workloadNamed(vocabulary)).toBeUndefined();
});

it.each(WORKLOADS)("workload $name is found by its stored name", (workload) => {
  expect(workloadNamed(workloadResult(workload))).toBe(workload);
});

it("the default workload's vocabulary is stored with verbs, units, roles and audit words", () => {
  const stored = workloadResult(workloadOf({}));
  expect(ResultDocument.parse({ ...exampleResult(), workload: stored }).workload).toEqual(stored);
  expect(workloadNamed(stored)).toBe(workloadOf({}));
  expect(stored.operations.add).toEqual({ verb: "adds", unit: "events", flow: "in" });
  expect(stored.roles.producers).toEqual({ operations: ["add"], arrivals: ["add"] });
  expect(stored.audited).toEqual({ one: "event", acknowledged: "published" });
});

it("a unit of several operations is named once", () => {
  expect(unitsText(["payments", "payments"])).toBe("payments");
  expect([unitsText(["payments", "refunds"]), unitsText([])]).toEqual(["payments, refunds", "events"]);
});

it("the vocabulary of several workloads has the first workload's operations first", () => {
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
