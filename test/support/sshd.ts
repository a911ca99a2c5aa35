// A real OpenSSH server for tests, with one accepted key and an ssh_config of hosts: Debian's sshd, unpacked and not
// installed, on a free port of loopback, as the tests' user. `ssh` itself is the machine's own. OpenSSH asks the system for
// a user's home, and not HOME, so an `ssh` that comes first on PATH names the configuration.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { processTree } from "../../src/foundation/machine-usage.js";
import { freePort } from "../../src/foundation/process/server-process.js";
import { debianProgram } from "./debian-program.js";
import { MAIN, scratchDirectory } from "./train-sim.js";

const run = promisify(execFile);

export interface SshServer {
  /** Environment in which `ssh` finds the hosts. */
  readonly env: NodeJS.ProcessEnv;
  /** Command lines of processes that still run: `ssh` on this side, and what it started on the "host". */
  remainingProcesses(): string[];
  stop(): Promise<void>;
}

/** Command that wraps sshd if root runs it: sshd needs another user and a directory, which only these processes then see. */
const AS_ROOT = [
  ...["unshare", "--mount", "sh", "-c"],
  `mount --bind "$0" /etc/passwd && mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && exec "$@"`,
];

async function makeKey(file: string): Promise<string> {
  await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", file]);
  return readFileSync(`${file}.pub`, "utf8");
}

/**
 * Starts a server that `ssh` reaches under the names `hosts`. It does not accept `stranger`. `more` has lines of ssh_config
 * for all names.
 */
export async function startSshServer(hosts: readonly string[], more: readonly string[]): Promise<SshServer> {
  const program = await debianProgram({
    ...{ suite: "bookworm", packageName: "openssh-server", program: "usr/sbin/sshd" },
  });
  const directory = scratchDirectory();
  const at = (name: string): string => join(directory, name);
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(at(name), `${lines.join("\n")}\n`, { mode: 0o600 });
  const port = await freePort();
  const hostKey = await makeKey(at("host_key"));
  write("authorized_keys", [await makeKey(at("key"))]);
  await makeKey(at("other_key"));
  write("known_hosts", [`[127.0.0.1]:${port} ${hostKey}`]);
  write("sshd_config", [
    ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${at("host_key")}`, "PidFile none"],
    ...[`AuthorizedKeysFile ${at("authorized_keys")}`, "StrictModes no", "UsePAM no"],
    ...["PasswordAuthentication no", "KbdInteractiveAuthentication no"],
  ]);
  write("ssh_config", [
    ...[`Host ${hosts.join(" ")}`, `IdentityFile ${at("key")}`, ...more],
    ...["Host stranger", `IdentityFile ${at("other_key")}`],
    ...["Host *", "HostName 127.0.0.1", `Port ${port}`, `User ${userInfo().username}`],
    ...["IdentitiesOnly yes", `UserKnownHostsFile ${at("known_hosts")}`, "StrictHostKeyChecking yes"],
  ]);
  const ssh = execFileSync("sh", ["-c", "command -v ssh"], { encoding: "utf8" }).trim();
  write("ssh", ["#!/bin/sh", `exec ${ssh} -F ${at("ssh_config")} "$@"`]);
  chmodSync(at("ssh"), 0o700);
  const passwd = readFileSync("/etc/passwd", "utf8").replace(/^sshd:.*\n/m, "");
  writeFileSync(at("passwd"), `${passwd}sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n`);

  // Option -r lets sshd continue in the same process image, which another loader has loaded.
  const sshd = [program, "-D", "-e", "-r", "-f", at("sshd_config")];
  const [command = "", ...args] = process.getuid?.() === 0 ? [...AS_ROOT, at("passwd"), ...sshd] : sshd;
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      output.push(line);
      if (line.includes("Server listening")) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`sshd has ended: ${output.join("; ")}`)));
  });
  return {
    env: { ...process.env, PATH: `${directory}:${process.env["PATH"] ?? ""}` },
    remainingProcesses: () => {
      const there = processTree(child.pid as number).filter((pid) => pid !== child.pid);
      const own = commandLines().filter(
        // An agent whose connection has ended is no child of sshd any more.
        (words) =>
          words.includes(at("ssh_config")) || (words.includes(MAIN) && words.includes("--token-file - ")),
      );
      return [...there.map(commandLineOf), ...own];
    },
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}

function commandLineOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // the process has ended
  }
}

/** Command lines of all processes of this machine. */
export function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandLineOf);
}
