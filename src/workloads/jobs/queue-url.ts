import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "../../database/endpoint.js";
import { passwordFrom } from "../../database/password-command.js";

const FILE_MODE = 0o600;

/**
 * URL of an endpoint for programs with another driver. Certificates are written into `directory`, since URLs name files.
 */
export async function queueUrl(
  endpoint: Endpoint,
  applicationName: string,
  directory: string,
): Promise<string> {
  const { host, port, database, user, tls, passwordCommand } = endpoint;
  const password = endpoint.password ?? (passwordCommand && (await passwordFrom(passwordCommand)));
  const parameters = new URLSearchParams({ application_name: applicationName });
  if (host.startsWith("/")) parameters.set("host", host);
  if (tls) {
    parameters.set("sslmode", tls.mode);
    for (const [parameter, pem] of [
      ["sslrootcert", tls.ca],
      ["sslcert", tls.cert],
      ["sslkey", tls.key],
    ] as const) {
      if (pem === undefined) continue;
      const file = join(directory, `${parameter}.pem`);
      writeFileSync(file, pem, { mode: FILE_MODE });
      parameters.set(parameter, file);
    }
  }
  const login = [user, ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(":");
  const place = host.startsWith("/") ? "" : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return `postgresql://${login}@${place}/${encodeURIComponent(database)}?${parameters.toString()}`;
}
