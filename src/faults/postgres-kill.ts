// `postgres-kill`: SIGKILL to the postmaster and every process of its own at once, as a machine that loses its power or
// the kernel's OOM killer do. Then comes a start, which recovers from the write-ahead log what was committed.
import { defineFault, lasting } from "./fault.js";
import { controlOf, foreignServer, procObstacle, SERVER_ENDED, whenHealthy } from "./healthy.js";

export const postgresKill = defineFault({
  name: "postgres-kill",
  description: SERVER_ENDED,
  keys: { for: lasting.optional() },
  ground: "server",
  restartsServer: true,
  resolve: () => ({}),
  obstacle: (_, surroundings) => foreignServer(surroundings),
  machineObstacle: procObstacle,
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
});
