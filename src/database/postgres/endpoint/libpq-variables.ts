// The variables of libpq's environment: they complete a connection URL, or are ignored with a reason.
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../../../foundation/errors.js";
import { hintOf } from "../../../syntax/problems.js";
import type { Urls } from "../../url-reading.js";
import {
  AS_ROLE_SETTING,
  IGNORED_PARAMETERS,
  isPort,
  parametersFor,
  readParameters,
} from "./connection-url.js";

type Environment = Parameters<Urls["ignoredVariables"]>[0];

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

const SERVICE = IGNORED_PARAMETERS["service"];

/** Environment variables that have no effect here, each with the reason. */
const IGNORED_VARIABLES: Readonly<Record<string, string | undefined>> = {
  PGAPPNAME: IGNORED_PARAMETERS["application_name"],
  PGCHANNELBINDING: IGNORED_PARAMETERS["channel_binding"],
  PGCLIENTENCODING: IGNORED_PARAMETERS["client_encoding"],
  PGCONNECT_TIMEOUT: IGNORED_PARAMETERS["connect_timeout"],
  PGDATESTYLE: AS_ROLE_SETTING,
  PGGEQO: AS_ROLE_SETTING,
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
  PGSERVICE: SERVICE,
  PGSERVICEFILE: SERVICE,
  PGSSLCERTMODE: IGNORED_PARAMETERS["sslcertmode"],
  PGSSLCOMPRESSION: IGNORED_PARAMETERS["sslcompression"],
  PGSSLCRL: IGNORED_PARAMETERS["sslcrl"],
  PGSSLCRLDIR: IGNORED_PARAMETERS["sslcrldir"],
  PGSSLMAXPROTOCOLVERSION: IGNORED_PARAMETERS["ssl_max_protocol_version"],
  PGSSLMINPROTOCOLVERSION: IGNORED_PARAMETERS["ssl_min_protocol_version"],
  PGSSLNEGOTIATION: IGNORED_PARAMETERS["sslnegotiation"],
  PGSSLSNI: IGNORED_PARAMETERS["sslsni"],
  PGTZ: AS_ROLE_SETTING,
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
      requireValid(name, key, value);
      const isFile = FILE_VARIABLES.includes(name) && value !== "system";
      return [[key, isFile && !isAbsolute(value) ? resolve(value) : value]];
    }),
  );
}

export function completedUrl(
  url: string,
  environment: Environment,
  stated: "pooler" | ReadonlySet<string>,
): string {
  const address = valuesOf(ADDRESS_VARIABLES, environment);
  const parameters = valuesOf(PARAMETER_VARIABLES, environment);
  if (stated === "pooler") {
    const { user } = address;
    return withParts(url, user === undefined ? {} : { user }, []);
  }
  const outranked = parametersFor(stated);
  return withParts(
    url,
    address,
    Object.entries(parameters).filter(([key]) => !outranked.has(key)),
  );
}

function requireValid(name: string, key: string, value: string): void {
  if (key === "port" && !isPort(value))
    throw new UsageError(`${name} has an invalid port`, "Ports are 1 to 65535.");
  if (key === "host" && value.includes(","))
    throw new UsageError(`${name} names several hosts`, "List each as a separate URL in target.urls.");
  if (!(Object.values(PARAMETER_VARIABLES) as string[]).includes(key)) return;
  const parameters = readParameters(new URLSearchParams({ [key]: value }).toString());
  if ("words" in parameters) throw new UsageError(`${name} says ${parameters.words}`, hintOf(parameters));
}

/** Matches a URL in parts: scheme, user information, place (hosts and ports), path and parameters. */
const URL_FORM = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

/** The URL with these parts replaced. A URL that cannot be read stays, so that the check of scenarios refuses it. */
function withParts(
  url: string,
  { host, port, dbname, user }: Readonly<Record<string, string>>,
  more: readonly (readonly [key: string, value: string])[],
): string {
  const [, scheme = "", userinfo = "", place = "", path = "", query = ""] = URL_FORM.exec(url) ?? [];
  if (scheme === "" || query.includes("@") || (!URL.canParse(url) && place !== "")) return url;
  const given = new URLSearchParams(query);
  const added: [string, string][] = more
    .filter(([key]) => !given.has(key))
    .map(([key, value]) => [key, value]);
  let at = place;
  if (at === "" && !given.has("host") && host !== undefined)
    if (isAbsolute(host)) added.push(["host", host]);
    else at = host.includes(":") ? `[${host}]` : host;
  let who = userinfo;
  if (who === "" && user !== undefined && !given.has("user"))
    if (at === "") added.push(["user", user]);
    else who = `${encodeURIComponent(user)}@`;
  if (port !== undefined && !given.has("port") && !/:\d+$/.test(at))
    if (at === "") added.push(["port", port]);
    else at += `:${port}`;
  const database = path.length > 1 || dbname === undefined ? path : `/${encodeURIComponent(dbname)}`;
  const pairs = added.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`);
  const parameters = [...(query === "" ? [] : [query]), ...pairs].join("&");
  return `${scheme}${who}${at}${database}${parameters === "" ? "" : `?${parameters}`}`;
}
