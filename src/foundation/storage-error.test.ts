import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, describe, it } from "vitest";
import { ExitCode, UsageError } from "./errors.js";
import { storageError } from "./storage-error.js";

describe("storageError", () => {
  it("states that the disk is full and how to proceed", () => {
    const error = storageError(Object.assign(new Error("x"), { code: "ENOSPC" }), "/a/b");
    expect(error.message).toMatch(/No space left on the disk to write \/a\/b/);
    expect(error.hint).toBe("Free some space, or choose another disk.");
    expect(error.exitCode).toBe(ExitCode.unexpected);
  });

  it("is a usage error with a hint for a path that cannot be written or created", () => {
    for (const code of ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "EEXIST", "ENAMETOOLONG"]) {
      const error = storageError(Object.assign(new Error("x"), { code }), "/a/b");
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toContain("/a/b");
      expect(error.hint).not.toBe("");
    }
  });

  it("names a file that is in place of a directory", () => {
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

  it("distinguishes a read-only file system from a missing directory", () => {
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

  it("keeps the system's message for any other code, and an error that is already clear", () => {
    expect(storageError(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }), "/a").message).toContain(
      "EIO: i/o error",
    );
    const clear = new UsageError("clear");
    expect(storageError(clear, "/a")).toBe(clear);
  });

  it("names the option that sets the path", () => {
    const full = Object.assign(new Error("x"), { code: "ENOSPC" });
    expect(storageError(full, "/a", "--out").hint).toBe(
      "Free some space, or choose another disk with --out.",
    );
  });
});
