import { hasPooler, isManaged, poolerKindOf } from "../pools/registry.js";
import type { Finding } from "../syntax/problems.js";
import { EVICTION_VERSION } from "../targets/embedded/settings.js";
import { connectionRefusals, settingRefusals, type SettingRefusal } from "../targets/server-limits.js";
import { NON_LOAD_CONNECTIONS, busiestServerConnections } from "./connections.js";
import type { TreatmentSettings } from "./settings.js";

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
  if (isManaged(pool)) {
    const { product } = poolerKindOf(pool);
    const message =
      `cannot serve a ${product} that train-sim starts: its list of users holds one password for the whole trial, and ` +
      `this one changes; use pool: direct or pg-pool, or pool.urls of ${product}s that log in by themselves`;
    findings.push({ path, message });
  }
  return findings;
}

/** Settings of a server that train-sim starts, of which the user may choose all but a few. */
function serverSettings({ target }: TreatmentSettings): Readonly<Record<string, string>> {
  return target.kind === "url" ? {} : target.settings;
}

/** Refuses a pooler if the target has standbys: it would lead clients to any server, although standbys take no writes. */
export function standbyRules({ target, pool }: TreatmentSettings): Finding[] {
  if (target.kind !== "embedded" || !target.standbys || !hasPooler(pool)) return [];
  const { product } = poolerKindOf(pool);
  const message = `a ${product} would lead clients to standbys, which take no writes; use pool: direct or pg-pool`;
  return [{ path: ["pool"], message }];
}

/** Refuses a cold cache on a server that is not embedded or too old, and with a warm-up, which would fill the cache before the window. */
export function coldCacheRules({ target, trial }: TreatmentSettings): Finding[] {
  if (!trial.coldCache) return [];
  const path = ["trial", "coldCache"];
  if (target.kind !== "embedded") {
    const message = `empties the buffers of an embedded server only, and this target is ${target.kind}; leave it out`;
    return [{ path, message }];
  }
  if (target.version !== undefined && target.version < EVICTION_VERSION) {
    const message = `needs pg_buffercache_evict_all, which PostgreSQL ${target.version} lacks and ${EVICTION_VERSION} has`;
    return [{ path, message }];
  }
  if (trial.warmUpMs === 0) return [];
  return [{ path, message: "a warm-up would fill the cache again before the window; set warmUp: 0" }];
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

/**
 * Checks the connections of this treatment only: treatments on the same server state the same max_connections and are
 * checked, too.
 */
export function connectionRules(settings: TreatmentSettings): Finding[] {
  const needed = NON_LOAD_CONNECTIONS + busiestServerConnections(settings);
  return settingFindings(connectionRefusals(serverSettings(settings), needed));
}
