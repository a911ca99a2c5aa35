// What is wrong with the TLS of connection URLs in a scenario, at the URL that says so or at the keys beside it.
import type { Finding } from "../../../syntax/problems.js";
import type { Path } from "../../../syntax/paths.js";
import type { UrlKeys } from "../scalars.js";
import { readParameters, tlsRefusal, type TlsFiles } from "./connection-url.js";
import type { TlsKeys } from "./tls-mode.js";

/** Each URL of a mapping, with its place. */
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

function tlsOf(url: string): TlsFiles {
  const parameters = readParameters(new URL(url).search.slice(1));
  return "tls" in parameters ? parameters.tls : {};
}

/** Ways of TLS that cannot be. */
export function tlsFindings(root: string, mapping: UrlKeys, keys: TlsKeys): Finding[] {
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
