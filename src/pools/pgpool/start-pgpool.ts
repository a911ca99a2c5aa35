// The server must take connections without TLS: Pgpool-II checks no certificate of a server.
import { UsageError } from "../../foundation/errors.js";
import { describeEndpoint, searchPathOf, type Endpoint } from "../../database/endpoint.js";
import { generateSecret } from "../../foundation/prng.js";
import { PoolerProcess } from "../pooler-process.js";
import type { PoolerProgram } from "../strategy.js";
import { pgpoolConf, pgpoolPasswords, poolHbaText, type PgpoolSettings } from "./pgpool-config.js";

const CONFIGURATION_FILE = "pgpool.conf";

export async function startPgpool(
  program: PoolerProgram,
  settings: PgpoolSettings,
  upstream: Endpoint,
): Promise<PoolerProcess> {
  if (upstream.tls)
    throw new UsageError(
      `a Pgpool-II that train-sim starts cannot reach ${describeEndpoint(upstream)} with TLS: it would check no certificate`,
      "Use pool: pgbouncer, or pool.urls of your own Pgpool-II.",
    );
  const password = upstream.password ?? generateSecret();
  const { scheme, database, user } = upstream;
  const client = { scheme, database, user, password, ...searchPathOf(upstream) };
  return PoolerProcess.start({
    product: "Pgpool-II",
    program,
    purpose: "pgpool",
    configuration: CONFIGURATION_FILE,
    arguments: (directory) => [
      "-n",
      "-D",
      "-f",
      `${directory}/${CONFIGURATION_FILE}`,
      "-a",
      `${directory}/pool_hba.conf`,
      "-F",
      `${directory}/pcp.conf`,
      "-k",
      `${directory}/pgpoolkey`,
    ],
    async prepare(directory) {
      await directory.write("pool_passwd", pgpoolPasswords(upstream, password));
      await directory.write("pool_hba.conf", poolHbaText(settings));
      await directory.write("pcp.conf", "");
      return (port) => pgpoolConf(settings, upstream, { directory: directory.path, port });
    },
    isUp: /pgpool-II successfully started/,
    isPortTaken: /Address already in use/,
    // SIGTERM would wait for the clients.
    quit: "SIGINT",
    client,
    console: client,
  });
}
