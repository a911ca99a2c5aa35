// Numbers from sample texts of /proc, and processor time of a process that really works.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { hostUsage, parseDiskStats, parseSwitches } from "./host-usage.js";

/** A machine with an NVMe disk and its partition, a volume of LVM on it, a loop device and compressed memory. */
const DISKSTATS = `   7       0 loop0 11 0 28 0 0 0 0 0 0 4 0 0 0 0 0 0 0
 259       0 nvme0n1 454938 70481 19437298 225238 2889107 769237 166508440 901102 0 228972 1269881 944204 2519 105498416 92957 1301375 50584
 259       1 nvme0n1p1 454000 70481 19437000 225238 2889107 769237 166508400 901102 0 228972 1269881 944204 2519 105498416 92957 0 0
 253       0 dm-0 454938 0 19437298 225238 2889107 0 166508440 901102 0 228972 1269881 0 0 0 0 0 0
   8       0 sda 10 0 80 5 3 0 24 2 0 7 7 0 0 0 0 0 0
 252       0 zram0 99 0 792 0 99 0 792 0 0 0 0 0 0 0 0 0 0
`;

test("bytes of whole disks are added up, without partitions, stacked devices and memory", () => {
  const devices = ["loop0", "nvme0n1", "dm-0", "sda", "zram0"];
  expect(parseDiskStats(DISKSTATS, devices)).toEqual({
    readBytes: (19_437_298 + 80) * 512,
    writeBytes: (166_508_440 + 24) * 512,
    requestMs: 1_269_881 + 7,
  });
});

test("voluntary and involuntary context switches are read from the status of a process", () => {
  const status = "Name:\tpostgres\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
  expect(parseSwitches(status)).toEqual({ voluntary: 150, involuntary: 545 });
  expect(parseSwitches("Name:\tpostgres\n")).toBeUndefined();
});

test("a machine without a visible disk has undefined bytes, not zero", () => {
  expect(parseDiskStats(DISKSTATS, [])).toBeUndefined();
  expect(parseDiskStats("", ["sda"])).toBeUndefined();
});

test("processor time of the server's process is counted apart from train-sim's own", async () => {
  const work =
    "let sum = 0; while (process.cpuUsage().user < 200_000) sum += Math.sqrt(sum + 1); process.stdin.resume(); console.log(sum)";
  const child = spawn(process.execPath, ["-e", work], { stdio: ["pipe", "pipe", "inherit"] });
  const pid = child.pid ?? 0;
  await once(child.stdout, "data");
  const usage = hostUsage({ serverPid: pid, poolerPids: [pid, pid], programPids: [pid] });
  child.stdin.end();
  await once(child, "close");
  // Times below a whole tick of 10 ms are not reported.
  expect(usage.serverCpuMs).toBeGreaterThanOrEqual(190);
  expect(usage.poolerCpuMs).toBe(2 * (usage.serverCpuMs ?? 0));
  expect(usage.programMs).toEqual(new Map([[pid, usage.serverCpuMs]]));
  expect(usage.clientCpuMs).toBeGreaterThan(0);
  expect(hostUsage({ serverPid: pid, poolerPids: [] })).not.toHaveProperty("serverCpuMs");
  expect(hostUsage({ poolerPids: [] })).not.toHaveProperty("diskReadBytes");
});

test("processor time of an agent on this machine counts as train-sim's own until the agent ends", async () => {
  const work =
    "while (process.cpuUsage().user < 200_000) Math.sqrt(2); process.stdin.resume(); console.log(1)";
  const agent = spawn(process.execPath, ["-e", work], { stdio: ["pipe", "pipe", "inherit"] });
  const agentPids = [agent.pid ?? 0];
  await once(agent.stdout, "data");
  const { clientCpuMs: alone = 0 } = hostUsage({ poolerPids: [] });
  const { clientCpuMs = 0, otherCpuMs } = hostUsage({ poolerPids: [], agentPids });
  expect(clientCpuMs - alone).toBeGreaterThanOrEqual(190);
  expect(otherCpuMs).toBeDefined();
  agent.stdin.end();
  await once(agent, "close");
  expect(hostUsage({ poolerPids: [], agentPids })).not.toHaveProperty("otherCpuMs");
});
