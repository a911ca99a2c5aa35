// Keeps passwords of connection URLs out of messages, names and stored scenarios. Works on the text, not on a
// parsed URL, so that a URL too broken to parse is covered as well; there it rather takes away too much.

/** Parameters of a connection URL that hold no secret; any other may be a misspelt password. */
const HARMLESS = /^(sslmode|sslrootcert|sslcert|sslkey|host|port|user)$/i;

/** Connection URLs in `text` without what stands between the user's name and the `@`, and without unknown parameters. */
export function withoutPasswords(text: string): string {
  // An @ behind a raw /, ? or # is the one that ends a password.
  const isSound = URL.canParse(text) && !/:\/\/[^/?#]*[/?#].*@/s.test(text);
  // A text that is a URL as a whole ends where the text does, whatever blanks its password has.
  const anything = /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text) ? "[^]*" : "\\S*";
  const userinfo = new RegExp(
    `(\\b[a-z][a-z0-9+.-]*://[^\\s:/?#@]*):${isSound ? "[^/?#]*" : anything}@`,
    "gi",
  );
  const query = new RegExp(`\\b(postgres(?:ql)?://[^\\s?#]*)[?#](${anything})`, "gi");
  return text
    .replace(userinfo, "$1@")
    .replace(/([?&])(?:ssl)?password=[^&\s]*(&?)/gi, (_, before: string, after: string) =>
      after ? before : "",
    )
    .replace(query, (_, address: string, parameters: string) => {
      const known = parameters.split("&").filter((pair) => HARMLESS.test(pair.split("=", 1)[0] ?? ""));
      return known.length > 0 ? `${address}?${known.join("&")}` : address;
    });
}
