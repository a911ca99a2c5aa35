// Packages that the program loads before it has parsed its arguments, and that each worker thread loads: every trial waits
// for both. Static imports are followed from the sources; slow packages must be loaded on demand.
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "..");
let graph: Metafile["inputs"];

beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: ["cli/main.ts", "engine/workers/worker-entry.ts"].map((entry) => join(SOURCES, entry)),
    outdir: "unwritten",
    absWorkingDir: SOURCES,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  graph = metafile.inputs;
});

/** Packages that are loaded with `entry` at once, or later by its dynamic imports. */
function packagesOf(entry: string): { readonly atOnce: Set<string>; readonly later: Set<string> } {
  const found = { atOnce: new Set<string>(), later: new Set<string>() };
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind, external } of graph[file]?.imports ?? []) {
      if (external) (kind === "dynamic-import" ? found.later : found.atOnce).add(path);
      else if (kind !== "dynamic-import") visit(path);
    }
  };
  visit(entry);
  return found;
}

describe("start-up", () => {
  it("the command line loads no package for containers, charts or tests at once", () => {
    const { atOnce, later } = packagesOf("cli/main.ts");
    expect([...atOnce]).toEqual(expect.arrayContaining(["commander", "zod", "yaml"]));
    for (const slow of ["testcontainers", "mongodb", "selfsigned", "echarts", "esbuild", "playwright-core"])
      expect([...atOnce].filter((name) => name.startsWith(slow))).toEqual([]);
    expect([...later]).toContain("selfsigned");
  });

  it("a worker thread loads no package of the command line, the report or the metrics page", () => {
    const { atOnce } = packagesOf("engine/workers/worker-entry.ts");
    expect([...atOnce]).toEqual(expect.arrayContaining(["pg", "zod"]));
    for (const foreign of ["commander", "yaml", "testcontainers", "mongodb", "echarts", "prom-client"])
      expect([...atOnce]).not.toContain(foreign);
  });
});
