// Connection URLs of a scenario, of any database. Messages never repeat a URL, for it may hold a password.
import * as z from "zod";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { custom, type Parsed } from "../syntax/scalars.js";
import type { EndpointUrl } from "./endpoint.js";
import { databaseAt, SCHEMES, URL_EXAMPLE } from "./registry.js";
import { statedTlsMode, tlsRefusal, type TlsKeys } from "./tls.js";

const URL_PATTERN = `^(${SCHEMES.join("|")})://`;

export function connectionUrl(description: string) {
  const schema = {
    title: "connection URL",
    description,
    type: "string",
    pattern: URL_PATTERN,
    examples: [URL_EXAMPLE],
  };
  return custom(schema, (input): Parsed<string> => {
    if (typeof input !== "string") return { message: `expected a connection URL, such as ${URL_EXAMPLE}` };
    const database = databaseAt(input);
    if (!database)
      return { message: `a connection URL starts with ${SCHEMES[0]}://, such as ${URL_EXAMPLE}` };
    const refusal = database.urls.refusal(input);
    return refusal === undefined ? { value: input } : { message: `this connection URL ${refusal}` };
  });
}

const WEIGHT_MAX = 1_000_000;

const PlacedUrl = z
  .strictObject({
    url: connectionUrl("The connection URL."),
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
export const urlList = (description: string) =>
  z
    .array(z.union([connectionUrl("One connection URL."), PlacedUrl]))
    .min(1)
    .max(1000)
    .optional()
    .meta({ description });

/** The keys of a target or a pooler that hold connection URLs. */
export interface UrlKeys {
  readonly url?: string | undefined;
  readonly urls?: readonly (string | z.output<typeof PlacedUrl>)[] | undefined;
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
  return statedTlsMode({ ...target, ...tlsIn(url) });
}

/** TLS keys that the URL's parameters state. */
const tlsIn = (url: string): TlsKeys => databaseAt(url)?.urls.tlsOf(url) ?? {};

function placedUrls(
  root: string,
  { url, urls = [], adminUrl }: UrlKeys,
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

/** Findings on impossible combinations of TLS keys, at the URL that states them or at the keys next to the URL. */
export function tlsFindings(root: string, mapping: UrlKeys, keys: TlsKeys): Finding[] {
  return placedUrls(root, mapping).flatMap(({ url, path }): Finding[] => {
    const own = tlsIn(url);
    const refusal = tlsRefusal({ ...keys, ...own });
    if (!refusal) return [];
    const message = `${refusal.words}; ${refusal.way}`;
    if (refusal.about.some((key) => own[key] !== undefined)) return [{ path, message }];
    // Files that the target lacks are found by the target's own rules.
    return refusal.about.includes("sslmode") ? [{ path: [root, "sslmode"], message }] : [];
  });
}
