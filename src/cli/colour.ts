// Whether what is printed may be coloured: on a terminal, unless NO_COLOR asks for none (https://no-color.org). Files, pipes
// and machines get plain text.

export function isColoured(stream: { readonly isTTY?: boolean } = process.stdout): boolean {
  return stream.isTTY === true && !process.env["NO_COLOR"];
}
