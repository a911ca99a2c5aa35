// bench/clients.mjs and docs/lab/performance.md state the gain.
import { spawnSync } from "node:child_process";
import v8 from "node:v8";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tuneForSetup, tuneForLoad } from "./v8-tuning.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  tuneForSetup();
});

/** V8 of Node 22 and later has no such budget and no time for idle threads. */
const COUNTS_BUDGETS = process.versions.node.startsWith("20.");

function budgetFlags(during: () => void): string[] {
  const setFlags = vi.spyOn(v8, "setFlagsFromString").mockClear();
  during();
  const flags = setFlags.mock.calls.map(([flag]) => flag).filter((flag) => flag.includes("budget"));
  return flags.map((flag) => flag.replace("--interrupt-budget=", ""));
}

/** Flags that it sets for the memory of many clients. */
function memoryFlags(tune: () => void): string[] {
  const setFlags = vi.spyOn(v8, "setFlagsFromString");
  tune();
  const flags = setFlags.mock.calls.map(([flag]) => flag);
  return flags.filter((flag) => /growing|pretenuring|scavenge/.test(flag));
}

const FEW = ["--heap-growing-percent=250", "--no-parallel-scavenge", "--allocation-site-pretenuring"];
const MANY = ["--heap-growing-percent=50", "--parallel-scavenge", "--no-allocation-site-pretenuring"];
const USUAL = ["--heap-growing-percent=0", "--parallel-scavenge", "--allocation-site-pretenuring"];

describe("flags of V8", () => {
  it.each([
    [1, FEW],
    [255, FEW],
    [256, MANY],
    [2_000, MANY],
  ])("are set by the number of clients: %i give %j", (clients, flags) => {
    expect(memoryFlags(() => tuneForLoad(clients))).toEqual(flags);
  });

  it("are reset to the usual ones when the clients are done", () => {
    tuneForLoad(2_000);
    expect(memoryFlags(tuneForSetup)).toEqual(USUAL);
  });

  it("let V8 compile hot code early in the first 15 s of load, and late afterwards", () => {
    vi.useFakeTimers();
    const setFlags = budgetFlags(() => {
      tuneForLoad(8);
      vi.advanceTimersByTime(14_999);
      tuneForLoad(8); // another trial, whose threads begin anew
      vi.advanceTimersByTime(14_999);
    });
    expect(setFlags).toEqual(COUNTS_BUDGETS ? ["20000", "20000"] : []);
    expect(budgetFlags(() => vi.advanceTimersByTime(1))).toEqual(COUNTS_BUDGETS ? ["200000"] : []);
    tuneForLoad(8);
    expect(budgetFlags(tuneForSetup)).toEqual(COUNTS_BUDGETS ? ["67584"] : []);
    expect(budgetFlags(() => vi.advanceTimersByTime(60_000))).toEqual([]);
  });

  it("collect memory of idle threads sooner in the first 15 s of load, and then not until clients are done", () => {
    vi.useFakeTimers();
    const setFlags = vi.spyOn(v8, "setFlagsFromString");
    tuneForLoad(8);
    vi.advanceTimersByTime(15_000);
    tuneForSetup();
    const flags = setFlags.mock.calls.map(([flag]) => flag).filter((flag) => flag.includes("memory-reducer"));
    const delays = ["3000", "1000000000", "8000"].map((ms) => `--gc-memory-reducer-start-delay-ms=${ms}`);
    expect(flags).toEqual(COUNTS_BUDGETS ? delays : []);
  });

  it("include no flag that this V8 does not know", () => {
    const setFlags = vi.spyOn(v8, "setFlagsFromString");
    tuneForLoad(2_000);
    tuneForSetup();
    const flags = setFlags.mock.calls.map(([flag]) => flag);
    // An unknown flag throws nothing; V8 writes a line on standard error instead.
    const program = `for (const flag of ${JSON.stringify(flags)}) require("v8").setFlagsFromString(flag)`;
    const { stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
    expect({ stderr, count: flags.length > 1 }).toEqual({ stderr: "", count: true });
  });
});
