// Finds pgbench: the one on the PATH, otherwise Debian's, unpacked without being installed, like the tests' PgBouncer. No
// other source is used; without either, pgbench is reported as missing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync, chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const HOME = fileURLToPath(new URL("../../.cache/peers/pgbench", import.meta.url));
/** Packages of Debian bookworm: the server package contains pgbench, and a small system may lack the libraries. */
const PACKAGES = ["postgresql-15", "libpq5", "libldap-2.5-0", "libsasl2-2"];

function run(command, args, options) {
  const done = spawnSync(command, args, { encoding: "utf8", ...options });
  if (done.status === 0) return done.stdout;
  throw new Error(`${command} ${args[0]} failed: ${done.error?.message ?? done.stderr.trim().slice(-300)}`);
}

export async function findPgbench() {
  if (spawnSync("pgbench", ["--version"]).status === 0) return "pgbench";
  const wrapper = join(HOME, "run");
  if (existsSync(wrapper)) return wrapper;
  try {
    mkdirSync(HOME, { recursive: true });
    run("apt-get", ["download", ...PACKAGES], { cwd: HOME });
    for (const file of readdirSync(HOME).filter((name) => name.endsWith(".deb")))
      run("dpkg", ["-x", file, "root"], { cwd: HOME });
    const files = readdirSync(join(HOME, "root"), { encoding: "utf8", recursive: true });
    const program = files.find((name) => name.endsWith("/bin/pgbench"));
    const library = files.find((name) => /\/libpq\.so\.5$/.test(name));
    if (!program || !library) throw new Error("the package holds no pgbench");
    const path = join(HOME, "root", dirname(library));
    writeFileSync(
      wrapper,
      `#!/bin/sh\nLD_LIBRARY_PATH="${path}" exec "${join(HOME, "root", program)}" "$@"\n`,
    );
    chmodSync(wrapper, 0o755);
    run(wrapper, ["--version"]);
    return wrapper;
  } catch (error) {
    rmSync(HOME, { recursive: true, force: true });
    throw new Error(`no pgbench on the PATH, and Debian's cannot be had: ${error.message}`, { cause: error });
  }
}
