import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TrainSimError, UsageError } from "./errors.js";
import { AppendFile, writeFileAtomic, writeNamedFile } from "./storage.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-storage-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe("writeFileAtomic", () => {
  it("replaces a file as a whole and leaves no temporary file", async () => {
    const path = join(directory, "result.json");
    await writeFileAtomic(path, "old");
    await writeFileAtomic(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(directory)).toEqual(["result.json"]);
  });

  it("keeps the directory unchanged, without a temporary file, if it fails", async () => {
    const path = join(directory, "taken");
    await writeFileAtomic(join(directory, "other"), "kept");
    mkdirSync(join(path, "child"), { recursive: true });
    await expect(writeFileAtomic(path, "text")).rejects.toBeInstanceOf(TrainSimError);
    expect(readdirSync(directory).sort()).toEqual(["other", "taken"]);
  });

  it("writes through no symbolic link, neither at its path nor at its temporary file", async () => {
    const path = join(directory, "result.json");
    const elsewhere = join(directory, "elsewhere");
    writeFileSync(elsewhere, "kept");
    for (const planted of [path, `${path}.tmp`]) symlinkSync(elsewhere, planted);
    await writeFileAtomic(path, "new");
    expect(readFileSync(elsewhere, "utf8")).toBe("kept");
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("new");
    symlinkSync(elsewhere, join(directory, "log"));
    expect(() => new AppendFile(join(directory, "log"))).toThrow(UsageError);
    expect(readFileSync(elsewhere, "utf8")).toBe("kept");
  });

  it("names a missing directory", async () => {
    const failure = writeFileAtomic(join(directory, "none", "result.json"), "x");
    await expect(failure).rejects.toThrow(/none does not exist/);
    await expect(failure).rejects.toBeInstanceOf(UsageError);
  });
});

describe("writeNamedFile", () => {
  it("writes through a symbolic link, which stays, and creates a missing file", async () => {
    const [file, link] = [join(directory, "shared.csv"), join(directory, "link.csv")];
    writeFileSync(file, "old");
    symlinkSync(file, link);
    await writeNamedFile(link, "new");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("new");
    await writeNamedFile(join(directory, "made.csv"), "made");
    expect(readFileSync(join(directory, "made.csv"), "utf8")).toBe("made");
    expect(readdirSync(directory).sort()).toEqual(["link.csv", "made.csv", "shared.csv"]);
  });

  it("leaves a device unchanged, and names a directory that is in place of the file", async () => {
    const link = join(directory, "device");
    symlinkSync("/dev/null", link);
    await writeNamedFile(link, "gone");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await expect(writeNamedFile(directory, "x")).rejects.toThrow(/a directory is in its place/);
  });
});

describe("AppendFile", () => {
  it("appends whole texts, refuses an existing file and may be closed twice", () => {
    const path = join(directory, "log");
    const file = new AppendFile(path);
    file.append("a\n");
    file.append("b\n");
    file.close();
    file.close();
    file.append("ignored\n");
    expect(readFileSync(path, "utf8")).toBe("a\nb\n");
    expect(() => new AppendFile(path)).toThrow(UsageError);
  });
});
