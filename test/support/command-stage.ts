// Stage for tests of commands in this process: before each test it makes a directory and records standard output, and
// afterwards it removes both and resets exit code and spies.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";

export interface CommandStage {
  readonly directory: string;
  /** Standard output of the command so far. A test may set it to an empty text. */
  output: string;
}

/** Sets up a stage on which commands run in the process of the test. Call it once, at the top of a test file. */
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
