// Statements of train-sim's shape `single-statement` for peers that run the same SQL, taken from the built program so that
// they cannot drift. Parts that a peer cannot send are replaced: a batch comes from the table of documents with keys of
// PostgreSQL's uuidv7(), and random() replaces the dice. If a part to replace is not found, an error results and no
// statement with another meaning.
import { eventOperations } from "#program/workloads/train-events/stores/operations.js";
import { keys } from "#program/workloads/train-events/keys.js";
import { insertColumns } from "#program/workloads/train-events/stores/statements.js";
import { DOCUMENTS, NAMESPACE } from "./server.mjs";

/** Defaults of the scenario, which train-sim has here too. */
export const CHANCES = keys.advance.parse({});
export const BATCH = { min: 10, max: 100 };

function replaceOnce(text, pattern, by) {
  if (!pattern.test(text)) throw new Error(`train-sim's statement has changed: ${pattern} is not in ${text}`);
  return text.replace(pattern, () => by);
}

/** Largest number of a batch's first document. */
export const LAST_FIRST_DOCUMENT = DOCUMENTS - BATCH.max;

/**
 * Statements of a cycle that every peer runs. `size` and `first` are the peer's expressions for the batch's size and its
 * first document.
 */
export function sameStatements(payload, { size, first }, chances = CHANCES) {
  const { statements } = eventOperations({
    ...{ dialect: "postgres", namespace: NAMESPACE, payload },
    ...{ locking: "skip-locked", isolation: "read committed", statementShape: "single-statement" },
  });
  const textOf = (name) => statements.find((statement) => statement.name === name)?.text ?? "";
  const values = insertColumns(payload).map(([column, type]) => {
    if (column === "id") return "uuidv7()";
    return column === "payload" ? `payload::${type}` : column;
  });
  const documents = `SELECT ${values.join(", ")} FROM peers.documents
  WHERE number >= ${first} AND number < ${first} + ${size}`;
  const rolls = `(ARRAY(SELECT random() FROM generate_series(1, ${size})))`;
  const process = replaceOnce(textOf("process"), /\(\$2::float8\[\]\)/, rolls)
    .replaceAll("$3::float8", `${chances.claim}::float8`)
    .replaceAll("$4::float8", `${chances.complete}::float8`)
    .replaceAll("$5::float8", `${chances.fail}::float8`);
  return {
    add: replaceOnce(textOf("add"), /SELECT \* FROM unnest\([^)]*\)/, documents),
    process: replaceOnce(process, /\$1\b/, size),
    archive: replaceOnce(textOf("archive"), /\$1\b/, size),
  };
}
