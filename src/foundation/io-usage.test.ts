import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchDirectory } from "../../test/support/train-sim.js";
import { ioUsage, parsePressure, parseProcessIo } from "./io-usage.js";

it("pressure and bytes of a process are read from the kernel's text, and undefined without this text", () => {
  const pressure =
    "some avg10=0.67 avg60=1.81 avg300=0.88 total=9474594\nfull avg10=0.39 avg60=1.07 avg300=0.51 total=7\n";
  expect(parsePressure(pressure)).toBe(9474.594);
  expect(parsePressure("")).toBeUndefined();
  const io =
    "rchar: 9\nwchar: 9\nsyscr: 1\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 100\ncancelled_write_bytes: 96\n";
  expect(parseProcessIo(io)).toBe(4100);
  expect(parseProcessIo("")).toBeUndefined();
});

it.runIf(process.platform === "linux")(
  "bytes that an ended child wrote count for the process that started it",
  () => {
    const own = (): number => ioUsage([process.pid], new Set([process.pid])).ownBytes ?? Number.NaN;
    const other = (): number => ioUsage([process.pid], new Set()).otherBytes;
    const [ownBefore, otherBefore] = [own(), other()];
    const file = join(scratchDirectory(), "written");
    spawnSync("dd", ["if=/dev/zero", `of=${file}`, "bs=1M", "count=8"]);
    expect(own() - ownBefore).toBeGreaterThanOrEqual(8 * 2 ** 20);
    expect(other() - otherBefore).toBeGreaterThanOrEqual(8 * 2 ** 20);
  },
);
