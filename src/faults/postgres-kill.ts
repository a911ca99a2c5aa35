// `postgres-kill`: SIGKILL to the postmaster and every process of its own at once, as a machine that loses its power or
// the kernel's OOM killer do. Then comes a start, which recovers from the write-ahead log what was committed.
import { controlOf, whenHealthy } from "./healthy.js";
import type { FaultKind } from "./fault.js";

export const postgresKill: FaultKind<"postgres-kill"> = {
  async inject({ target }) {
    const control = controlOf(target);
    const asExpected = control.expectLoss();
    const processes = control.processes().length;
    try {
      await control.kill();
    } catch (error) {
      asExpected();
      throw error;
    }
    return {
      words: `killed the server's ${processes} processes and started it again`,
      clear: () => whenHealthy(target).finally(asExpected),
    };
  },
};
