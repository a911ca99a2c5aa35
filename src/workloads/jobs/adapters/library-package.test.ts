import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../../../test/support/train-sim.js";
import type { Start } from "./kit.js";
import { isInRange, loadLibrary, nodeFor } from "./library-package.js";

interface Package {
  readonly version: string;
  readonly node?: string;
}

/** Makes a directory with packages, each a manifest and an entry, and the driver `pg`. */
function directoryWith(given: Readonly<Record<string, Package>>): string {
  const packages: Readonly<Record<string, Package>> = { pg: { version: "8.0.0" }, ...given };
  const directory = scratchDirectory();
  for (const [name, { version, node }] of Object.entries(packages)) {
    const place = join(directory, "node_modules", name);
    mkdirSync(join(place, "bin"), { recursive: true });
    const manifest = { name, version, main: "index.js", ...(node !== undefined && { engines: { node } }) };
    writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
    writeFileSync(
      join(place, "index.js"),
      `module.exports = { from: ${JSON.stringify(name)}, Pool: class {} };`,
    );
  }
  return directory;
}

const load = (name: string, directory: string) =>
  loadLibrary<{ default: { from: string } }>({ name, tested: "2.0.0" }, { directory } as Start);

test.each([
  ["20.20.2", ">=20", true],
  ["20.20.2", ">=22.12.0", false],
  ["22.12.0", ">=22.12.0", true],
  ["22.11.9", ">=22.12", false],
  ["v20.20.2", "^20.19 || >=22.12", true],
  ["20.18.0", "^20.19 || >=22.12", false],
  ["21.7.0", "^20.19 || >=22.12", false],
  ["24.1.0", "^20.19 || >=22.12", true],
  ["20.20.2", ">= 18 < 22", true],
  ["22.0.0", ">=18 <22", false],
  ["20.20.2", "20.x", true],
  ["20.20.2", "20 || 22", true],
  ["22.1.0", "~22.1.0", true],
  ["22.2.0", "~22.1.0", false],
  ["22.0.0", "<=22", true],
  ["22.0.0", ">22", false],
  ["20.20.2", "*", true],
])("Node %s against the range %s", (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});

test("a library of the tested version that admits this Node is loaded without a caveat", async () => {
  const directory = directoryWith({ queue: { version: "2.0.0", node: ">=20" } });
  const library = await load("queue", directory);
  expect(library).toMatchObject({ library: "queue", version: "2.0.0" });
  expect(library.exports.default.from).toBe("queue");
  expect(library.caveat).toBeUndefined();
});

test("a library of another version for another Node is loaded with both in one caveat", async () => {
  const directory = directoryWith({ queue: { version: "2.1.0", node: ">=99" } });
  expect((await load("queue", directory)).caveat).toBe(
    `tested with queue 2.0.0, not with 2.1.0; queue 2.1.0 declares Node >=99, and this is ${process.version}`,
  );
});

test("a library that is not installed is refused with the command that installs it", async () => {
  await expect(load("no-such-queue", scratchDirectory())).rejects.toMatchObject({
    message: "the package no-such-queue is not installed",
    remedy: "Run in the scenario's directory: npm install no-such-queue@2.0.0",
  });
});

test("a library that refuses this Node is started with an installed Node that it admits", () => {
  const here = directoryWith({ queue: { version: "2.0.0", node: ">=20" } });
  expect(nodeFor("queue", here)).toBe(process.execPath);
  const none = directoryWith({ queue: { version: "2.0.0", node: ">=99" } });
  expect(nodeFor("queue", none)).toBe(process.execPath);
  const packaged = `node-${process.platform}-${process.arch}`;
  const old = directoryWith({ queue: { version: "2.0.0", node: ">=99" }, [packaged]: { version: "98.0.0" } });
  expect(nodeFor("queue", old)).toBe(process.execPath);
  const newer = directoryWith({
    queue: { version: "2.0.0", node: ">=99" },
    [packaged]: { version: "99.1.0" },
  });
  expect(nodeFor("queue", newer)).toBe(join(newer, "node_modules", packaged, "bin", "node"));
  expect(nodeFor("no-such-queue", here)).toBe(process.execPath);
});
