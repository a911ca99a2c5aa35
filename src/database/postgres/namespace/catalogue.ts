// One statement of DDL at a time, for databases where each is a transaction by itself and indexes are made in the background:
// https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-concurrency-control.html
// A statement that met a change of the catalogue, as by an index that was just finished, is sent again. Where a
// job makes the index, it is waited for, and one that failed is an error, not a treatment without its index.
import { codeOf, TargetError } from "../../../foundation/errors.js";
import type { SqlClient } from "../admin.js";
import type { Dialect } from "../dialects/dialect.js";
import type { SqlRow } from "../../sql.js";

const SERIALIZATION_FAILURE = "40001";
const ATTEMPTS = 5;

async function send(client: SqlClient, dialect: Dialect, statement: string): Promise<SqlRow[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.query(statement);
    } catch (error) {
      const isPassing = !dialect.supportsTransactionalDdl && codeOf(error) === SERIALIZATION_FAILURE;
      if (!isPassing || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Rejects with what the server said, or with a TargetError where its job failed. */
export async function changeCatalogue(client: SqlClient, dialect: Dialect, statement: string): Promise<void> {
  const [answer] = await send(client, dialect, statement);
  if (dialect.awaitJob === undefined || typeof answer?.job_id !== "string") return;
  const [ended] = await client.query(dialect.awaitJob, [answer.job_id]);
  if (!ended || !Object.values(ended).includes(false)) return;
  throw new TargetError(
    `the server's job ${answer.job_id} failed, of ${statement}`,
    "Ask the server for its reason: SELECT * FROM sys.jobs.",
  );
}
