// Lint rules: typescript-eslint's strictest type-checked set, which finds promises that are not awaited; one clock and one
// source of randomness; no rule is disabled by a comment. Imports are dependency-cruiser's.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "/results/", ".cache/", "node_modules/", "bench/results/"] },
  ...tseslint.configs.strictTypeChecked,
  {
    linterOptions: { noInlineConfig: true },
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      eqeqeq: "error",
      "no-console": "error",
      "max-lines": ["warn", { max: 400 }],
      "max-lines-per-function": ["warn", { max: 100 }],
      // The bundles of the program hold what is used of a namespace, and all of zod's languages of an object.
      "no-restricted-syntax": [
        "error",
        {
          selector: "ImportDeclaration[source.value='zod'] > :not(ImportNamespaceSpecifier, Literal)",
          message: 'Write `import * as z from "zod"`.',
        },
      ],
    },
  },
  {
    // What runs in a browser sees the DOM and nothing of Node.
    files: ["src/report/html/page/*.ts", "src/live/page/browser/*.ts"],
    languageOptions: { parserOptions: { project: "./tsconfig.page.json" } },
  },
  {
    // Clocks and randomness pass through `foundation`, so that tests can replace them and a seed repeats a run.
    files: ["src/**/*.ts"],
    ignores: ["src/foundation/clock.ts", "src/foundation/prng.ts", "**/*.test.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Ask foundation/clock.ts." },
        { object: "performance", property: "now", message: "Ask foundation/clock.ts." },
        { object: "process", property: "hrtime", message: "Ask foundation/clock.ts." },
        { object: "Math", property: "random", message: "Ask foundation/prng.ts." },
      ],
    },
  },
  { files: ["**/*.test.ts"], rules: { "max-lines-per-function": "off" } },
  { files: ["**/*.js", "**/*.mjs"], ...tseslint.configs.disableTypeChecked },
  { files: ["bench/**"], rules: { "no-console": "off" } },
);
