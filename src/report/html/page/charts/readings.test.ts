import { describe, expect, test } from "vitest";
import { bridged, bridgedMost } from "./readings.js";

describe("readings", () => {
  test("are joined where they were asked for at times, however far apart", () => {
    expect(bridged([null, 10, null, 20, null])).toEqual([null, 10, 15, 20, null]);
    expect(bridged([0, null, null, null, 8, null, null, null, 0])).toEqual([0, 2, 4, 6, 8, 6, 4, 2, 0]);
    expect(bridged([3, 4])).toEqual([3, 4]);
    expect(bridged([null, 7, null])).toEqual([null, 7, null]);
    expect(bridged([])).toEqual([]);
  });

  test("are not joined over a silence that is much longer than usual", () => {
    const silence = [null, null, null, null, null, null];
    expect(bridged([1, 1, 1, null, 1, 1, ...silence, 5, 5])).toEqual([1, 1, 1, 1, 1, 1, ...silence, 5, 5]);
  });

  test("may come in unlike distances, as counts do that take as long as the server lets them", () => {
    expect(bridgedMost([1, 2, 5, 3, 5, 1, 4])).toBeGreaterThan(10);
    expect(bridgedMost([1, 1, 1, 1, 9, 1, 1, 2])).toBeLessThan(5);
  });
});
