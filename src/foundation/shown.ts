// Makes text from files, flags and servers fit for a message: bounded, without control characters.

/** The text; if it is longer than `charactersMax`, its begin and end with the number of omitted characters between them. */
export function elidedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = Math.ceil(charactersMax * 0.7);
  const tail = charactersMax - head;
  return `${text.slice(0, head)}[... ${text.length - charactersMax} characters ...]${text.slice(-tail)}`;
}

/** Quotes the text as a single word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Escapes control characters, except line ends, as in `\u001b`. */
export function escapeControlCharacters(text: string): string {
  return text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
