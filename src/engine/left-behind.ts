// The commands by which a user goes on after a run: what drops a schema that it left on a server, as one line for a shell.
// They repeat the scenario's own arguments, so that they work where the run did. No password is ever among them: the
// command says where to put one that the environment does not hold already.
import { shellWord } from "../foundation/shown.js";
import type { Endpoint } from "../scenario/endpoint.js";
import { withoutPasswords } from "../scenario/secrets.js";
import type { DialectName, TargetSettings } from "../scenario/settings.js";

export type UrlTarget = Extract<TargetSettings, { kind: "url" }>;

/** The scenario's keys by the parameters of a URL that mean the same. */
const TLS_KEYS = { sslmode: "sslmode", sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const;

/** The URL that train-sim connects to for its own work, TLS files included, without a password. */
function adminUrlOf(target: UrlTarget): string {
  const url = withoutPasswords(target.adminUrl ?? target.urls[0]?.url ?? "");
  const [, query = ""] = url.split("?");
  const own = new URLSearchParams(query);
  const added = Object.entries(TLS_KEYS).flatMap(([parameter, key]) => {
    const value = target[key];
    return value === undefined || own.has(parameter) ? [] : [`${parameter}=${encodeURIComponent(value)}`];
  });
  if (added.length === 0) return url;
  return `${url}${query === "" ? "?" : "&"}${added.join("&")}`;
}

/** `train-sim schema drop --url ... --namespace ...`; `admin` is where that URL leads. */
export function dropCommand(
  target: UrlTarget,
  admin: Endpoint,
  namespace: string,
  dialect: DialectName,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const words = ["train-sim", "schema", "drop", "--url", adminUrlOf(target), "--namespace", namespace];
  if (dialect !== "postgres") words.push("--dialect", dialect);
  const isElsewhere =
    admin.passwordCommand !== undefined || admin.password !== (env["PGPASSWORD"] || undefined);
  return `${words.map(shellWord).join(" ")}${isElsewhere ? " (with its password in PGPASSWORD)" : ""}`;
}
