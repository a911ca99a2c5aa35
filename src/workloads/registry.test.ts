import { describe, expect, test } from "vitest";
import { isRound } from "../metrics/operations.js";
import { ROLES, WORKLOADS } from "./registry.js";

test("roles of one name are alike", () => {
  for (const role of ROLES) {
    const purposes = WORKLOADS.flatMap(({ roles }) => roles[role]?.purpose ?? []);
    expect(new Set(purposes).size, role).toBe(1);
  }
});

describe.each(WORKLOADS.map((workload) => [workload.name, workload] as const))("%s", (_, workload) => {
  test("has roles for all its operations, and no role performs another one's", () => {
    const performed = Object.values(workload.roles).flatMap(({ operations }) => operations);
    expect([...new Set(performed)].sort()).toEqual(Object.keys(workload.operations).sort());
    for (const { operations, arrivals } of Object.values(workload.roles))
      expect(operations).toEqual(expect.arrayContaining([...arrivals]));
  });

  test("a round arrives as a whole", () => {
    for (const { operations, arrivals } of Object.values(workload.roles))
      expect(arrivals.some(isRound)).toBe(operations.some(isRound));
  });

  test("faults touch tables that it has", () => {
    const { names, snapshot, lock } = workload.tables;
    expect(names).toEqual(expect.arrayContaining([snapshot, lock]));
  });
});
