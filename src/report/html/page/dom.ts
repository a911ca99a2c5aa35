// Texts become text nodes, so that no text from a scenario or a server can be markup.

export type Child = Node | string;

/** Creates an element with attributes by HTML names; undefined and false are left out, true is the empty value. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const createdElement = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) createdElement.setAttribute(key, value === true ? "" : value);
  createdElement.append(...children);
  return createdElement;
}
