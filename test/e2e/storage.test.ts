// A process that is killed (SIGKILL) again and again while it writes a file: readers find one whole text, never a part,
// never a mixture. The test is here because it kills a process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Prng } from "../../src/foundation/prng.js";
import { scratchDirectory } from "../support/train-sim.js";
import { writeFileAtomic } from "../../src/foundation/storage.js";

const STORAGE = new URL("../../dist/foundation/storage.js", import.meta.url).href;
const BYTES = 2_000_000;
const ROUNDS = 12;

/** Program that writes the file with one letter after the other, endlessly, and a dot to standard output for each. */
const WRITER = `
const { writeFileAtomic } = await import(process.argv[1]);
for (let n = 0; ; n++) {
  await writeFileAtomic(process.argv[2], String.fromCharCode(97 + n % 26).repeat(${BYTES}));
  process.stdout.write(".");
}`;

it("a file is complete whenever its writer is killed, and can be written again", async () => {
  const path = join(scratchDirectory(), "result.json");
  const prng = new Prng(4);
  let unfinished = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, STORAGE, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const written = prng.intBetween(1, 4);
    for (let dots = 0; dots < written;) {
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      dots += chunk.length;
    }
    if (round % 2 === 0) {
      // The process is killed at a random moment of a write, after 0 to 300 turns of the event loop.
      for (let turns = prng.intBetween(0, 300); turns > 0; turns--) await new Promise(setImmediate);
    } else {
      // Waits until the next write has begun.
      while (!existsSync(`${path}.tmp`)) await new Promise(setImmediate);
    }
    child.kill("SIGKILL");
    await once(child, "close");
    const text = readFileSync(path, "utf8");
    expect(text).toHaveLength(BYTES);
    expect(text).toBe(text.charAt(0).repeat(BYTES));
    if (existsSync(`${path}.tmp`)) unfinished++;
  }
  expect(unfinished).toBeGreaterThan(0); // the kills came during writes
  await writeFileAtomic(path, "all's well");
  expect(readFileSync(path, "utf8")).toBe("all's well");
  expect(existsSync(`${path}.tmp`)).toBe(false);
});
