import { describe, expect, test } from "vitest";
import * as z from "zod";
import { isRound } from "../metrics/operations.js";
import { eitherSchema, WORKLOADS } from "./registry.js";

describe("a name that several workloads have", () => {
  const [words, count] = [
    z.string().meta({ description: "In words." }),
    z.int().meta({ description: "A count." }),
  ];

  test("has the schema that all of them have", () => {
    const owned = [
      ["a", words],
      ["b", words],
    ] as const;
    expect(eitherSchema(owned)).toBe(words);
  });

  test("has a union of different schemas that says whose each is", () => {
    const either = eitherSchema<z.ZodType>([
      ["a", words],
      ["b", count],
    ]);
    expect(["x", 3, true].map((value) => either.safeParse(value).success)).toEqual([true, true, false]);
    expect(either.description).toBe("a: In words. b: A count.");
  });
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
