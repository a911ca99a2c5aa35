import {
  existsSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import {
  compactUtc,
  createResultDirectory,
  createTrialDirectory,
  safeFileName,
  setTrialAside,
  trialPath,
  writeScenario,
  writeSummary,
} from "./directory.js";

const AT_MS = Date.UTC(2026, 0, 31, 23, 59, 58, 999);
let parent = "";
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "train-sim-results-"));
});
afterEach(() => {
  chmodSync(parent, 0o700);
  rmSync(parent, { recursive: true, force: true });
});

describe("safeName", () => {
  it("returns a plain path component for every name of a scenario", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("..", "../../etc", ".", "", "a/b", "\0")),
        (name) => {
          const safe = safeFileName(name);
          expect(safe).toMatch(/^[A-Za-z0-9_+=][A-Za-z0-9._+=-]*$/);
          expect(safe.length).toBeLessThanOrEqual(80);
          expect(dirname(join("/results", safe))).toBe("/results");
        },
      ),
    );
  });

  it("keeps safe names and replaces unsafe characters by hyphens", () => {
    expect(safeFileName("payload-storage_v1.2")).toBe("payload-storage_v1.2");
    expect(safeFileName("Züge & Weichen!")).toBe("Zu-ge-Weichen");
  });
});

describe("createResultDirectory", () => {
  it("names the directory after scenario and UTC second, and creates an empty trials folder", async () => {
    expect(compactUtc(AT_MS)).toBe("20260131T235958Z");
    const { path, discard } = await createResultDirectory(join(parent, "results"), "pay load", AT_MS);
    expect(path).toBe(join(parent, "results", "pay-load-20260131T235958Z"));
    expect(readdirSync(path)).toEqual(["trials"]);
    await discard();
    expect(existsSync(join(parent, "results"))).toBe(false);
  });

  it("discards its parent only if the parent is new and otherwise empty", async () => {
    const inOld = await createResultDirectory(parent, "x", AT_MS);
    await inOld.discard();
    expect(existsSync(parent)).toBe(true);
    const inNew = await createResultDirectory(join(parent, "new"), "x", AT_MS);
    writeFileSync(join(parent, "new", "notes"), "");
    await inNew.discard();
    expect(readdirSync(join(parent, "new"))).toEqual(["notes"]);
  });

  it("gives runs that start in the same second different directories", async () => {
    const made = await Promise.all([1, 2, 3].map(() => createResultDirectory(parent, "x", AT_MS)));
    const paths = made.map(({ path }) => path);
    expect(paths.map((path) => basename(path)).sort()).toEqual([
      "x-20260131T235958Z",
      "x-20260131T235958Z-2",
      "x-20260131T235958Z-3",
    ]);
  });

  it("refuses a parent that cannot be created with a UsageError", async () => {
    const missing = createResultDirectory(join(parent, "no", "such"), "x", AT_MS);
    await expect(missing).rejects.toThrow(/no does not exist/);
    await expect(missing).rejects.toBeInstanceOf(UsageError);
    writeFileSync(join(parent, "file"), "");
    await expect(createResultDirectory(join(parent, "file"), "x", AT_MS)).rejects.toBeInstanceOf(UsageError);
  });
});

describe("a trial's directory", () => {
  it("is named by number and treatment and cannot be created twice", async () => {
    mkdirSync(join(parent, "trials"));
    const path = await createTrialDirectory(parent, 7, "text-direct");
    expect(path).toBe(join(parent, "trials", "007-text-direct"));
    expect(path).toBe(trialPath(parent, 7, "text-direct"));
    await expect(createTrialDirectory(parent, 7, "text-direct")).rejects.toThrow(/in its place/);
    expect(dirname(trialPath(parent, 1, "../../x"))).toBe(join(parent, "trials"));
  });

  it("is not created through a symbolic link in place of trials", async () => {
    mkdirSync(join(parent, "elsewhere", "001-x"), { recursive: true });
    symlinkSync(join(parent, "elsewhere"), join(parent, "trials"));
    await expect(createTrialDirectory(parent, 2, "x")).rejects.toThrow(/not a directory of its own/);
    await expect(setTrialAside(parent, 1, "x")).rejects.toBeInstanceOf(UsageError);
    expect(readdirSync(join(parent, "elsewhere"))).toEqual(["001-x"]);
  });

  it("is not created in place of a symbolic link of its name", async () => {
    mkdirSync(join(parent, "trials"));
    symlinkSync(parent, join(parent, "trials", "001-x"));
    await expect(createTrialDirectory(parent, 1, "x")).rejects.toThrow(/in its place/);
  });
});

describe("text files of a result directory", () => {
  it("are written as scenario.yaml and summary.txt", async () => {
    await writeScenario(parent, "name: x\n");
    await writeSummary(parent, "all well\n");
    expect(readFileSync(join(parent, "scenario.yaml"), "utf8")).toBe("name: x\n");
    expect(readFileSync(join(parent, "summary.txt"), "utf8")).toBe("all well\n");
  });
});
