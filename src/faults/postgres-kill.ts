// `postgres-kill`: SIGKILL to the postmaster and every process of its own at once, as a machine that loses its power or
// the kernel's OOM killer do. Then comes a start, which recovers from the write-ahead log what was committed.
import { defineFault, lasting } from "./fault.js";
import { foreignServer, procObstacle, SERVER_ENDED } from "./healthy.js";
import { endServer } from "./server-end.js";

export const postgresKill = defineFault({
  name: "postgres-kill",
  description: SERVER_ENDED,
  keys: { for: lasting.optional() },
  ground: "server",
  restartsServer: true,
  resolve: () => ({}),
  obstacle: (_, surroundings) => foreignServer(surroundings),
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
