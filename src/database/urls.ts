// Connection URLs of a scenario, of any database. Messages never repeat a URL, for it may hold a password.
import * as z from "zod";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { custom, type Parsed } from "../syntax/scalars.js";
import type { EndpointUrl } from "./endpoint.js";
import { databaseOfUrl, SCHEMES, URL_EXAMPLE } from "./registry.js";
import { tlsModeOfKeys, tlsRefusal, type TlsKeys } from "./tls.js";

const URL_PATTERN = `^(${SCHEMES.join("|").replaceAll("+", "\\+")})://`;

export function connectionUrlSchema(description: string) {
  const schema = {
    title: "connection URL",
    description,
    type: "string",
    pattern: URL_PATTERN,
    examples: [URL_EXAMPLE],
  };
  return custom(schema, (input): Parsed<string> => {
    if (typeof input !== "string") return { message: `expected a connection URL, such as ${URL_EXAMPLE}` };
    const database = databaseOfUrl(input);
    if (!database)
      return { message: `a connection URL starts with ${SCHEMES.join("://, ")}://, such as ${URL_EXAMPLE}` };
    const refusal = database.urls.refusal(input);
    return refusal === undefined ? { value: input } : { message: `this connection URL ${refusal}` };
  });
}

const WEIGHT_MAX = 1_000_000;

const WeightedUrl = z
  .strictObject({
    url: connectionUrlSchema("The connection URL."),
    region: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, "expected a short name of letters, digits, dots and dashes")
      .optional()
      .meta({ description: "Place of the endpoint, such as eu-west-1; results are split by it." }),
    weight: z
      .number()
      .gt(0)
      .max(WEIGHT_MAX)
      .optional()
      .meta({ description: "Weight by which clients are spread over endpoints. Default 1." }),
  })
  .meta({ title: "Endpoint" });

/** Schema of a list of connection URLs, each alone or with its region and weight. */
export const urlListSchema = (description: string) =>
  z
    .array(z.union([connectionUrlSchema("One connection URL."), WeightedUrl]))
    .min(1)
    .max(1000)
    .optional()
    .meta({ description });

/** The keys of a target or a pooler that hold connection URLs. */
export interface UrlKeys {
  readonly url?: string | undefined;
  readonly urls?: readonly (string | z.output<typeof WeightedUrl>)[] | undefined;
  readonly adminUrl?: string | undefined;
}

/** The entries of `urls`, or `url` as the only entry. */
export function urlsOf({ url, urls }: UrlKeys): EndpointUrl[] {
  return (urls ?? (url === undefined ? [] : [url])).map((entry) => {
    if (typeof entry === "string") return { url: entry, weight: 1 };
    const { region, weight = 1 } = entry;
    return { url: entry.url, ...(region !== undefined && { region }), weight };
  });
}

export function tlsModeOf(url: string, target: TlsKeys = {}): string {
  return tlsModeOfKeys({ ...target, ...tlsKeysIn(url) });
}

/** TLS keys that the URL's parameters state. */
const tlsKeysIn = (url: string): TlsKeys => databaseOfUrl(url)?.urls.tlsKeysOf(url) ?? {};

function urlsWithPaths(
  rootKey: string,
  { url, urls = [], adminUrl }: UrlKeys,
): { readonly url: string; readonly path: Path }[] {
  const single = Object.entries({ url, adminUrl }).flatMap(([key, one]) =>
    one === undefined ? [] : [{ url: one, path: [rootKey, key] }],
  );
  const listedUrls = urls.map((entry, i) =>
    typeof entry === "string"
      ? { url: entry, path: [rootKey, "urls", i] }
      : { url: entry.url, path: [rootKey, "urls", i, "url"] },
  );
  return [...single, ...listedUrls];
}

/** Findings on impossible combinations of TLS keys, at the URL that states them or at the keys of the same target. */
export function tlsFindings(rootKey: string, mapping: UrlKeys, keys: TlsKeys): Finding[] {
  return urlsWithPaths(rootKey, mapping).flatMap(({ url, path }): Finding[] => {
    const urlTls = tlsKeysIn(url);
    const refusal = tlsRefusal({ ...keys, ...urlTls });
    if (!refusal) return [];
    const message = `${refusal.words}; ${refusal.way}`;
    if (refusal.about.some((key) => urlTls[key] !== undefined)) return [{ path, message }];
    // Files that the target lacks are found by the target's own rules.
    return refusal.about.includes("sslmode") ? [{ path: [rootKey, "sslmode"], message }] : [];
  });
}
