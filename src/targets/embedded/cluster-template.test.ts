import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cacheDirectory, ClusterTemplate } from "./cluster-template.js";

const run = promisify(execFile);
/** A script that several processes run at once; it prints how often the restored directory equalled the cluster. */
const SAVE_AND_USE = `
  import { readFileSync } from "node:fs";
  import { ClusterTemplate } from "./cluster-template.js";
  const [cache, cluster, into] = process.argv.slice(2);
  const template = new ClusterTemplate("18.4", ["-U", "postgres"], cache);
  let used = 0;
  for (let turn = 0; turn < 20; turn++) {
    await template.save(cluster);
    const isThere = template.restore(into + turn, undefined);
    if (isThere && readFileSync(into + turn + "/base/1/1259").equals(readFileSync(cluster + "/base/1/1259"))) used++;
  }
  console.log(used);
  process.exit();
`;
let directory: string;
let cache: string;
let cluster: string;

beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), "cluster-template-"));
  cache = join(directory, "cache");
  cluster = join(directory, "cluster");
  fs.mkdirSync(join(cluster, "base/1"), { recursive: true });
  fs.mkdirSync(join(cluster, "pg_twophase"));
  fs.writeFileSync(join(cluster, "PG_VERSION"), "18\n");
  fs.writeFileSync(join(cluster, "base/1/1259"), Buffer.alloc(100_000, 7));
  fs.writeFileSync(join(cluster, "base/1/empty"), "");
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

const template = (version = "18.4", args = ["-U", "postgres"]) => new ClusterTemplate(version, args, cache);
const keptFiles = () => fs.readdirSync(cache).map((name) => join(cache, name));
const theFile = () => {
  const [file = "", ...others] = keptFiles();
  expect(others).toEqual([]);
  return file;
};
/** Paths of all files, each with its content. */
const contents = (of: string) =>
  fs
    .readdirSync(of, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path) => {
      const isFile = fs.statSync(join(of, path)).isFile();
      return [path, isFile ? fs.readFileSync(join(of, path), "latin1") : "directory"];
    });
const restore = (from = template()) => from.restore(join(directory, "restored"), undefined);
const expectNone = () => {
  expect(restore()).toBe(false);
  expect(fs.existsSync(join(directory, "restored"))).toBe(false);
};

describe("a cluster template", () => {
  it("restores every file and directory with permissions for the owner only", async () => {
    await template().save(cluster);
    expect(restore()).toBe(true);
    expect(contents(join(directory, "restored"))).toEqual(contents(cluster));
    const modes = ["", "base/1", "base/1/1259"].map((path) =>
      (fs.statSync(join(directory, "restored", path)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["700", "700", "600"]);
  });

  it("is stored in a directory and file that only the owner can open", async () => {
    await template().save(cluster);
    expect((fs.statSync(cache).mode & 0o777).toString(8)).toBe("700");
    expect((fs.statSync(theFile()).mode & 0o777).toString(8)).toBe("600");
  });

  it("is absent before a cluster is kept, and for another version or other arguments", async () => {
    expectNone();
    await template().save(cluster);
    expect(restore(template("18.5"))).toBe(false);
    expect(restore(template("18.4", ["-U", "other"]))).toBe(false);
  });

  it("replaces templates of other versions", async () => {
    await template("18.3").save(cluster);
    await template("18.4").save(cluster);
    expect(theFile()).toContain("postgres-18.4-");
  });

  const DAMAGES: Record<string, (bytes: Buffer) => Buffer> = {
    truncated: (bytes) => bytes.subarray(0, bytes.length - 1),
    empty: () => Buffer.alloc(0),
    "without its index": (bytes) => bytes.subarray(0, 40),
    "changed in its index": (bytes) =>
      Buffer.from(bytes.toString("latin1").replace("1259", "1260"), "latin1"),
    "changed in its contents": (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([8])]),
    "changed to name a path outside the directory": (bytes) =>
      Buffer.from(bytes.toString("latin1").replace("PG_VERSION", "../outside"), "latin1"),
  };
  it.each(Object.entries(DAMAGES))("is ignored and replaced if its file is %s", async (_, damage) => {
    await template().save(cluster);
    fs.writeFileSync(theFile(), damage(fs.readFileSync(theFile())));
    expectNone();
    expect(fs.existsSync(join(directory, "outside"))).toBe(false);
    await template().save(cluster);
    expect(restore()).toBe(true);
  });

  it("is ignored if others can write its file or enter its directory", async () => {
    await template().save(cluster);
    fs.chmodSync(theFile(), 0o620);
    expectNone();
    fs.chmodSync(theFile(), 0o600);
    fs.chmodSync(cache, 0o711);
    expectNone();
    const before = fs.readFileSync(theFile());
    fs.appendFileSync(join(cluster, "PG_VERSION"), "changed");
    await template().save(cluster);
    expect(fs.readFileSync(theFile())).toEqual(before);
  });

  it("is neither written nor read through a symbolic link", async () => {
    const elsewhere = join(directory, "elsewhere");
    fs.mkdirSync(elsewhere, { mode: 0o700 });
    fs.symlinkSync(elsewhere, cache);
    await template().save(cluster);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    expectNone();
  });

  it("is skipped without error if the cache directory cannot be created", async () => {
    fs.writeFileSync(cache, "a file where the directory should be");
    await template().save(cluster);
    expectNone();
  });

  it("is not written if the cluster holds a symbolic link", async () => {
    fs.symlinkSync("/", join(cluster, "pg_tblspc"));
    await template().save(cluster);
    expect(keptFiles()).toEqual([]);
  });

  it("is restored whole while several processes write and read it", async () => {
    const program = join(directory, "save-and-use.mjs");
    await build({
      stdin: { contents: SAVE_AND_USE, resolveDir: import.meta.dirname, loader: "ts" },
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "error",
    });
    const processes = Array.from({ length: 4 }, (_, number) =>
      run(process.execPath, [program, cache, cluster, join(directory, `of-${number}-`)]),
    );
    const used = (await Promise.all(processes)).map(({ stdout }) => Number(stdout));
    expect(used).toEqual([20, 20, 20, 20]);
    expect(restore()).toBe(true);
    expect(contents(join(directory, "restored"))).toEqual(contents(cluster));
    theFile();
  });
});

describe("the cache directory", () => {
  it("is below an absolute XDG_CACHE_HOME, otherwise in the home directory", () => {
    expect(cacheDirectory({ XDG_CACHE_HOME: "/var/cache/me" })).toBe("/var/cache/me/train-sim");
    expect(cacheDirectory({})).toMatch(/\/\.cache\/train-sim$/);
    expect(cacheDirectory({ XDG_CACHE_HOME: "relative" })).toBe(cacheDirectory({}));
  });
});
