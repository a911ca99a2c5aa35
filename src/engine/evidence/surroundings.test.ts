// Names of processes that end within a trial's window.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { parseScenario } from "../../scenario/loader.js";
import { EnvironmentReadings } from "./surroundings.js";

const started: ChildProcess[] = [];

async function startProcess(): Promise<ChildProcess & { pid: number }> {
  const child = spawn("sleep", ["600"]);
  started.push(child);
  await once(child, "spawn");
  return child as ChildProcess & { pid: number };
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

afterEach(async () => {
  for (const child of started.splice(0))
    if (child.exitCode === null && child.signalCode === null) await end(child);
});

/** Reads the machine at both ends of a window in which `change` happens; resolves to the reported reasons. */
async function reasonsAfter(
  place: { serverPid?: number; pids: number[] },
  change: () => Promise<void>,
): Promise<string[]> {
  const [treatment] = parseScenario("name: x", "x.yaml").treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  const host = {
    target: {
      kind: "embedded",
      endpoints: [],
      get serverPid() {
        return place.serverPid;
      },
    },
    place: {
      isElsewhere: false,
      get pids() {
        return place.pids;
      },
    },
  };
  const surroundings = new EnvironmentReadings(
    host as unknown as ConstructorParameters<typeof EnvironmentReadings>[0],
    { treatment } as unknown as ConstructorParameters<typeof EnvironmentReadings>[1],
  );
  surroundings.openWindow();
  await change();
  surroundings.closeWindow();
  return surroundings.notAssessed.map(({ reason }) => reason);
}

const onLinux = it.skipIf(process.platform !== "linux");

onLinux("a server that a fault killed and replaced is named as ended within the window", async () => {
  const [server, next] = [await startProcess(), await startProcess()];
  const place: { serverPid?: number; pids: number[] } = { serverPid: server.pid, pids: [] };
  const reasons = await reasonsAfter(place, async () => {
    await end(server);
    place.serverPid = next.pid;
  });
  expect(reasons).toEqual(["the server's process ended within the window"]);
});

onLinux("an agent that ended within the window is named", async () => {
  const [server, agent] = [await startProcess(), await startProcess()];
  const reasons = await reasonsAfter({ serverPid: server.pid, pids: [agent.pid] }, () => end(agent));
  expect(reasons).toEqual(["an agent's process ended within the window"]);
});

onLinux("no process is named if all survive the window", async () => {
  const server = await startProcess();
  const reasons = await reasonsAfter({ serverPid: server.pid, pids: [] }, () => Promise.resolve());
  expect(reasons.filter((reason) => reason.includes("ended"))).toEqual([]);
});
