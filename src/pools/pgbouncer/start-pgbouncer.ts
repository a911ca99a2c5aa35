import { searchPathOf, type Endpoint } from "../../database/endpoint.js";
import { generateSecret } from "../../foundation/prng.js";
import { isVersionAtLeast } from "../find-program.js";
import { clientTlsOf, isLoginByCertificate, writeUpstreamTls } from "../pooler-login.js";
import { PoolerProcess } from "../pooler-process.js";
import type { PoolerProgram } from "../strategy.js";
import {
  ADMIN_DATABASE,
  ADMIN_USER,
  CLIENT_DATABASE,
  keepsSessionSetUp,
  CERTIFICATE_HBA_RULES,
  pgBouncerIni,
  pgBouncerUserList,
  type PgBouncerSettings,
} from "./pgbouncer-config.js";

/** The first PgBouncer version that supports named prepared statements in transaction pooling. */
const PREPARED_STATEMENTS_SINCE = "1.21";
const CONFIGURATION_FILE = "pgbouncer.ini";

export function hasPreparedStatements(version: string): boolean {
  return isVersionAtLeast(version, PREPARED_STATEMENTS_SINCE);
}

export async function startPgBouncer(
  program: PoolerProgram,
  settings: PgBouncerSettings,
  upstream: Endpoint,
  choosePort?: () => Promise<number>,
): Promise<PoolerProcess> {
  const password = upstream.password ?? generateSecret();
  const adminPassword = generateSecret();
  const clientTls = await clientTlsOf("PgBouncer", settings, upstream);
  const tls = clientTls && { tls: clientTls.tls };
  return PoolerProcess.start(
    {
      product: "PgBouncer",
      program,
      purpose: "pgbouncer",
      configuration: CONFIGURATION_FILE,
      arguments: (directory) => [`${directory}/${CONFIGURATION_FILE}`],
      async prepare(directory) {
        const list = pgBouncerUserList(upstream, password, adminPassword);
        const userListFile = await directory.write("userlist.txt", list);
        const login = clientTls && {
          certFile: await directory.write("pgbouncer.crt", clientTls.certificates.server.cert),
          keyFile: await directory.write("pgbouncer.key", clientTls.certificates.server.key),
          ...(isLoginByCertificate(settings) && {
            hbaFile: await directory.write("pg_hba.conf", CERTIFICATE_HBA_RULES),
          }),
        };
        const tlsFiles = await writeUpstreamTls(directory, upstream);
        const files = { userListFile, ...tlsFiles, ...(login && { login }) };
        const isPreparedSupported = hasPreparedStatements(program.version);
        return (port) => pgBouncerIni(settings, upstream, { port, ...files }, isPreparedSupported);
      },
      isUp: /process up: /,
      // Last log lines of 1.19 and later, and of earlier versions, which only warn about an address in use.
      isPortTaken: /failed to listen on any address|nowhere to listen on/,
      // PgBouncer 1.24 waits for its clients on SIGTERM and SIGINT.
      quit: "SIGQUIT",
      client: {
        scheme: upstream.scheme,
        database: CLIENT_DATABASE,
        user: upstream.user,
        password,
        ...tls,
        ...(keepsSessionSetUp(settings) && searchPathOf(upstream)),
      },
      console: {
        scheme: upstream.scheme,
        database: ADMIN_DATABASE,
        user: ADMIN_USER,
        password: adminPassword,
        ...tls,
      },
    },
    choosePort,
  );
}
