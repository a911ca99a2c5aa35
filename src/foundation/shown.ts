// Makes text from files, flags and servers fit for a message: bounded, without control characters.

/** The text itself, or its beginning and its end with the number of characters left out between them. */
export function elided(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = Math.ceil(charactersMax * 0.7);
  const tail = charactersMax - head;
  return `${text.slice(0, head)}[... ${text.length - charactersMax} characters ...]${text.slice(-tail)}`;
}

/** As one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Control characters as `\u001b`, but for the ends of lines. */
export function withoutControls(text: string): string {
  return text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
