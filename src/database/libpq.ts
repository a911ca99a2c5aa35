// The connection of programs that users bring: as a URL, and as the environment variables of libpq.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "./endpoint.js";
import { passwordFrom } from "./password-command.js";

const FILE_MODE = 0o600;

export interface ProgramSession {
  readonly applicationName: string;
  /** Directory into which certificates are written, since libpq reads them from files. */
  readonly directory: string;
  /** Quoted schema in which unqualified names are looked up. Default: the server's search path. */
  readonly searchPath?: string;
}

/** Environment variables by the parameter of a URL that has the same meaning. */
const VARIABLE_BY_PARAMETER = {
  application_name: "PGAPPNAME",
  options: "PGOPTIONS",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
} as const;

type Parameters = Partial<Record<keyof typeof VARIABLE_BY_PARAMETER, string>>;

function parametersOf(
  { tls }: Endpoint,
  { applicationName, directory, searchPath }: ProgramSession,
): Parameters {
  const fileOf = (parameter: "sslrootcert" | "sslcert" | "sslkey", pem: string | undefined): Parameters => {
    if (pem === undefined) return {};
    const file = join(directory, `${parameter}.pem`);
    writeFileSync(file, pem, { mode: FILE_MODE });
    return { [parameter]: file };
  };
  return {
    application_name: applicationName,
    // Without a blank, which some drivers read as a plus sign.
    ...(searchPath !== undefined && { options: `-csearch_path=${searchPath}` }),
    ...(tls && {
      sslmode: tls.mode,
      ...fileOf("sslrootcert", tls.ca),
      ...fileOf("sslcert", tls.cert),
      ...fileOf("sslkey", tls.key),
    }),
  };
}

async function passwordOf({ password, passwordCommand }: Endpoint): Promise<string | undefined> {
  return password ?? (passwordCommand && (await passwordFrom(passwordCommand)));
}

function urlOf(
  { host, port, database, user }: Endpoint,
  password: string | undefined,
  named: Parameters,
): string {
  const isSocket = host.startsWith("/");
  const parameters = new URLSearchParams({ ...named, ...(isSocket && { host }) });
  const login = [user, ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(":");
  const place = isSocket ? "" : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return `postgresql://${login}@${place}/${encodeURIComponent(database)}?${parameters.toString()}`;
}

export async function libpqUrl(endpoint: Endpoint, session: ProgramSession): Promise<string> {
  return urlOf(endpoint, await passwordOf(endpoint), parametersOf(endpoint, session));
}

/** Variables that connect a program of the user: libpq's and `DATABASE_URL`. */
export async function libpqEnvironment(
  endpoint: Endpoint,
  session: ProgramSession,
): Promise<Record<string, string>> {
  const password = await passwordOf(endpoint);
  const parameters = parametersOf(endpoint, session);
  const named = Object.entries(parameters).map(([parameter, value]) => [
    VARIABLE_BY_PARAMETER[parameter as keyof Parameters],
    value,
  ]);
  return {
    PGHOST: endpoint.host,
    PGPORT: String(endpoint.port),
    PGDATABASE: endpoint.database,
    PGUSER: endpoint.user,
    ...(password !== undefined && { PGPASSWORD: password }),
    ...(Object.fromEntries(named) as Record<string, string>),
    DATABASE_URL: urlOf(endpoint, password, parameters),
  };
}
