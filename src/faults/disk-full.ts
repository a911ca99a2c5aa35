// `disk-full`: the file system of the tables or of the write-ahead log has no free byte. Without room for tables statements fail
// (53100); without room for the log the server panics and is started again when there is room.
import * as z from "zod";
import { withinMs } from "../foundation/deadline.js";
import { TargetError } from "../foundation/errors.js";
import { databaseOf } from "../database/registry.js";
import type { RunningTarget } from "../targets/running-target.js";
import { FULL_DISKS, type FullDisk } from "../targets/settings.js";
import { smallDiskObstacle, type SmallDisk } from "../targets/embedded/small-disk.js";
import { defineFault, faultDuration } from "./fault.js";
import { serverControlOf, foreignServerObstacle, awaitHealthyServer } from "./healthy.js";
import { standbyObstacle } from "./standby.js";

const WAL_FILL_TIMEOUT_MS = 30_000;

export const diskFull = defineFault({
  name: "disk-full",
  description: "the server's disk takes nothing more",
  keys: {
    for: faultDuration,
    disk: z.enum(FULL_DISKS).optional().meta({
      description:
        "tables: tables and indexes cannot grow; wal: the write-ahead log cannot, which makes the server panic. Default tables.",
    }),
  },
  affectedPart: "server",
  restartsServer: true,
  resolve: ({ disk = "tables" }): { readonly disk: FullDisk } => ({ disk }),
  obstacle: (_, surroundings) =>
    foreignServerObstacle(surroundings) ??
    (standbyObstacle(surroundings) === undefined
      ? "cannot fill the disk of a server with standbys"
      : undefined),
  async machineObstacle() {
    const obstacle = await smallDiskObstacle();
    return obstacle === undefined ? undefined : `needs a separate file system: ${obstacle}`;
  },
  async inject({ target }, { disk }) {
    const control = serverControlOf(target);
    const small = control.disks[disk];
    if (!small) throw new TargetError(`the server's ${disk} have no separate file system`);
    const endLossExpectation = control.expectLoss();
    try {
      await (disk === "wal" ? fillWal(target, small) : small.fill());
    } catch (error) {
      await small.enlarge();
      endLossExpectation();
      throw error;
    }
    return {
      words: `left no room on the disk of the ${disk === "wal" ? "write-ahead log" : "tables"}`,
      async clear() {
        try {
          await small.enlarge();
          await awaitHealthyServer(target);
        } finally {
          endLossExpectation();
        }
      },
    };
  },
});

/**
 * Fills the disk of the server's log and writes to the log until it is full. The session is opened before: after its panic,
 * the server accepts none.
 */
async function fillWal({ admin }: RunningTarget, disk: SmallDisk): Promise<void> {
  const { sessions } = databaseOf(admin);
  const client = await sessions.open(admin);
  try {
    await disk.fill();
    await withinMs(sessions.fillLogDisk(client), WAL_FILL_TIMEOUT_MS);
  } finally {
    await client.close();
  }
}
