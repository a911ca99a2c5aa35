// Scratch directories of tests. They are removed after the last test of each file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const scratch: string[] = [];
export function removeScratch(): void {
  for (const path of scratch.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** A scratch directory below the system's temporary one, removed after the last test of the file. */
export function scratchDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "train-sim-test-"));
  scratch.push(path);
  return path;
}
