import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TrainSimError } from "../foundation/errors.js";
import { Totals } from "../metrics/totals.js";
import { TrialFiles } from "./trial-files.js";

// A simulated disk that accepts `bytesLeft` more bytes, writes short at its end, and then answers ENOSPC, like a real
// one.
const disk = vi.hoisted(() => ({ bytesLeft: Number.POSITIVE_INFINITY }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    writeSync: (descriptor: number, bytes: Buffer, offset: number, length: number) => {
      if (disk.bytesLeft === 0) throw Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
      const written = real.writeSync(descriptor, bytes, offset, Math.min(length, disk.bytesLeft));
      disk.bytesLeft -= written;
      return written;
    },
  };
});

let directory = "";
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), "train-sim-full-"));
});
afterEach(() => {
  disk.bytesLeft = Number.POSITIVE_INFINITY;
  fs.rmSync(directory, { recursive: true, force: true });
});

describe("a disk that fills up during a trial", () => {
  it("is reported by `failure` and by `close`, and `onSecond` never throws", () => {
    const files = new TrialFiles(directory, 0);
    const totals = new Totals(["add"]);
    totals.histograms.at("add.response").recordValue(1000);
    files.onSecond(0, totals);
    expect(files.failure).toBeUndefined();
    disk.bytesLeft = 50;
    files.onSecond(1, totals);
    const sizes = fs.readdirSync(directory).map((name) => fs.statSync(join(directory, name)).size);
    expect(files.failure).toBeInstanceOf(TrainSimError);
    disk.bytesLeft = Number.POSITIVE_INFINITY;
    files.onSecond(2, totals);
    expect(fs.readdirSync(directory).map((name) => fs.statSync(join(directory, name)).size)).toEqual(sizes);
    expect(() => {
      files.close();
    }).toThrow(/No space left on the disk/);
  });
});
