import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import type { RunningTarget, ServerControl } from "../targets/running-target.js";
import type { FaultHost } from "./fault.js";
import { standbyStop } from "./standby-stop.js";

/** A host that returns these standbys, one list for each call. */
function hostOf(signal: AbortSignal, ...looks: readonly ServerControl[][]): FaultHost {
  const [last = []] = looks.slice(-1);
  const left = [...looks];
  const replication = {
    get standbyControls() {
      return left.shift() ?? last;
    },
  };
  return { target: { replication } as unknown as RunningTarget, signal } as FaultHost;
}

test("standby-stop waits for a returning standby, and stops that standby", async () => {
  const child = spawn("sleep", ["60"]);
  const standby = { processes: () => [child.pid] } as unknown as ServerControl;
  const host = hostOf(new AbortController().signal, [], [], [standby]);
  const injected = await standbyStop.inject(host, { standbys: undefined });
  expect(injected.words).toBe("stopped 1 standby");
  await injected.clear();
  child.kill();
});

test("standby-stop fails if the window ends without a standby", async () => {
  const over = new AbortController();
  const injecting = standbyStop.inject(hostOf(over.signal, []), { standbys: undefined });
  over.abort();
  await expect(injecting).rejects.toThrow("there is no process to stop");
});
