import { describe, expect, test } from "vitest";
import * as z from "zod";
import { isCycleOperation } from "../metrics/operations.js";
import { mergeSchemas, WORKLOADS } from "./registry.js";

describe("a key that several workloads have", () => {
  const [words, count] = [
    z.string().meta({ description: "In words." }),
    z.int().meta({ description: "A count." }),
  ];

  test("has their common schema", () => {
    const owned = [
      ["a", words],
      ["b", words],
    ] as const;
    expect(mergeSchemas(owned)).toBe(words);
  });

  test("has a union of different schemas whose description names each workload", () => {
    const either = mergeSchemas<z.ZodType>([
      ["a", words],
      ["b", count],
    ]);
    expect(["x", 3, true].map((value) => either.safeParse(value).success)).toEqual([true, true, false]);
    expect(either.description).toBe("a: In words. b: A count.");
  });
});

describe.each(WORKLOADS.map((workload) => [workload.name, workload] as const))(
  "workload %s",
  (_, workload) => {
    test("has a role for each operation, and arrivals of a role are among its operations", () => {
      const performed = Object.values(workload.roles).flatMap(({ operations }) => operations);
      expect([...new Set(performed)].sort()).toEqual(Object.keys(workload.operations).sort());
      for (const { operations, arrivals } of Object.values(workload.roles))
        expect(operations).toEqual(expect.arrayContaining([...arrivals]));
    });

    test("has a cycle among the arrivals of each role that has a cycle among its operations", () => {
      for (const { operations, arrivals } of Object.values(workload.roles))
        expect(arrivals.some(isCycleOperation)).toBe(operations.some(isCycleOperation));
    });

    test("the tables that faults lock or read are among the tables of the workload", () => {
      const { names, snapshot, lock } = workload.tables;
      expect(names).toEqual(expect.arrayContaining([snapshot, lock].filter((name) => name !== undefined)));
    });
  },
);
