// `postgres-restart`: the server is shut down, stays down for as long as the fault lasts, and is started again on the same
// data and port. `fast` ends sessions and writes a checkpoint; `immediate` leaves the log to be recovered from.
import { controlOf, whenHealthy } from "./healthy.js";
import type { FaultKind } from "./fault.js";

export const postgresRestart: FaultKind<"postgres-restart"> = {
  async inject({ target }, { shutdown }) {
    const control = controlOf(target);
    const asExpected = control.expectLoss();
    const how = await control.shutDown(shutdown);
    return {
      words: `shut the server down (${shutdown}, ${how}) and started it again`,
      clear: () => whenHealthy(target).finally(asExpected),
    };
  },
};
