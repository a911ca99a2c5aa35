// PostgreSQL 19, a release candidate, from Debian's experimental suite: unpacked, and patched to use its own libraries and
// loader. A wrapper is not enough, because initdb and the postmaster start the program `postgres` themselves.
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { debianProgram } from "./debian-program.js";

const run = promisify(execFile);
const VERSION_DIRECTORY = "usr/lib/postgresql/19";

/** Resolves to the directory with `bin` and `lib`, a value of `target.binaries`. */
export async function postgres19(): Promise<string> {
  const wrapper = await debianProgram({
    suite: "experimental",
    packageName: "postgresql-19",
    program: `${VERSION_DIRECTORY}/bin/postgres`,
  });
  const patchelf = await debianProgram({
    suite: "bookworm",
    packageName: "patchelf",
    program: "usr/bin/patchelf",
  });
  const root = join(dirname(wrapper), "root");
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const loader = files.find((file) => file.isFile() && /^ld-linux.*\.so\.\d+$/.test(file.name));
  if (!loader) throw new Error(`${root} holds no dynamic loader`);
  const interpreter = join(loader.parentPath, loader.name);
  const libraries = new Set(
    files.filter(({ name }) => name.includes(".so")).map(({ parentPath }) => parentPath),
  );
  const build = join(root, VERSION_DIRECTORY);
  for (const name of ["postgres", "initdb"]) {
    const program = join(build, "bin", name);
    const { stdout } = await run(patchelf, ["--print-interpreter", program]);
    if (stdout.trim() === interpreter) continue;
    const rpath = ["--force-rpath", "--set-rpath", [...libraries].join(":")];
    await run(patchelf, ["--set-interpreter", interpreter, ...rpath, program]);
  }
  return build;
}
