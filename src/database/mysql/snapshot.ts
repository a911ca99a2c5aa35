import type { Endpoint } from "../endpoint.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";

/** Opens a session whose queries all see the rows of one moment, until it is closed. */
export async function openSnapshot(
  endpoint: Endpoint,
): Promise<Pick<MySqlAdmin, "query" | "rows" | "close">> {
  const session = await connectMySqlAdmin(endpoint, { purpose: "audit" });
  try {
    await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await session.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}
