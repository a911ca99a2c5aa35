// What the file system refuses, in words that name the path and the way out.
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
