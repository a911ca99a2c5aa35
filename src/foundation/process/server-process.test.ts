import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { startProcess } from "./server-process.js";

test("a program that exits before its files are written reports its exit code and its log", async () => {
  const path = scratchDirectory();
  const directory = {
    ...{ path, user: undefined, remove: () => Promise.resolve() },
    write: () => Promise.reject(new Error("nothing to write")),
  };
  // Every file operation waits for its turn among these.
  let isBusy = true;
  const keepBusy = async (): Promise<void> => {
    while (isBusy) await promisify(pbkdf2)("password", "salt", 20_000, 64, "sha512");
  };
  const work = Array.from({ length: 8 }, keepBusy);
  const program = await startProcess("a short program", directory, process.execPath, ["--bogus"]);
  isBusy = false;
  expect(await program.waitForExit()).toBe("exit code 9");
  expect(program.hasExited).toBe(true);
  expect(await program.log()).toContain("bad option: --bogus");
  await Promise.all(work);
});
