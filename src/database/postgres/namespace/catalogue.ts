// DDL for databases where each statement is a transaction and jobs make indexes: a statement that met a change of the catalogue
// is sent again, and a failed job is an error. https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-
// concurrency-control.html
import { codeOf, TargetError } from "../../../foundation/errors.js";
import type { SqlClient } from "../admin.js";
import type { Dialect } from "../dialects/dialect.js";
import type { SqlRow } from "../../sql.js";

const SERIALIZATION_FAILURE = "40001";
const STATEMENT_ATTEMPTS = 5;

async function sendWithRetries(client: SqlClient, dialect: Dialect, statement: string): Promise<SqlRow[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.query(statement);
    } catch (error) {
      const isTransientConflict =
        !dialect.supportsTransactionalDdl && codeOf(error) === SERIALIZATION_FAILURE;
      if (!isTransientConflict || attempt === STATEMENT_ATTEMPTS) throw error;
    }
  }
}

/** Runs a DDL statement and waits for its job. Rejects with the server's error, or with a TargetError if the job failed. */
export async function changeCatalogue(client: SqlClient, dialect: Dialect, statement: string): Promise<void> {
  const [answer] = await sendWithRetries(client, dialect, statement);
  if (dialect.awaitJobStatement === undefined || typeof answer?.job_id !== "string") return;
  const [ended] = await client.query(dialect.awaitJobStatement, [answer.job_id]);
  if (!ended || !Object.values(ended).includes(false)) return;
  throw new TargetError(
    `the server's job ${answer.job_id} failed, of ${statement}`,
    "Ask the server for its reason: SELECT * FROM sys.jobs.",
  );
}
