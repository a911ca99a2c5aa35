import { connectMySqlAdmin, type MySqlAdmin } from "../../../database/mysql/admin.js";
import type { Treatment } from "../settings.js";

/** Runs `work` in a session whose default database is the workload's namespace. */
export async function withMySqlSession<T>(
  { endpoint }: MySqlAdmin,
  { namespace: database }: Pick<Treatment, "namespace">,
  purpose: string,
  work: (session: MySqlAdmin) => Promise<T>,
): Promise<T> {
  const session = await connectMySqlAdmin({ ...endpoint, database }, { purpose });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
