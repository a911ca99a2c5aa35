// Terminals get colour, unless NO_COLOR asks for none (https://no-color.org).

export function supportsColour(stream: { readonly isTTY?: boolean } = process.stdout): boolean {
  return stream.isTTY === true && !process.env["NO_COLOR"];
}
