import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, describe, it } from "vitest";
import { ExitCode, UsageError } from "./errors.js";
import { storageError } from "./storage-error.js";

describe("storageError", () => {
  it("names a full disk and what to do", () => {
    const error = storageError(Object.assign(new Error("x"), { code: "ENOSPC" }), "/a/b");
    expect(error.message).toMatch(/No space left on the disk to write \/a\/b/);
    expect(error.hint).toBe("Free some space, or choose another disk.");
    expect(error.exitCode).toBe(ExitCode.unexpected);
  });

  it("makes usage errors of places that the user chose badly", () => {
    for (const code of ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "EEXIST", "ENAMETOOLONG"]) {
      const error = storageError(Object.assign(new Error("x"), { code }), "/a/b");
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toContain("/a/b");
      expect(error.hint).not.toBe("");
    }
  });

  it("names the file that stands where a directory ought to be", () => {
    const failure = (path: string): Error => {
      try {
        mkdirSync(path);
      } catch (error) {
        return storageError(error, path, "--out");
      }
      throw new Error("it was made");
    };
    const file = fileURLToPath(import.meta.url);
    expect(failure(`${file}/a/b`).message).toBe(`${file}/a/b cannot be made: ${file} is no directory`);
    expect(failure(file).message).toBe(`${file} cannot be made: a file is in its place`);
    expect(failure(`${file}-none/a`).message).toMatch(/-none does not exist, so /);
  });

  it("tells a file system that refuses from a directory that is not there", () => {
    const missing = Object.assign(new Error("x"), { code: "ENOENT" });
    expect(storageError(missing, join(tmpdir(), "a"), "--out")).toMatchObject({
      message: `${join(tmpdir(), "a")} cannot be written: the file system of ${tmpdir()} refuses it`,
      hint: "Choose another place with --out.",
    });
    const readOnly = Object.assign(new Error("x"), { code: "EROFS" });
    expect(storageError(readOnly, "/a/b").message).toBe(
      "/a/b cannot be written: its file system is read-only",
    );
  });

  it("keeps the system's words for anything else, and an error that is already clear", () => {
    expect(storageError(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }), "/a").message).toContain(
      "EIO: i/o error",
    );
    const clear = new UsageError("clear");
    expect(storageError(clear, "/a")).toBe(clear);
  });

  it("names the option that chooses the place, where there is one", () => {
    const full = Object.assign(new Error("x"), { code: "ENOSPC" });
    expect(storageError(full, "/a", "--out").hint).toBe(
      "Free some space, or choose another disk with --out.",
    );
  });
});
