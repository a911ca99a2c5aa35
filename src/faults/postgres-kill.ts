// `postgres-kill`: SIGKILL to all server processes at once, as a power failure or the OOM killer does. Then the server starts and
// recovers from its write-ahead log.
import { defineFault, faultDuration } from "./fault.js";
import { foreignServerObstacle, procObstacle, SERVER_END_DESCRIPTION } from "./healthy.js";
import { endServer } from "./server-end.js";

export const postgresKill = defineFault({
  name: "postgres-kill",
  description: SERVER_END_DESCRIPTION,
  keys: { for: faultDuration.optional() },
  affectedPart: "server",
  restartsServer: true,
  resolve: () => ({}),
  obstacle: (_, surroundings) => foreignServerObstacle(surroundings),
  machineObstacle: procObstacle,
  inject: ({ target }) =>
    endServer(target, {
      isSudden: true,
      async end(control) {
        const processes = control.processes().length;
        await control.kill();
        return `killed the server's ${processes} processes and started it again`;
      },
    }),
});
