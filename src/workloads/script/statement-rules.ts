// What a workload of the user's own may not do: end a transaction that train-sim began, or touch what is outside of its schema.

/** Variables that have a value without being drawn. */
export const BUILT_IN_VARIABLES: readonly string[] = ["client_id", "random_seed"];

const WITH_PARAMETERS = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "WITH", "TABLE", "CALL"];
/** What the protocol prepares, SQL's `PREPARE` does not. */
const BY_PROTOCOL_ALONE = ["CALL"];

const OUTSIDE = /^(DROP|ALTER|CREATE) (SCHEMA|DATABASE|ROLE|USER|GROUP|TABLESPACE|OWNED|SYSTEM|EXTENSION)\b/;
const CONTROL =
  /^(BEGIN|START TRANSACTION|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE TRANSACTION)\b/;
const SESSION = /^(SET (SESSION )?(ROLE|AUTHORIZATION|SEARCH_PATH)|RESET|DISCARD|DEALLOCATE|LISTEN|COPY)\b/;

/** Whether `$1` can be in it. */
export function takesParameters([verb = ""]: readonly string[]): boolean {
  return WITH_PARAMETERS.includes(verb);
}

export function isPreparable([verb = ""]: readonly string[]): boolean {
  return takesParameters([verb]) && !BY_PROTOCOL_ALONE.includes(verb);
}

/** Of what may not be in a script that says itself where its transactions begin and end. */
export function scriptProblem(words: readonly string[]): string | undefined {
  const text = words.slice(0, 3).join(" ");
  if (/^(SAVEPOINT|RELEASE|ROLLBACK (\w+ )?TO)\b/.test(text)) return undefined;
  if (/^(PREPARE TRANSACTION|(COMMIT|ROLLBACK) PREPARED)\b/.test(text))
    return `${text}: a prepared transaction outlives its client; remove it`;
  return statementProblem(words, true);
}

/** @param words in capitals, without quoted text */
export function statementProblem(words: readonly string[], isTransaction: boolean): string | undefined {
  const text = words.slice(0, 3).join(" ");
  const first = words.slice(0, 2).join(" ");
  if (OUTSIDE.test(text)) return `${first} reaches beyond the schema of the workload; remove it`;
  if (SESSION.test(text))
    return `${first} outlives its transaction, or takes data that is not there; remove it`;
  if (CONTROL.test(text))
    return isTransaction
      ? `${words[0] ?? ""}: the statements of a name are one transaction already; remove it`
      : `${words[0] ?? ""}: there is no transaction here; remove it`;
  return undefined;
}
