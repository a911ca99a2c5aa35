// Keeps passwords of connection URLs out of messages, names and stored scenarios. Works on the text, not on a
// parsed URL, so that a URL too broken to parse is covered as well; there it rather takes away too much.

/** Connection URLs in `text` without what stands between the user's name and the `@`, nor `password=` options. */
export function withoutPasswords(text: string): string {
  const userinfo = URL.canParse(text)
    ? /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*):[^\s/?#]*@/gi
    : /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*):\S*@/gi;
  return text
    .replace(userinfo, "$1@")
    .replace(/([?&])(?:ssl)?password=[^&\s]*(&?)/gi, (_, before: string, after: string) =>
      after ? before : "",
    );
}
