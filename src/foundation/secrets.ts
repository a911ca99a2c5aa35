// Removes passwords of connection URLs from texts. Works on text rather than parsed URLs, so that a broken URL is covered too.

/** Matches URL parameters that hold no secret. Any other parameter is removed, since it may be a misspelt password. */
const HARMLESS_PARAMETERS =
  /^(sslmode|sslrootcert|sslcert|sslkey|target_session_attrs|host|port|user|ssl-mode|ssl-ca|ssl-cert|ssl-key|socket|w|journal|wtimeoutMS|replicaSet|authSource|authMechanism|ssl|tls(?:CAFile|CertificateKeyFile|Insecure|AllowInvalid\w+)?)$/i;

/**
 * Pattern of the begin of a URL. Its length is bounded, so that the time for a long word does not grow with the square of
 * its length.
 */
const SCHEME_PATTERN = "[a-z][a-z0-9+.-]{0,40}://";

/** True if no @ follows the first /, ? or # of the URL. If one follows, the password is unescaped and a later @ ends it. */
function isUnambiguousUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const textAfterScheme = text.slice(text.indexOf("://") + 3);
  const end = textAfterScheme.search(/[/?#]/);
  return end < 0 || !textAfterScheme.includes("@", end);
}

/** Removes passwords and unknown parameters from all connection URLs in `text`. */
export function withoutPasswords(text: string): string {
  if (!text.includes("://")) return withoutPasswordParameters(text);
  // A text that begins with a URL is a URL as a whole, even if its password has blanks.
  const urlRestPattern = new RegExp(`^\\s*${SCHEME_PATTERN}`, "i").test(text) ? "[^]*" : "\\S*";
  const userinfoPattern = new RegExp(
    `(${SCHEME_PATTERN}[^\\s:/?#@]*):${isUnambiguousUrl(text) ? "[^/?#]*" : urlRestPattern}@`,
    "gi",
  );
  const query = new RegExp(
    `\\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\\+srv)?)://[^\\s?#]*)[?#](${urlRestPattern})`,
    "gi",
  );
  return withoutPasswordParameters(text.replace(userinfoPattern, "$1@")).replace(
    query,
    (whole, address: string, parameters: string) => {
      // A question mark without parameters is punctuation of the sentence.
      if (parameters === "") return whole;
      const harmlessParameters = parameters
        .split("&")
        .filter((pair) => HARMLESS_PARAMETERS.test(pair.split("=", 1)[0] ?? ""));
      return harmlessParameters.length > 0 ? `${address}?${harmlessParameters.join("&")}` : address;
    },
  );
}

function withoutPasswordParameters(text: string): string {
  return text.replace(/([?&])(?:ssl)?password=[^&\s]*(&?)/gi, (_, before: string, after: string) =>
    after ? before : "",
  );
}

/**
 * Removes passwords like `withoutPasswords` from a key or path: its first URL extends to the end of the text, even with
 * blanks or quotes.
 */
export function keyWithoutPasswords(key: string): string {
  const url = new RegExp(SCHEME_PATTERN, "i").exec(key)?.index ?? 0;
  return key.slice(0, url) + withoutPasswords(key.slice(url));
}
