// Each bug of `code-changes.ts` in the client of Train Events runs for a second on a real server, and the audit of the same
// program must find it.
import { testNamespace } from "../support/namespace.js";
import { EVENT_CHANGES } from "./code-changes.js";
import { mutant } from "./mutant.js";
import { mutatedProgram, startRun, verdictOf } from "./program.js";

const RUN_MS = 60_000;

for (const [change, replacement, traits = {}] of EVENT_CHANGES) {
  const plant = async () =>
    verdictOf(startRun(testNamespace("code"), traits, 1, mutatedProgram(replacement, traits.isInAudit)));
  mutant("code", change, plant, { ...traits, timeoutMs: RUN_MS });
}
