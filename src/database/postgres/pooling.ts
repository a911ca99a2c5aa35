// A pooler lends connections between transactions if two clients reach one process of the server, or one client two.
import { withinMs } from "../../foundation/deadline.js";
import { messageOf } from "../../foundation/errors.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { PgConnection } from "./connection.js";
import { APPLICATION_NAME } from "../contract.js";

type PoolingMode = "transaction" | "statement";

/**
 * Milliseconds to wait for a second connection: a pooler with one server connection lends it to no other client meanwhile.
 */
const SECOND_CONNECTION_TIMEOUT_MS = 2_000;
/**
 * Query for the server process and the start of its server: two servers behind one name may each have a process of the same
 * number.
 */
const PROCESS_SQL = "SELECT pg_backend_pid() || ' since ' || pg_postmaster_start_time() AS process";

/**
 * Pooling mode of a pooler; undefined for a server, for a pooler in session mode, and for an endpoint that cannot be asked.
 */
export async function poolingModeOf(endpoint: Endpoint): Promise<PoolingMode | undefined> {
  const probeConnections = [0, 1].map(
    () => new PgConnection({ endpoint, applicationName: APPLICATION_NAME, prepared: false }),
  );
  const [client, other] = probeConnections as [PgConnection, PgConnection];
  try {
    await Promise.all(probeConnections.map((each) => each.connect()));
    const before = await serverProcessOf(client);
    await withinMs(other.query("BEGIN"), SECOND_CONNECTION_TIMEOUT_MS);
    const lentProcess = await serverProcessOf(other);
    return lentProcess === before || (await serverProcessOf(client)) !== before ? "transaction" : undefined;
  } catch (error) {
    return /transaction blocks not allowed/.test(messageOf(error)) ? "statement" : undefined;
  } finally {
    await Promise.all(probeConnections.map((each) => each.end()));
  }
}

async function serverProcessOf(client: PgConnection): Promise<string | undefined> {
  const { rows } = await withinMs(
    client.query<{ process: string }>(PROCESS_SQL),
    SECOND_CONNECTION_TIMEOUT_MS,
  );
  return rows[0]?.process;
}

export async function poolerRefusal(
  endpoint: Endpoint,
): Promise<{ readonly words: string; readonly remedy: string } | undefined> {
  const mode = await poolingModeOf(endpoint);
  return (
    mode && {
      words: `${describeEndpoint(endpoint)} is a pooler in ${mode} mode, which the target must not be`,
      remedy: `Name the database server itself in target.url, and the pooler in the pool: { strategy: pgbouncer, mode: ${mode}, url: postgresql://... }.`,
    }
  );
}
