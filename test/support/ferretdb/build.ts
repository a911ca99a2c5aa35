// Builds FerretDB, once for each version of these files. It takes minutes, so that only `npm run test:mongodb` needs it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = import.meta.dirname;
const CACHE = join(SOURCE, "../../../.cache/ferretdb");
const MODULE = "github.com/FerretDB/FerretDB";
/** FerretDB refuses a projection of findAndModify. The built one ignores it, and returns all of the document. */
const CHANGED_FILE = "internal/handler/common/findandmodify.go";
const [REFUSED, IGNORED] = ['ferretdb:"fields,unimplemented"', 'ferretdb:"fields,ignored"'];

/** Path of the program. */
export function buildFerretDb(): string {
  const sources = ["main.go", "go.mod", "go.sum", "build.ts"].map((name) => readFileSync(join(SOURCE, name)));
  const version = createHash("sha256").update(Buffer.concat(sources)).digest("hex").slice(0, 12);
  const program = join(CACHE, version, "ferretdb");
  if (existsSync(program)) return program;
  rmSync(join(CACHE, version), { recursive: true, force: true });
  mkdirSync(join(CACHE, version), { recursive: true });
  const go = (...args: string[]): string =>
    execFileSync("nice", ["-n", "19", "go", ...args], { cwd: SOURCE, encoding: "utf8" });
  go("mod", "download", MODULE);
  // Go replaces no file in its cache of modules, so that the module is copied.
  const copy = join(CACHE, version, "source");
  const original = go("list", "-m", "-f", "{{.Dir}}", MODULE).trim();
  execFileSync("cp", ["-r", "--no-preserve=mode", original, copy]);
  const file = join(copy, CHANGED_FILE);
  const text = readFileSync(file, "utf8");
  if (!text.includes(REFUSED)) throw new Error(`${file} has no ${REFUSED}`);
  writeFileSync(file, text.replace(REFUSED, IGNORED));
  const modules = join(CACHE, version, "go.mod");
  const stated = readFileSync(join(SOURCE, "go.mod"), "utf8");
  writeFileSync(modules, `${stated}\nreplace ${MODULE} => ${copy}\n`);
  copyFileSync(join(SOURCE, "go.sum"), join(CACHE, version, "go.sum"));
  go("build", "-trimpath", "-ldflags", "-s -w", "-modfile", modules, "-o", program, ".");
  rmSync(copy, { recursive: true });
  return program;
}
