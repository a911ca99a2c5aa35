// Names for what a test makes in the suite's shared server. Each call gives a new one, so that test files run side
// by side and a file can run twice.
import { generateSecret } from "../../src/foundation/prng.js";

/** A schema name that nobody else uses, as `test_6b1f09c2`. */
export function testNamespace(prefix = "test"): string {
  return `${prefix}_${generateSecret(4)}`;
}
