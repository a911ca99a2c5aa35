/**
 * URL of the built file `name` in the folder of the module whose `import.meta.url` is `module`. Tests run modules from source, and a
 * thread reads no TypeScript.
 */
export const builtBeside = (name: string, module: string): URL =>
  new URL(name, module.replace(/^(.*)\/src\/(.*\.ts)$/, "$1/dist/$2"));
