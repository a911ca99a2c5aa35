import { describe, expect, it } from "vitest";
import { STATISTICS_BEGAN } from "../../database/evidence.js";
import { SERVER_PID_KEY } from "./evidence-source.js";
import { WindowSums } from "./window-sums.js";

describe("WindowSums", () => {
  it("turns counters into rates and gauges into means", () => {
    const sums = new WindowSums();
    sums.open({ "wal.bytes": 1000, "queue.pending": 99, "size.tableBytes": 10 }, 0);
    expect(sums.sample({ "wal.bytes": 3000, "queue.pending": 4 }, 2000)).toEqual({
      "wal.bytes": 1000,
      "queue.pending": 4,
    });
    expect(sums.sample({ "wal.bytes": 3500, "queue.pending": 8 }, 2500)).toEqual({
      "wal.bytes": 1000,
      "queue.pending": 8,
    });
    sums.close({ "wal.bytes": 4000, "size.tableBytes": 30 });
    expect(sums.gauge("queue.pending")).toEqual({ mean: 6, max: 8 });
    expect(sums.total("wal.bytes")).toBe(3000);
    expect([sums.first("size.tableBytes"), sums.last("size.tableBytes")]).toEqual([10, 30]);
    expect(sums.samples).toBe(2);
  });

  it("spreads a counter's rate over samples that lack the counter", () => {
    const sums = new WindowSums();
    sums.open({ "wal.bytes": 0 }, 0);
    expect(sums.sample({ "queue.pending": 1 }, 1000)).toEqual({ "queue.pending": 1 });
    expect(sums.sample({ "wal.bytes": 600 }, 3000)).toEqual({ "wal.bytes": 200 });
  });

  it("has no total of a counter that fell, even if it ends above its start", () => {
    const sums = new WindowSums();
    sums.open({ "transactions.commits": 1000, "wal.bytes": 1000 }, 0);
    expect(sums.sample({ "transactions.commits": 5, "wal.bytes": 1100 }, 1000)).toEqual({ "wal.bytes": 100 });
    sums.close({ "transactions.commits": 5000, "wal.bytes": 1200 });
    expect(sums.total("transactions.commits")).toBeUndefined();
    expect(sums.total("wal.bytes")).toBe(200);
  });

  it("has no total of a counter that fell between two samples", () => {
    const sums = new WindowSums();
    sums.open({ "tuples.inserted": 0 }, 0);
    sums.sample({ "tuples.inserted": 900 }, 1000);
    sums.sample({ "tuples.inserted": 40 }, 2000);
    sums.close({ "tuples.inserted": 700 });
    expect(sums.total("tuples.inserted")).toBeUndefined();
  });

  it("has no total of pooler counters after the console reconnected, even if none fell", () => {
    const sums = new WindowSums();
    sums.open({ "pooler.transactions": 10_000, "pooler.session": 1, "wal.bytes": 10_000 }, 0);
    expect(sums.sample({ "pooler.transactions": 11_000, "pooler.session": 2 }, 1000)).toEqual({
      "pooler.transactions": 1000,
    });
    sums.close({ "pooler.transactions": 50_000, "pooler.session": 2, "wal.bytes": 50_000 });
    expect(sums.total("pooler.transactions")).toBeUndefined();
    expect(sums.total("wal.bytes")).toBe(40_000);
    expect(sums.restarted).toEqual(["pooler.transactions"]);
  });

  it("has no total of a sum that fell, and lists the sum as restarted", () => {
    const sums = new WindowSums();
    sums.open({ "pooler.transactions": 10_000, "wal.bytes": 10_000 }, 0);
    sums.sample({ "pooler.transactions": 40_000, "wal.bytes": 40_000 }, 1000);
    sums.sample({ "pooler.transactions": 30_000, "wal.bytes": 40_000 }, 2000);
    sums.close({ "pooler.transactions": 50_000, "wal.bytes": 50_000 });
    expect(sums.total("pooler.transactions")).toBeUndefined();
    expect(sums.total("wal.bytes")).toBe(40_000);
    expect(sums.restarted).toEqual(["pooler.transactions"]);
  });

  it("finds a fallen counter at the end of a window without samples", () => {
    const sums = new WindowSums();
    sums.open({ "wal.bytes": 1000 }, 0);
    sums.close({ "wal.bytes": 900 });
    expect(sums.total("wal.bytes")).toBeUndefined();
  });

  it("has no total of statistics with a new start time, however large they are", () => {
    const sums = new WindowSums();
    sums.open(
      { [STATISTICS_BEGAN]: 1.5, "transactions.commits": 10, "wal.bytes": 10, "host.otherCpuMs": 10 },
      0,
    );
    sums.close({
      [STATISTICS_BEGAN]: 2.5,
      "transactions.commits": 90,
      "wal.bytes": 90,
      "host.otherCpuMs": 90,
    });
    expect(sums.total("transactions.commits")).toBeUndefined();
    expect([sums.total("wal.bytes"), sums.total("host.otherCpuMs")]).toEqual([80, 80]);
    expect(sums.restarted).toEqual(["transactions.commits"]);
  });

  it("has no total of CPU time of a server that was replaced", () => {
    const sums = new WindowSums();
    sums.open({ [SERVER_PID_KEY]: 100, "host.serverCpuMs": 8000, "host.clientCpuMs": 10 }, 0);
    const sampled = { [SERVER_PID_KEY]: 100, "host.serverCpuMs": 8500, "host.clientCpuMs": 20 };
    expect(sums.sample(sampled, 1000)).toEqual({ "host.serverCpuMs": 500, "host.clientCpuMs": 10 });
    sums.close({ [SERVER_PID_KEY]: 200, "host.serverCpuMs": 25_000, "host.clientCpuMs": 30 });
    expect(sums.total("host.serverCpuMs")).toBeUndefined();
    expect(sums.total("host.clientCpuMs")).toBe(20);
    expect(sums.restarted).toEqual(["host.serverCpuMs"]);
  });

  it("has totals of statistics with an unchanged start time", () => {
    const sums = new WindowSums();
    sums.open({ [STATISTICS_BEGAN]: 1.5, "transactions.commits": 10 }, 0);
    const sampled = { [STATISTICS_BEGAN]: 1.5, "transactions.commits": 20, "queue.pending": 1 };
    expect(sums.sample(sampled, 1000)).toEqual({ "transactions.commits": 10, "queue.pending": 1 });
    sums.close({ [STATISTICS_BEGAN]: 1.5, "transactions.commits": 30 });
    expect(sums.total("transactions.commits")).toBe(20);
    expect(sums.restarted).toEqual([]);
  });

  it("has no total if an end of the window was not read", () => {
    const sums = new WindowSums();
    sums.open({ "blocks.hit": 1 }, 0);
    sums.close({ "blocks.read": 1 });
    expect(sums.total("blocks.hit")).toBeUndefined();
    expect(sums.total("blocks.read")).toBeUndefined();
    expect(sums.gauge("queue.pending")).toBeUndefined();
  });

  it("treats a counter that may dip as unchanged if it falls by 1 %", () => {
    const sums = new WindowSums();
    sums.open({ "host.otherCpuMs": 1000 }, 0);
    expect(sums.sample({ "host.otherCpuMs": 990 }, 1000)).toEqual({});
    sums.close({ "host.otherCpuMs": 995 });
    expect(sums.total("host.otherCpuMs")).toBe(0);
  });

  it("sums a family of metrics over samples", () => {
    const sums = new WindowSums();
    sums.sample({ "wait.CPU": 1, "wait.Lock:tuple": 3 }, 0);
    sums.sample({ "wait.CPU": 2 }, 1000);
    expect(sums.family("wait.")).toEqual(
      new Map([
        ["CPU", 3],
        ["Lock:tuple", 3],
      ]),
    );
  });
});
