/** URL of the built file `name` for a module in src: a thread cannot load TypeScript, from which tests run. */
export const builtUrl = (name: string, module: string): URL =>
  new URL(name, module.replace(/^(.*)\/src\/(.*\.ts)$/, "$1/dist/$2"));
