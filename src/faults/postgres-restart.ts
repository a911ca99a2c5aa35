// `postgres-restart`: the server is shut down, stays down for as long as the fault lasts, and is started again on the same
// data and port. `fast` ends sessions and writes a checkpoint; `immediate` leaves the log to be recovered from.
import * as z from "zod";
import { SHUTDOWNS, type Shutdown } from "../targets/settings.js";
import { defineFault, lasting } from "./fault.js";
import { controlOf, foreignServer, SERVER_ENDED, whenHealthy } from "./healthy.js";

export const postgresRestart = defineFault({
  name: "postgres-restart",
  description: SERVER_ENDED,
  keys: {
    for: lasting.optional(),
    shutdown: z
      .enum(SHUTDOWNS)
      .optional()
      .meta({
        description:
          "fast: sessions are ended and the shutdown is clean; immediate: without a checkpoint, so that the start recovers. " +
          "Default fast.",
      }),
  },
  ground: "server",
  restartsServer: true,
  resolve: ({ shutdown = "fast" }): { readonly shutdown: Shutdown } => ({ shutdown }),
  obstacle: (_, surroundings) => foreignServer(surroundings),
  async inject({ target }, { shutdown }) {
    const control = controlOf(target);
    const asExpected = control.expectLoss();
    const how = await control.shutDown(shutdown);
    return {
      words: `shut the server down (${shutdown}, ${how}) and started it again`,
      clear: () => whenHealthy(target).finally(asExpected),
    };
  },
});
