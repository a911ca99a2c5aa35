#!/usr/bin/env node
// Bundles what runs in a browser: the page of report.html and the live dashboard, each as one script and one style
// sheet that need nothing else, `dist/report/html/{page,live}.{js,css}`. The program puts them into its HTML; a page
// that imports anything of Node does not build. And the worker thread, in place of what tsc made of its entry: every
// trial starts several, and one file with all that it imports loads in half the time of three hundred.
// The directory is an argument, for builds beside `dist/`.
import path from "node:path";
import { build } from "esbuild";

const SOURCES = path.join(import.meta.dirname, "src/report/html");
const dist = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, "dist"));

const entryPoints = ["page", "live"].flatMap((page) =>
  ["main.ts", `${page}.css`].map((file) => ({ in: path.join(SOURCES, page, file), out: page })),
);
await build({
  entryPoints,
  outdir: path.join(dist, "report/html"),
  bundle: true,
  minify: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  charset: "utf8",
  logLevel: "warning",
  tsconfig: path.join(import.meta.dirname, "tsconfig.page.json"),
  banner: {
    js: "/*! Includes Apache ECharts (Apache License 2.0, https://echarts.apache.org) and ZRender (BSD 3-Clause). */",
  },
});

await build({
  entryPoints: [path.join(import.meta.dirname, "src/actors/worker-entry.ts")],
  outfile: path.join(dist, "actors/worker-entry.js"),
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  charset: "utf8",
  logLevel: "warning",
  // What the driver looks for and does without.
  external: ["pg-native"],
  // Packages of the older kind call `require`, which a module has not.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
  },
});
