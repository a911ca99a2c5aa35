import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Totals } from "../metrics/totals.js";
import { readTimeseries, type TimeseriesCounts } from "./timeseries.js";
import { TIMESERIES_COLUMNS, timeseriesRow } from "./trial-files.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-timeseries-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const HEADER = TIMESERIES_COLUMNS.join(",");

async function read(...lines: string[]): Promise<TimeseriesCounts[]> {
  const path = join(directory, "timeseries.csv");
  writeFileSync(path, lines.join("\n"));
  const rows: TimeseriesCounts[] = [];
  for await (const row of readTimeseries(path)) rows.push(row);
  return rows;
}

describe("a time series", () => {
  it("reads back the counts that were written", async () => {
    const totals = new Totals();
    const counts = totals.countsOf("process");
    Object.assign(counts, { transactions: 7, events: 350, emptyPolls: 4, offered: 9, dropped: 1 });
    Object.assign(counts, { retries: { "40001": 2 }, failures: { "53300": 1 } });
    const closed = {
      second: 3,
      operation: "process",
      transactions: 7,
      events: 350,
      failures: 1,
      retries: 2,
      emptyPolls: 4,
    };
    expect(await read(HEADER, timeseriesRow(3, "process", totals), "")).toEqual([closed]);
    const open = timeseriesRow(3, "process", totals, true);
    expect(await read(HEADER, open)).toEqual([{ ...closed, offered: 9, dropped: 1 }]);
  });

  it.each([
    ["a truncated row", "4,process,7", "line 2: cannot read the time series: it has 3 cells"],
    ["an invalid name of an operation", `4,de lete,${"0,".repeat(14)}`, "its operation is no name: de lete"],
    [
      "a count beyond the safe integers",
      `4,add,${"9".repeat(80)},${"0,".repeat(13)}`,
      "its transactions is no count: 9999",
    ],
    ["a negative count", `4,add,-1,${"0,".repeat(13)}`, "its transactions is no count: -1"],
  ])("refuses %s and names its line", async (_, row, words) => {
    await expect(read(HEADER, row)).rejects.toThrow(words);
  });

  it("reads rows without optional columns and refuses rows without required columns", async () => {
    const header = "retries,operation,second,failures,events,transactions,novelty";
    expect(await read(header, "1,read,9,2,30,3,x")).toEqual([
      { second: 9, operation: "read", transactions: 3, events: 30, failures: 2, retries: 1 },
    ]);
    await expect(read("second,operation", "0,add")).rejects.toThrow("line 1: cannot read the time series");
  });

  it("is refused with the name of the file if it cannot be read", async () => {
    const rows = readTimeseries(join(directory, "none.csv"));
    await expect(rows.next()).rejects.toThrow(/none\.csv: cannot read the time series: ENOENT/);
  });
});
