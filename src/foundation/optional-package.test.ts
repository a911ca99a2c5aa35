import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UsageError } from "./errors.js";
import { requireOptional } from "./optional-package.js";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "train-sim-optional-"));
});
afterEach(() => rm(directory, { recursive: true }));

async function install(folder: string, name: string, code: string): Promise<void> {
  const place = join(directory, folder, "node_modules", name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "index.js"), code);
}

const load = (name: string): unknown => {
  const places = ["project/scenarios", "program"].map((folder) => join(directory, folder, "any.js"));
  return requireOptional(name, "target.url mysql://", { version: "3", places });
};

test("finds a package of the first place or of a directory above it, then of the next place", async () => {
  await install("project", "optional-driver", "exports.from = 'project';");
  await install("program", "optional-driver", "exports.from = 'program';");
  await install("program", "other-driver", "exports.from = 'program';");
  expect(load("optional-driver")).toEqual({ from: "project" });
  expect(load("other-driver")).toEqual({ from: "program" });
});

test("says who needs a missing package and how to install it", () => {
  expect(() => load("optional-driver")).toThrow(
    new UsageError(
      "target.url mysql:// needs the package optional-driver, which is not installed",
      "Run: npm install optional-driver@3",
    ),
  );
});

test("a package that is installed and incomplete fails with its own error", async () => {
  await install("program", "optional-driver", "require('a-part-of-it');");
  expect(() => load("optional-driver")).toThrow(/Cannot find module 'a-part-of-it'/);
});
