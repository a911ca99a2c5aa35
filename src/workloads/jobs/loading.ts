import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { messageOf, TrialError } from "../../foundation/errors.js";
import type { PreloadInputs } from "../workload.js";
import { PAGE } from "./queue-process.js";
import { runProgram, startMessage } from "./queue-program.js";
import type { Treatment } from "./settings.js";
import type { JobsStore } from "./store.js";

/** Facts about the queue that the audit needs: its library, and the seed of its jobs. */
export const Preloaded = z.object({
  seed: z.number(),
  library: z.string(),
  version: z.string(),
  promise: z.enum(["at-least-once", "at-most-once", "exactly-once"]),
  caveat: z.string().optional(),
  /** False if a job ends when its handler returns, because the library does not tell its acknowledgement. */
  acknowledges: z.boolean(),
});

export async function install(
  store: JobsStore,
  admin: AdminSession,
  { settings, seed, directory }: PreloadInputs<Treatment>,
): Promise<z.infer<typeof Preloaded>> {
  await store.fill(admin, settings);
  const place = { endpoint: admin.endpoint, applicationName: "train-sim/queue", directory };
  const start = await startMessage(settings, place, {
    role: "install",
    worker: 0,
    connections: 2,
    concurrency: 1,
  });
  const ready = await runProgram(settings, start);
  if (ready.jobs === undefined)
    throw new TrialError(
      `the program of queue ${settings.queue} installed its tables without the query of its jobs`,
      `Send \`jobs\` in the ready event of install: ${PAGE}.`,
    );
  try {
    await store.showJobs(admin, settings, ready.jobs);
  } catch (error) {
    throw new TrialError(
      `queue ${settings.queue}: the server refused its query of jobs: ${messageOf(error)}`,
      `Name each table with its schema, and return id, payload and state: ${PAGE}.`,
    );
  }
  return { seed, ...ready };
}
