// Rules over the keys of `target` and of `pool`: which belong together, which exclude each other. Each rule names
// the key to change and why. Pure checks over a scenario that passed its schema.
import { readParameters, tlsRefusal, type TlsFiles } from "../database/endpoint/connection-url.js";
import { OWN_CONNECTIONS, serverConnectionsOf } from "./connections.js";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import {
  poolMapping,
  targetKind,
  targetMapping,
  urlsOf,
  type PoolMapping,
  type TargetMapping,
} from "./resolve.js";
import type { Scenario } from "./schema.js";
import { POOL_KEYS, TARGET_KEYS } from "./schema-target.js";
import { connectionRefusals, settingRefusals, type SettingRefusal } from "../pools/server-limits.js";
import type { TreatmentSettings } from "./settings.js";
import { tlsModeOf, type TlsKeys } from "../database/endpoint/tls-mode.js";

/** Keys that stand there and belong to another kind, by the table of which keys belong to which. */
function strangers(
  root: string,
  given: Readonly<Record<string, unknown>>,
  chooser: string,
  kind: string,
  table: Readonly<Record<string, readonly string[]>>,
): Finding[] {
  const own = table[kind] ?? [];
  return Object.entries(given)
    .filter(([key, value]) => value !== undefined && key !== chooser && !own.includes(key))
    .map(([key]) => {
      const owners = Object.keys(table).filter((other) => table[other]?.includes(key));
      const others = own.length > 0 ? `; ${kind} takes ${own.join(", ")}` : "";
      return {
        path: [root, key],
        message: `belongs to ${chooser} ${owners.join(" or ")}, not to ${kind}${others}`,
        isAboutKey: true,
      };
    });
}

export function targetRules(scenario: Scenario): Finding[] {
  const target = targetMapping(scenario.target);
  const kind = targetKind(target);
  const findings = strangers("target", target, "kind", kind, TARGET_KEYS);
  if (kind !== "url") return findings;
  if (target.url !== undefined && target.urls !== undefined)
    findings.push({ path: ["target", "url"], message: "url and urls exclude each other; keep one" });
  if (target.url === undefined && target.urls === undefined)
    findings.push({
      path: ["target"],
      message: "kind url needs a url, as postgresql://user@host:5432/database",
    });
  return findings;
}

/** The target of a scenario that names one which runs already. */
function urlTarget(scenario: Scenario): TargetMapping | undefined {
  const target = targetMapping(scenario.target);
  return targetKind(target) === "url" ? target : undefined;
}

export function passwordEveryRules(scenario: Scenario): Finding[] {
  const target = urlTarget(scenario);
  if (target?.passwordEvery === undefined || target.passwordCommand !== undefined) return [];
  return [{ path: ["target", "passwordEvery"], message: "has no effect without target.passwordCommand" }];
}

export function certificateRules(scenario: Scenario): Finding[] {
  const { cert, key } = urlTarget(scenario) ?? {};
  if ((cert === undefined) === (key === undefined)) return [];
  const [there, absent] = cert === undefined ? ["key", "cert"] : ["cert", "key"];
  return [{ path: ["target", there], message: `a client certificate needs both; ${absent} is missing` }];
}

/** Why files for TLS cannot be, where a URL of the target is reached without it; undefined where each has it. */
function plainUrl(target: TargetMapping): string | undefined {
  const urls = urlsOf(target).map(({ url }) => url);
  if (target.adminUrl !== undefined) urls.push(target.adminUrl);
  const isOff = (keys: TlsKeys) => (url: string) => tlsModeOf(url, keys) === "disable";
  const { sslmode } = target;
  const isOffByUrl = urls.some(isOff({ sslmode: "require" }));
  if (urls.length > 0 && urls.every(isOff({ sslmode }))) {
    const way = isOffByUrl
      ? "take sslmode=disable out of the URL"
      : "set target.sslmode to require, verify-ca or verify-full";
    return `has no effect without TLS; ${way}`;
  }
  if (!urls.some(isOff(target))) return undefined;
  const where = isOffByUrl ? "a URL says sslmode=disable" : "target.sslmode is disable for another URL";
  return `is for all URLs of the target, and ${where}; let all of them have TLS, or none`;
}

export function tlsFileRules(scenario: Scenario): Finding[] {
  const target = urlTarget(scenario);
  const message = target && plainUrl(target);
  if (message === undefined) return [];
  return (["ca", "cert", "key"] as const)
    .filter((file) => target?.[file] !== undefined)
    .map((file) => ({ path: ["target", file], message }));
}

/** Each URL of a mapping, with its place. */
function placedUrls(
  root: string,
  { url, urls = [], adminUrl }: Pick<TargetMapping | PoolMapping, "url" | "urls" | "adminUrl">,
): { readonly url: string; readonly path: Path }[] {
  const single = Object.entries({ url, adminUrl }).flatMap(([key, one]) =>
    one === undefined ? [] : [{ url: one, path: [root, key] }],
  );
  const listed = urls.map((entry, i) =>
    typeof entry === "string"
      ? { url: entry, path: [root, "urls", i] }
      : { url: entry.url, path: [root, "urls", i, "url"] },
  );
  return [...single, ...listed];
}

function tlsOf(url: string): TlsFiles {
  const parameters = readParameters(new URL(url).search.slice(1));
  return "tls" in parameters ? parameters.tls : {};
}

/** Ways of TLS that cannot be: at the URL that says so, or at the keys beside it. */
function tlsFindings(root: string, mapping: TargetMapping | PoolMapping, keys: TlsKeys): Finding[] {
  return placedUrls(root, mapping).flatMap(({ url, path }): Finding[] => {
    const own = tlsOf(url);
    const refusal = tlsRefusal({ ...keys, ...own });
    if (!refusal) return [];
    const message = `${refusal.words}; ${refusal.way}`;
    if (refusal.about.some((key) => own[key] !== undefined)) return [{ path, message }];
    // What the files of the target lack is said by rules of their own.
    return refusal.about.includes("sslmode") ? [{ path: [root, "sslmode"], message }] : [];
  });
}

export function urlTlsRules(scenario: Scenario): Finding[] {
  const target = urlTarget(scenario);
  if (!target) return [];
  const { sslmode, ca, cert, key } = target;
  return tlsFindings("target", target, { sslmode, ca, cert, key });
}

/** A pooler has no keys of TLS beside its URLs. */
export function poolTlsRules(scenario: Scenario): Finding[] {
  const pool = poolMapping(scenario.pool);
  return pool.strategy === "pgbouncer" ? tlsFindings("pool", pool, {}) : [];
}

/** Whether a URL brings a password of its own. */
function hasPassword(url: string): boolean {
  const { password, searchParams } = new URL(url);
  return password !== "" || searchParams.has("password");
}

export function passwordCommandRules({ target, pool }: TreatmentSettings): Finding[] {
  if (target.kind !== "url" || target.passwordCommand === undefined) return [];
  const findings: Finding[] = [];
  const path = ["target", "passwordCommand"];
  if (target.passwordCommand.words[0] === "")
    findings.push({ path, message: "its first word is the program to run, and is empty" });
  if (target.urls.some(({ url }) => hasPassword(url))) {
    const message = "excludes a password in the URL: keep one of the two";
    findings.push({ path, message });
  }
  if (pool.strategy === "pgbouncer" && pool.urls.length === 0) {
    const message =
      "cannot serve a PgBouncer that train-sim starts: its list of users holds one password for the whole trial, and " +
      "this one changes; use pool: direct or pg-pool, or pool.urls of PgBouncers that log in by themselves";
    findings.push({ path, message });
  }
  return findings;
}

/** Settings of a server that train-sim starts, which are the user's but for some. */
function serverSettings({ target }: TreatmentSettings): Readonly<Record<string, string>> {
  return target.kind === "url" ? {} : target.settings;
}

function settingFindings(refusals: readonly SettingRefusal[]): Finding[] {
  return refusals.map(({ name, words, way }) => ({
    path: ["target", "settings", name],
    message: `${words}; ${way}`,
  }));
}

export function settingRules(settings: TreatmentSettings): Finding[] {
  return settingFindings(settingRefusals(serverSettings(settings)));
}

/** Of this treatment alone: those that share its server state the same max_connections, and are asked as well. */
export function connectionRules(settings: TreatmentSettings): Finding[] {
  const needed = OWN_CONNECTIONS + serverConnectionsOf(settings);
  return settingFindings(connectionRefusals(serverSettings(settings), needed));
}

export function poolRules(scenario: Scenario): Finding[] {
  const pool = poolMapping(scenario.pool);
  const findings = strangers("pool", pool, "strategy", pool.strategy, POOL_KEYS);
  if (pool.strategy !== "pgbouncer") return findings;
  const isExternal = pool.url !== undefined || pool.urls !== undefined;
  if (pool.url !== undefined && pool.urls !== undefined)
    findings.push({ path: ["pool", "url"], message: "url and urls exclude each other; keep one" });
  if (isExternal && pool.instances !== undefined) {
    const message = "is for PgBouncers that train-sim starts; with a URL it starts none";
    findings.push({ path: ["pool", "instances"], message });
  }
  if (!isExternal && pool.adminUrl !== undefined) {
    const message =
      "is for a PgBouncer of your own; without url or urls train-sim starts one and knows its console";
    findings.push({ path: ["pool", "adminUrl"], message });
  }
  return findings;
}
