/** URL of the built file `name` in the folder of a module: a thread reads no TypeScript, from which tests run. */
export const builtUrl = (name: string, module: string): URL =>
  new URL(name, module.replace(/^(.*)\/src\/(.*\.ts)$/, "$1/dist/$2"));
