// libpq's service file: a section [name] has parameters, which complete a URL in place of the variables of the environment.
import { readFileSync } from "node:fs";
import path from "node:path";
import { codeOf, UsageError } from "../../../foundation/errors.js";
import { IGNORED_PARAMETERS } from "./connection-url.js";

type Environment = Readonly<Record<string, string | undefined>>;

const SCHEME = /^postgres(?:ql)?:/;
const SERVICE_PARAMETER = /([?&])service=([^&#]*)(&|$)/;
const WAY_OUT = "Or write host, port and database into the URL.";

/** The URL without its parameter `service`, and the name of the service, which may come from the environment. */
export function serviceIn(
  url: string,
  environment: Environment,
): { readonly url: string; readonly service: string | undefined } {
  const [address = "", ...fragment] = url.split(/(?=#)/);
  const [, before = "", name, after = ""] = (SCHEME.test(url) && SERVICE_PARAMETER.exec(address)) || [];
  if (name === undefined) return { url, service: environment["PGSERVICE"] || undefined };
  return {
    url: [address.replace(SERVICE_PARAMETER, after === "" ? "" : before), ...fragment].join(""),
    service: decodeURIComponent(name),
  };
}

function filesIn({ PGSERVICEFILE, HOME, PGSYSCONFDIR }: Environment): string[] {
  const own = PGSERVICEFILE || (HOME ? path.join(HOME, ".pg_service.conf") : undefined);
  return [...(own ? [own] : []), ...(PGSYSCONFDIR ? [path.join(PGSYSCONFDIR, "pg_service.conf")] : [])];
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw new UsageError(
      `service file ${file} cannot be read: ${codeOf(error) ?? "unknown error"}`,
      WAY_OUT,
      {
        cause: error,
      },
    );
  }
}

/**
 * Values of a service by the environment variables with the same meaning, such as PGHOST.
 * @param variables names of the variables by parameter
 */
export function serviceVariables(
  service: string,
  environment: Environment,
  variables: Readonly<Record<string, string>>,
): Environment {
  const files = filesIn(environment);
  for (const file of files) {
    const lines = linesOf(file);
    const start = lines.findIndex((line) => line.trim() === `[${service}]`);
    if (start < 0) continue;
    const end = lines.findIndex((line, at) => at > start && line.startsWith("["));
    const values: Record<string, string> = {};
    for (const [at, line] of lines.entries()) {
      const isInSection = at > start && (end < 0 || at < end) && !/^\s*(#|$)/.test(line);
      if (!isInSection) continue;
      const [, key = "", value = ""] = /^\s*(\w+)=(.*)$/.exec(line) ?? [];
      const variable = variables[key];
      if (variable === undefined) throw refusal(`${file}:${at + 1}`, service, key);
      values[variable] = value.trim();
    }
    return values;
  }
  const place = files.length === 0 ? "in no service file" : `not in ${files.join(" or ")}`;
  throw new UsageError(`service ${service} is ${place}`, `Set PGSERVICEFILE. ${WAY_OUT}`);
}

/** No message repeats a value, which may be a password. */
function refusal(place: string, service: string, key: string): UsageError {
  if (key === "password")
    return new UsageError(
      `${place}: service ${service} has a password, which a scenario would store`,
      "Move it to ~/.pgpass, or set PGPASSWORD.",
    );
  const reason = key === "" ? "expected parameter=value" : `${key} is not supported`;
  const way = IGNORED_PARAMETERS[key];
  return new UsageError(
    `${place}: service ${service}: ${reason}${way === undefined ? "" : `; ${way}`}`,
    WAY_OUT,
  );
}
