// `postgres-restart`: the server shuts down, stays down during the fault and starts again on the same data and port.
import * as z from "zod";
import { SHUTDOWN_MODES, type ShutdownMode } from "../targets/settings.js";
import { defineFault, faultDuration } from "./fault.js";
import { foreignServerObstacle, SERVER_END_DESCRIPTION } from "./healthy.js";
import { endServer } from "./server-end.js";

export const postgresRestart = defineFault({
  name: "postgres-restart",
  description: SERVER_END_DESCRIPTION,
  keys: {
    for: faultDuration.optional(),
    shutdown: z
      .enum(SHUTDOWN_MODES)
      .optional()
      .meta({
        description:
          "fast: sessions are ended and the shutdown is clean; immediate: without a checkpoint, so that the start recovers. " +
          "Default fast.",
      }),
  },
  affectedPart: "server",
  restartsServer: true,
  resolve: ({ shutdown = "fast" }): { readonly shutdown: ShutdownMode } => ({ shutdown }),
  obstacle: (_, surroundings) => foreignServerObstacle(surroundings),
  inject: ({ target }, { shutdown }) =>
    endServer(target, {
      isSudden: shutdown === "immediate",
      end: async (control) =>
        `shut the server down (${shutdown}, ${await control.shutDown(shutdown)}) and started it again`,
    }),
});
