#!/usr/bin/env node
// Bundles what runs in a browser: the pages of report.html and of a history, and the live dashboard, each as one script
// and one style sheet that need nothing else, `dist/report/html/{page,history,live}.{js,css}`. The program puts them into its HTML; a page
// that imports anything of Node does not build. And the command line and the worker thread, in place of what tsc made
// of their entries: every command starts the one and every trial several of the other, and one file with all that it
// imports loads in half the time of three hundred.
// The directory is an argument, for builds beside `dist/`; a second one, `pages` or `program`, builds only that part.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const PROGRAM = path.join(import.meta.dirname, "src");
const dist = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, "dist"));
const [, , , part] = process.argv;

const PAGES = {
  page: "report/html/page",
  history: "report/html/history/browser",
  live: "live/page/browser",
};
const entryPoints = Object.entries(PAGES).flatMap(([page, room]) =>
  ["main.ts", `${page}.css`].map((file) => ({ in: path.join(PROGRAM, room, file), out: page })),
);
if (part !== "program")
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

/** Each module finds the files beside it (schemas, pages, threads) where it would be if it were not in a bundle. */
const ownAddresses = (room) => ({
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const built = path.relative(path.join(PROGRAM, room), file).replace(/ts$/, "js");
      const address = `new URL(${JSON.stringify(built)}, import.meta.url).href`;
      const contents = (await readFile(file, "utf8")).replaceAll("import.meta.url", address);
      return { contents, loader: "ts" };
    });
  },
});

/** The histograms' own log writer, which nothing uses, makes a number format: a tenth of the program's start. */
const noLogWriter = {
  name: "no-log-writer",
  setup({ onLoad }) {
    onLoad({ filter: /hdr-histogram-js.dist.HistogramLogWriter\.js$/ }, () => ({ contents: "" }));
  },
};

const PROGRAMS = [
  ["cli", "main"],
  ["engine/workers", "worker-entry"],
];
for (const [room, entry] of part === "pages" ? [] : PROGRAMS)
  await build({
    entryPoints: [path.join(PROGRAM, room, `${entry}.ts`)],
    outfile: path.join(dist, room, `${entry}.js`),
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    charset: "utf8",
    logLevel: "warning",
    plugins: [ownAddresses(room), noLogWriter],
    // The driver looks for pg-native and does without. Certificates are rare, and their package is large.
    external: ["pg-native", "selfsigned"],
    // Each thread compiles it anew. The driver asks for Response to find out where it runs, for which Node would load its fetch.
    minifyWhitespace: true,
    define: { Response: "undefined" },
    // Packages of the older kind call `require`, which a module has not.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
    },
  });
