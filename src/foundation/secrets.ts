// Removes passwords of connection URLs from texts. Works on text rather than parsed URLs, so that a broken URL is covered too.

/** Parameters of a connection URL that hold no secret; any other may be a misspelt password. */
const HARMLESS = /^(sslmode|sslrootcert|sslcert|sslkey|target_session_attrs|host|port|user)$/i;

/** The beginning of a URL; bounded, so that the time does not grow with the square of a long word. */
const SCHEME = "[a-z][a-z0-9+.-]{0,40}://";

/** Whether a password ends before the first /, ? or #: an @ behind a raw one is the one that ends it. */
function isSound(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const fromHost = text.slice(text.indexOf("://") + 3);
  const end = fromHost.search(/[/?#]/);
  return end < 0 || !fromHost.includes("@", end);
}

/** Connection URLs in `text` without what stands between the user's name and the `@`, and without unknown parameters. */
export function withoutPasswords(text: string): string {
  if (!text.includes("://")) return withoutParameters(text);
  // A text that is a URL as a whole ends where the text does, whatever blanks its password has.
  const anything = new RegExp(`^\\s*${SCHEME}`, "i").test(text) ? "[^]*" : "\\S*";
  const userinfo = new RegExp(`(${SCHEME}[^\\s:/?#@]*):${isSound(text) ? "[^/?#]*" : anything}@`, "gi");
  const query = new RegExp(`\\b(postgres(?:ql)?://[^\\s?#]*)[?#](${anything})`, "gi");
  return withoutParameters(text.replace(userinfo, "$1@")).replace(
    query,
    (whole, address: string, parameters: string) => {
      // A question mark with nothing behind it is the sentence's.
      if (parameters === "") return whole;
      const known = parameters.split("&").filter((pair) => HARMLESS.test(pair.split("=", 1)[0] ?? ""));
      return known.length > 0 ? `${address}?${known.join("&")}` : address;
    },
  );
}

function withoutParameters(text: string): string {
  return text.replace(/([?&])(?:ssl)?password=[^&\s]*(&?)/gi, (_, before: string, after: string) =>
    after ? before : "",
  );
}

/** The same of a key or a path: its first URL ends where the whole does, whatever blanks and quotes its password has. */
export function keyWithoutPasswords(key: string): string {
  const url = new RegExp(SCHEME, "i").exec(key)?.index ?? 0;
  return key.slice(0, url) + withoutPasswords(key.slice(url));
}
