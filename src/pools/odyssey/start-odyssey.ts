import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import { TargetError, UsageError } from "../../foundation/errors.js";
import { generateSecret } from "../../foundation/prng.js";
import { clientTlsOf, writeUpstreamTls } from "../pooler-login.js";
import { PoolerProcess } from "../pooler-process.js";
import type { PoolerProgram } from "../strategy.js";
import { ADMIN_DATABASE, ADMIN_USER, odysseyConf, type OdysseySettings } from "./odyssey-config.js";

const CONFIGURATION_FILE = "odyssey.conf";

export async function startOdyssey(
  program: PoolerProgram,
  settings: OdysseySettings,
  upstream: Endpoint,
  choosePort?: () => Promise<number>,
): Promise<PoolerProcess> {
  refuseUncheckedTls(upstream);
  const passwords = { client: upstream.password ?? generateSecret(), admin: generateSecret() };
  const clientTls = await clientTlsOf("Odyssey", settings, upstream);
  const { scheme, user, database } = upstream;
  const tls = clientTls && { tls: clientTls.tls };
  const start = PoolerProcess.start(
    {
      product: "Odyssey",
      program,
      purpose: "odyssey",
      configuration: CONFIGURATION_FILE,
      arguments: (directory) => [`${directory}/${CONFIGURATION_FILE}`],
      async prepare(directory) {
        const clients = clientTls && {
          certFile: await directory.write("odyssey.crt", clientTls.certificates.server.cert),
          keyFile: await directory.write("odyssey.key", clientTls.certificates.server.key),
        };
        const files = { upstream: await writeUpstreamTls(directory, upstream), ...(clients && { clients }) };
        return (port) => odysseyConf(settings, upstream, passwords, { port, ...files });
      },
      isUp: /listening on /,
      isPortTaken: /failed to bind any listen address/,
      quit: "SIGTERM",
      client: { ...{ scheme, user, database, password: passwords.client }, ...tls },
      console: {
        ...{ scheme, user: ADMIN_USER, database: ADMIN_DATABASE, password: passwords.admin },
        ...tls,
      },
    },
    choosePort,
  );
  return start.catch((error: unknown) => {
    throw namingSettings(error, settings);
  });
}

/** The error with the names of the scenario's settings if Odyssey does not know one: it states a line only. */
function namingSettings(error: unknown, { settings = {} }: OdysseySettings): unknown {
  const names = Object.keys(settings).join(", ");
  if (!(error instanceof TargetError) || names === "" || !error.message.includes("unknown parameter"))
    return error;
  return new TargetError(
    `${error.message}; pool.settings has ${names}`,
    "Correct their names, or use an Odyssey that has them.",
  );
}

/** Refuses the modes of TLS that Odyssey does not have: it checks the CA of a server's certificate, and no name. */
function refuseUncheckedTls(upstream: Endpoint): void {
  const { tls } = upstream;
  if (!tls || (tls.mode !== "verify-full" && tls.ca !== undefined)) return;
  throw new UsageError(
    `an Odyssey that train-sim starts cannot reach ${describeEndpoint(upstream)} with sslmode ${tls.mode}: it checks a server's certificate by its CA, and never the server's name`,
    "Use sslmode verify-ca and name the CA, pool: pgbouncer, or pool.urls of your own Odyssey.",
  );
}
