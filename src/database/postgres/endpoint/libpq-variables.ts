// The variables of libpq's environment: they complete a connection URL, or are ignored with a reason.
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../../../foundation/errors.js";
import { hintOf } from "../../../syntax/problems.js";
import type { UrlReader } from "../../url-reading.js";
import {
  ROLE_SETTING_ADVICE,
  IGNORED_PARAMETERS,
  isPort,
  parametersOfTargetKeys,
  readParameters,
} from "./connection-url.js";
import { serviceIn, serviceVariables } from "./service-file.js";

type Environment = Parameters<UrlReader["ignoredVariables"]>[0];

const ADDRESS_VARIABLES = { PGHOST: "host", PGPORT: "port", PGDATABASE: "dbname", PGUSER: "user" } as const;
/** Environment variables with the URL parameters that have the same meaning and replace them. */
const PARAMETER_VARIABLES = {
  PGSSLMODE: "sslmode",
  PGSSLROOTCERT: "sslrootcert",
  PGSSLCERT: "sslcert",
  PGSSLKEY: "sslkey",
  PGTARGETSESSIONATTRS: "target_session_attrs",
} as const;
const FILE_VARIABLES: readonly string[] = ["PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"];

/** Names of the variables by parameter of a service. */
const VARIABLES_BY_PARAMETER = Object.fromEntries(
  Object.entries({ ...ADDRESS_VARIABLES, ...PARAMETER_VARIABLES }).map(([name, key]) => [key, name]),
);

/** Environment variables that have no effect here, each with the reason. */
const IGNORED_VARIABLES: Readonly<Record<string, string | undefined>> = {
  PGAPPNAME: IGNORED_PARAMETERS["application_name"],
  PGCHANNELBINDING: IGNORED_PARAMETERS["channel_binding"],
  PGCLIENTENCODING: IGNORED_PARAMETERS["client_encoding"],
  PGCONNECT_TIMEOUT: IGNORED_PARAMETERS["connect_timeout"],
  PGDATESTYLE: ROLE_SETTING_ADVICE,
  PGGEQO: ROLE_SETTING_ADVICE,
  PGGSSDELEGATION: IGNORED_PARAMETERS["gssdelegation"],
  PGGSSENCMODE: IGNORED_PARAMETERS["gssencmode"],
  PGGSSLIB: IGNORED_PARAMETERS["gsslib"],
  PGHOSTADDR: IGNORED_PARAMETERS["hostaddr"],
  PGKRBSRVNAME: IGNORED_PARAMETERS["krbsrvname"],
  PGLOADBALANCEHOSTS: IGNORED_PARAMETERS["load_balance_hosts"],
  PGMAXPROTOCOLVERSION: IGNORED_PARAMETERS["max_protocol_version"],
  PGMINPROTOCOLVERSION: IGNORED_PARAMETERS["min_protocol_version"],
  PGOPTIONS: IGNORED_PARAMETERS["options"],
  PGREQUIREAUTH: IGNORED_PARAMETERS["require_auth"],
  PGREQUIREPEER: IGNORED_PARAMETERS["requirepeer"],
  PGREQUIRESSL: "set PGSSLMODE=require",
  PGSSLCERTMODE: IGNORED_PARAMETERS["sslcertmode"],
  PGSSLCOMPRESSION: IGNORED_PARAMETERS["sslcompression"],
  PGSSLCRL: IGNORED_PARAMETERS["sslcrl"],
  PGSSLCRLDIR: IGNORED_PARAMETERS["sslcrldir"],
  PGSSLMAXPROTOCOLVERSION: IGNORED_PARAMETERS["ssl_max_protocol_version"],
  PGSSLMINPROTOCOLVERSION: IGNORED_PARAMETERS["ssl_min_protocol_version"],
  PGSSLNEGOTIATION: IGNORED_PARAMETERS["sslnegotiation"],
  PGSSLSNI: IGNORED_PARAMETERS["sslsni"],
  PGTZ: ROLE_SETTING_ADVICE,
};

export function ignoredVariables(environment: Environment): string[] {
  return Object.entries(IGNORED_VARIABLES).flatMap(([name, reason = ""]) =>
    environment[name] ? [`${name} is ignored: ${reason}`] : [],
  );
}

function valuesOf(
  variables: Readonly<Record<string, string>>,
  environment: Environment,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, key]) => {
      const value = environment[name];
      if (!value) return [];
      requireValidVariable(name, key, value);
      const isFilePath = FILE_VARIABLES.includes(name) && value !== "system";
      return [[key, isFilePath && !isAbsolute(value) ? resolve(value) : value]];
    }),
  );
}

export function completeUrl(
  url: string,
  environment: Environment,
  poolerOrStatedKeys: "pooler" | ReadonlySet<string>,
): string {
  if (poolerOrStatedKeys === "pooler") {
    const { user } = valuesOf(ADDRESS_VARIABLES, environment);
    return fillMissingParts(url, user === undefined ? {} : { user }, []);
  }
  const named = serviceIn(url, environment);
  const variables =
    named.service === undefined
      ? environment
      : { ...environment, ...serviceVariables(named.service, environment, VARIABLES_BY_PARAMETER) };
  const parameters = valuesOf(PARAMETER_VARIABLES, variables);
  const overriddenParameters = parametersOfTargetKeys(poolerOrStatedKeys);
  return fillMissingParts(
    named.url,
    valuesOf(ADDRESS_VARIABLES, variables),
    Object.entries(parameters).filter(([key]) => !overriddenParameters.has(key)),
  );
}

function requireValidVariable(name: string, key: string, value: string): void {
  if (key === "port" && !isPort(value))
    throw new UsageError(`${name} has an invalid port`, "Ports are 1 to 65535.");
  if (key === "host" && value.includes(","))
    throw new UsageError(`${name} names several hosts`, "List each as a separate URL in target.urls.");
  if (!(Object.values(PARAMETER_VARIABLES) as string[]).includes(key)) return;
  const parameters = readParameters(new URLSearchParams({ [key]: value }).toString());
  if ("words" in parameters) throw new UsageError(`${name} says ${parameters.words}`, hintOf(parameters));
}

/** Matches a URL in parts: scheme, user information, place (hosts and ports), path and parameters. */
const URL_PARTS_PATTERN = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

/**
 * The URL, with each missing part taken from the given parts. A URL that cannot be parsed is returned unchanged, so that
 * the scenario check refuses it.
 */
function fillMissingParts(
  url: string,
  { host, port, dbname, user }: Readonly<Record<string, string>>,
  more: readonly (readonly [key: string, value: string])[],
): string {
  const [, scheme = "", userinfo = "", place = "", path = "", query = ""] = URL_PARTS_PATTERN.exec(url) ?? [];
  if (scheme === "" || query.includes("@") || (!URL.canParse(url) && place !== "")) return url;
  const urlParameters = new URLSearchParams(query);
  const added: [string, string][] = more
    .filter(([key]) => !urlParameters.has(key))
    .map(([key, value]) => [key, value]);
  let at = place;
  if (at === "" && !urlParameters.has("host") && host !== undefined)
    if (isAbsolute(host)) added.push(["host", host]);
    else at = host.includes(":") ? `[${host}]` : host;
  let who = userinfo;
  if (who === "" && user !== undefined && !urlParameters.has("user"))
    if (at === "") added.push(["user", user]);
    else who = `${encodeURIComponent(user)}@`;
  if (port !== undefined && !urlParameters.has("port") && !/:\d+$/.test(at))
    if (at === "") added.push(["port", port]);
    else at += `:${port}`;
  const database = path.length > 1 || dbname === undefined ? path : `/${encodeURIComponent(dbname)}`;
  const pairs = added.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`);
  const parameters = [...(query === "" ? [] : [query]), ...pairs].join("&");
  return `${scheme}${who}${at}${database}${parameters === "" ? "" : `?${parameters}`}`;
}
