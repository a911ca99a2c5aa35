// Refuses, with the reason, names that the server would refuse or cut short, and names that are never train-sim's to create.
import { UsageError } from "../foundation/errors.js";

/** Bytes of the longest identifier of PostgreSQL, which truncates longer ones without an error; MySQL has 64 characters. */
const NAME_BYTES_MAX = 63;
const RESERVED_NAMES = /^(pg_.*|public|information_schema|mysql|performance_schema|sys)$/i;

/** Advice for a name that is in use, after a run and after the commands of `schema`. */
export const OTHER_NAMESPACE_ADVICE =
  "Choose another name: --set namespace=NAME with run, or --namespace NAME with schema.";

function namespaceNameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return `is longer than ${NAME_BYTES_MAX} bytes`;
  if (!/^[A-Za-z_][A-Za-z0-9_$-]*$/.test(name))
    return "must be letters, digits, _, $ and -, not starting with a digit";
  if (RESERVED_NAMES.test(name)) return "belongs to the database";
  return undefined;
}

/** Throws a UsageError that says what is wrong with the name of a namespace. */
export function requireNamespaceName(name: string): void {
  const problem = namespaceNameProblem(name);
  if (problem === undefined) return;
  throw new UsageError(
    `namespace ${JSON.stringify(name)} ${problem}`,
    "Name a schema for train-sim alone, such as train_sim: it is created, and dropped again.",
  );
}
