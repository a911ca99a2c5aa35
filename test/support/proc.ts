// Reads from Linux's /proc what others on the machine can see of a program and its descendants: command lines,
// environments, and addresses that it listens on.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { processTree } from "../../src/foundation/machine-usage.js";

export interface SeenProcess {
  readonly pid: number;
  readonly commandLine: string;
  readonly environment: string;
}

/** The process and its descendants. Processes that end during the search are left out. */
export function seenProcesses(root: number): SeenProcess[] {
  return processTree(root).flatMap((pid) => {
    try {
      const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8");
      return [{ pid, commandLine: read("cmdline"), environment: read("environ") }];
    } catch {
      return [];
    }
  });
}

/** Addresses that the process and its descendants listen on. Example: `127.0.0.1:5432`. */
export function listeningAddresses(root: number): string[] {
  const sockets = new Set(processTree(root).flatMap(socketsOf));
  return ["tcp", "tcp6"].flatMap((protocol) =>
    readFileSync(`/proc/net/${protocol}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(inode ?? ""))
      .map(([, local = ""]) => addressText(local)),
  );
}

const LISTENING = "0A";

function socketsOf(pid: number): string[] {
  try {
    const directory = `/proc/${pid}/fd`;
    const links = readdirSync(directory).map((fd) => readlinkSync(`${directory}/${fd}`));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** Converts `0100007F:1538` to 127.0.0.1:5432. Addresses of IPv6 keep the kernel's digits. */
function addressText(local: string): string {
  const [digits = "", port = ""] = local.split(":");
  const bytes = digits.length === 8 ? (digits.match(/../g) ?? []).reverse() : undefined;
  const address = bytes?.map((byte) => Number.parseInt(byte, 16)).join(".") ?? digits;
  return `${address}:${Number.parseInt(port, 16)}`;
}
