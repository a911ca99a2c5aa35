// `disk-full`: the file system under the server's tables, or under its write-ahead log, has no free byte until the fault
// is over. Without room for tables statements fail (53100) and the server goes on; without room for the log it panics,
// and cannot recover before there is room again: then it is started once more.
import { TargetError } from "../../foundation/errors.js";
import { controlOf, whenHealthy } from "./healthy.js";
import type { FaultKind } from "./fault.js";

export const diskFull: FaultKind<"disk-full"> = {
  async inject({ target }, { disk }) {
    const control = controlOf(target);
    const small = control.disks[disk];
    if (!small) throw new TargetError(`the server's ${disk} are on no file system of their own`);
    const asExpected = control.expectLoss();
    try {
      await small.fill();
    } catch (error) {
      asExpected();
      throw error;
    }
    return {
      words: `left no room on the disk of the ${disk === "wal" ? "write-ahead log" : "tables"}`,
      async clear() {
        try {
          await small.free();
          await whenHealthy(target);
        } finally {
          asExpected();
        }
      },
    };
  },
};
