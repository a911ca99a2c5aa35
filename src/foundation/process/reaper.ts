// Cleans up after train-sim even if it was killed: a detached process waits for a pipe to close, then ends the processes and
// removes the directories that were registered. Its script is a string so that it runs alike from source and from dist.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { messageOf, TargetError } from "../errors.js";

/**
 * Program of the reaper in plain CommonJS, run with `node -e`. It reads lines of `["hold"|"forget",
 * "process"|"mount"|"directory", value]`.
 */
const REAPER_SCRIPT = String.raw`
const fs = require("node:fs");
const { spawnSync } = require("node:child_process");
const held = { process: new Set(), mount: new Set(), directory: new Set() };
const inside = (path) => [...held.directory].some((directory) => path === directory || path.startsWith(directory + "/"));
const read = (file) => { try { return fs.readFileSync(file, "latin1"); } catch { return ""; } };
const alive = (pid) => {
  try { process.kill(pid, 0); } catch (error) { return error.code === "EPERM"; }
  return !/\) Z/.test(read("/proc/" + pid + "/stat"));
};
const strays = () => {
  if (process.platform !== "linux" || held.directory.size === 0) return [];
  return fs.readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try { return inside(fs.readlinkSync("/proc/" + name + "/cwd").replace(/ \(deleted\)$/, "")); } catch { return false; }
  }).map(Number);
};
const signal = (pid, name) => {
  for (const target of [-pid, pid]) try { process.kill(target, name); } catch {}
};
const remaining = () => [...new Set([...held.process, ...strays()])].filter(alive);
const settle = async (name, patienceMs) => {
  remaining().forEach((pid) => signal(pid, name));
  for (let waitedMs = 0; waitedMs < patienceMs && remaining().length > 0; waitedMs += 20)
    await new Promise((resolve) => setTimeout(resolve, 20));
};
const reap = async () => {
  await settle("SIGQUIT", 5000);
  await settle("SIGKILL", 5000);
  for (const mount of held.mount) spawnSync("umount", ["-l", mount], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } });
  for (const directory of held.directory)
    try { fs.rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }); } catch {}
  process.exit(0);
};
for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(name, () => {});
let input = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (input + chunk).split("\n");
  input = lines.pop();
  for (const line of lines) {
    const [verb, kind, value] = JSON.parse(line);
    held[kind][verb === "hold" ? "add" : "delete"](value);
  }
});
process.stdin.on("end", reap);
process.stdin.on("error", reap);
`;

type ReapedResource = readonly ["process", number] | readonly ["mount" | "directory", string];

const resources = new Set<ReapedResource>();
let running: Promise<Socket> | undefined;
let pid: number | undefined;

/** Process id of the reaper, which starts with the first guarded thing; undefined before. */
export function reaperPid(): number | undefined {
  return pid;
}

async function startReaper(): Promise<Socket> {
  const child: ChildProcess = spawn(process.execPath, ["-e", REAPER_SCRIPT], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    // NODE_OPTIONS of the parent (a loader, an inspector port) must not reach the reaper.
    env: {},
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    running = undefined;
    throw new TargetError(
      `cannot start the process that cleans up after train-sim: ${messageOf(error)}`,
      "",
      {
        cause: error,
      },
    );
  }
  pid = child.pid;
  const pipe = child.stdin as Socket;
  // Neither the process nor its pipe keeps train-sim alive. The next registration handles a broken pipe.
  child.unref();
  pipe.unref();
  pipe.on("error", () => undefined);
  child.once("exit", () => (running = undefined));
  for (const item of resources) pipe.write(lineOf("hold", item));
  return pipe;
}

function lineOf(verb: "hold" | "forget", item: ReapedResource): string {
  return `${JSON.stringify([verb, ...item])}\n`;
}

async function hold(item: ReapedResource): Promise<() => void> {
  running ??= startReaper();
  const pipe = await running;
  resources.add(item);
  // The callback confirms that the kernel has the line: it then arrives even if train-sim is killed.
  await new Promise<void>((resolve, reject) =>
    pipe.write(lineOf("hold", item), (error) => {
      if (!error) resolve();
      else
        reject(new TargetError("the process that cleans up after train-sim has gone", "", { cause: error }));
    }),
  );
  return () => {
    resources.delete(item);
    void running?.then((current) => current.write(lineOf("forget", item))).catch(() => undefined);
  };
}

/**
 * Makes the reaper stop the process and its group if train-sim dies. Call the returned function when the process has
 * exited.
 */
export function guardProcess(pid: number): Promise<() => void> {
  return hold(["process", pid]);
}

/** Makes the reaper unmount the file system if train-sim dies. Call this before mounting. */
export function guardMount(path: string): Promise<() => void> {
  return hold(["mount", path]);
}

/**
 * Makes the reaper remove the directory if train-sim dies. Call this, with the absolute path, before making the directory.
 */
export function guardDirectory(path: string): Promise<() => void> {
  return hold(["directory", path]);
}
