// For tests of commands in this process: a directory of each test's own, and what it printed on standard output. Both are
// made before each test of the file and gone after it, as are an exit code that was set and whatever was spied on.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";

export interface CommandStage {
  readonly directory: string;
  /** Standard output so far, or since a test emptied it. */
  output: string;
}

/** To be called once, at the top of a test file. */
export function commandStage(): CommandStage {
  const stage = { directory: "", output: "" };
  beforeEach(() => {
    stage.directory = mkdtempSync(join(tmpdir(), "train-sim-command-"));
    stage.output = "";
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      stage.output += String(chunk);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
    rmSync(stage.directory, { recursive: true });
  });
  return stage;
}
