import * as z from "zod";
import { connectionUrlSchema, tlsFindings, urlListSchema, urlsOf, type UrlKeys } from "../database/urls.js";
import type { EndpointUrl } from "../database/endpoint.js";
import { shareOf } from "../foundation/share.js";
import type { Finding } from "../syntax/problems.js";

/** `central` poolers run on the coordinator's machine, `agent` poolers on the machine of each agent. */
const POOLER_PLACEMENTS = ["central", "agent"] as const;
type PoolerPlacement = (typeof POOLER_PLACEMENTS)[number];

export interface PoolerSettings {
  readonly strategy: string;
  readonly size: number;
  readonly instances: number;
  /** Present if the poolers run on the agents' machines; left out if they run on the coordinator's machine. */
  readonly placement?: Extract<PoolerPlacement, "agent">;
  /** URLs of poolers that run already; empty if train-sim starts the poolers. */
  readonly urls: readonly EndpointUrl[];
  /** Address of the running pooler's console, for its statistics. */
  readonly adminUrl?: string;
}

const POOL_SIZE_MAX = 100_000;
const DEFAULT_POOL_SIZE = 20;

/** Schema of a pool's size; `whose` begins its description and says which connections are counted. */
export const poolSizeSchema = (whose: string) =>
  z
    .int()
    .min(1)
    .max(POOL_SIZE_MAX)
    .optional()
    .meta({ description: `${whose}. Default ${DEFAULT_POOL_SIZE}.` });

export const sizeOf = ({ size = DEFAULT_POOL_SIZE }: { readonly size?: number | undefined }): number => size;

export type Reconnect = "never" | "per-transaction";

export const RECONNECT_KEY = z.enum(["never", "per-transaction"]).optional().meta({
  description: "per-transaction opens a connection for every transaction, like pgbench -C. Default never.",
});

/** Text of a reconnect setting for a list of settings; empty if connections are kept. */
export const reconnectText = (reconnect: Reconnect): string =>
  reconnect === "never" ? "" : "a connection per transaction, ";

export const POOL_MODES = ["session", "transaction", "statement"] as const;
export type PoolMode = (typeof POOL_MODES)[number];

export const poolModeSchema = (description: string) => z.enum(POOL_MODES).optional().meta({ description });

const LOGIN_METHODS = ["password", "certificate"] as const;
export type Login = (typeof LOGIN_METHODS)[number];

export const LOGIN_KEY = z.enum(LOGIN_METHODS).optional().meta({
  description:
    "How clients log in to the poolers that train-sim starts: by password, or over TLS by a certificate that train-sim makes. Default: certificate if the target has auth cert, else password.",
});

const SettingValue = z.union([
  z
    .string()
    .regex(/^[^\u0000-\u001f\u007f]*$/, "has a control character, which no configuration file can hold"),
  z.number(),
  z.boolean(),
]);

/** Schema of the product's own settings, by name. */
export const settingsSchema = (description: string) =>
  z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/, "not the name of a setting"), SettingValue)
    .optional()
    .meta({ description });

/** Texts of settings; `booleanText` is the product's notation of true and false. */
export function settingTexts(
  settings: Readonly<Record<string, string | number | boolean>>,
  booleanText: (value: boolean) => string,
): Record<string, string> {
  const texts = Object.entries(settings).map(([name, value]) => [
    name,
    typeof value === "boolean" ? booleanText(value) : String(value),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Findings about settings that train-sim determines itself; `sourceOf` gives the key or reason that determines one. */
export function determinedSettingProblems(
  settings: object,
  sourceOf: (name: string) => string | undefined,
): Finding[] {
  return Object.keys(settings).flatMap((name) => {
    const source = sourceOf(name);
    if (source === undefined) return [];
    const message = `is set by train-sim, from ${source}; remove it`;
    return [{ path: ["pool", "settings", name], message, isAboutKey: true }];
  });
}

/** Findings about settings stated for a running pooler: the scenario can state only settings that determine a count. */
export function externalSettingProblems(
  product: string,
  settings: object,
  allowedNames: readonly string[],
): Finding[] {
  const refusedNames = Object.keys(settings).filter((name) => !allowedNames.includes(name));
  const message = `is for ${product}s that train-sim starts; for your own, settings can state ${allowedNames.join(", ")}`;
  return refusedNames.map((name) => ({ path: ["pool", "settings", name], message, isAboutKey: true }));
}

export const POOLER_KEYS = {
  instances: z.int().min(1).max(64).optional().meta({
    description:
      "Poolers to start, at least one before each of target.urls; clients are spread over them evenly. Default 1.",
  }),
  placement: z.enum(POOLER_PLACEMENTS).optional().meta({
    description:
      "Place of the poolers that train-sim starts. central: the coordinator's machine, for all clients; agent: each agent's machine, for its clients only, with size and instances for each agent. Default central.",
  }),
  url: connectionUrlSchema("URL of a running pooler; without it train-sim starts one.").optional(),
  urls: urlListSchema(
    "Running poolers, each a URL or { url, region, weight }; clients are spread over them by weight.",
  ),
};

interface PoolerKeys extends UrlKeys {
  readonly size?: number | undefined;
  readonly instances?: number | undefined;
  readonly placement?: PoolerPlacement | undefined;
}

export function resolvePooler({ size, instances = 1, placement, adminUrl, ...given }: PoolerKeys) {
  const urls = urlsOf(given);
  return {
    size: sizeOf({ size }),
    instances,
    ...(placement === "agent" && urls.length === 0 && { placement }),
    urls,
    ...(adminUrl !== undefined && { adminUrl }),
  };
}

/**
 * Problems of keys that apply only to running poolers or only to managed ones. A URL states its TLS itself, so a pooler has
 * no TLS keys. `managedKeys` are the product's keys for poolers that train-sim starts.
 */
export function poolerKeyProblems<Given extends PoolerKeys>(
  product: string,
  given: Given,
  managedKeys: readonly (keyof Given & string)[] = [],
): Finding[] {
  const hasExternalPooler = given.url !== undefined || given.urls !== undefined;
  const findings = tlsFindings("pool", given, {});
  if (given.url !== undefined && given.urls !== undefined)
    findings.push({ path: ["pool", "url"], message: "url and urls exclude each other; keep one" });
  const message = `is for ${product}s that train-sim starts; with a URL it starts none`;
  for (const key of ["instances", "placement", ...managedKeys] as const)
    if (hasExternalPooler && given[key] !== undefined) findings.push({ path: ["pool", key], message });
  if (!hasExternalPooler && given.adminUrl !== undefined) {
    const message = `is for your own ${product}; without url or urls train-sim starts one and knows its console`;
    findings.push({ path: ["pool", "adminUrl"], message });
  }
  return findings;
}

/** Number of managed poolers before each server: an even share of `instances`, at least one. */
export function poolerCountsByServer(servers: number, instances: number): number[] {
  return Array.from({ length: servers }, (_, index) => Math.max(1, shareOf(instances, servers, index)));
}

/** Refuses a pool that leaves a worker thread without a connection. */
export function shareProblems(
  { size }: { readonly size: number },
  { workers }: { readonly workers: number },
): { readonly path: string; readonly message: string }[] {
  if (size >= workers) return [];
  const message = `${size} connections cannot be shared out over ${workers} worker threads, which each have a pool; raise pool.size to at least ${workers}, or lower the workers`;
  return [{ path: "pool.size", message }];
}
