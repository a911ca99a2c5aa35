// Measures the cost of sampling the database. First it measures the processor time of a sample, of the server and of
// train-sim, on an otherwise idle server: the share of this machine that one sample per second takes. Then the same
// closed-loop treatment runs sampled every second and not sampled, interleaved in one run, compared by events processed per
// second. The bench exits with 1 if either is above 1 %; the second figure means nothing on a machine that is busy with
// other work.
import { availableParallelism } from "node:os";
import { connectAdmin } from "#program/database/postgres/admin.js";
import { dialectOf } from "#program/database/postgres/dialects/registry.js";
import { sampledIn } from "#program/workloads/tables.js";
import { trainEvents } from "#program/workloads/train-events/workload.js";
import { preload } from "#program/workloads/train-events/preload.js";
import { postgres } from "#program/workloads/train-events/stores/postgres.js";
import { DatabaseSampler } from "#program/database/postgres/evidence/sampler.js";
import { hostUsage } from "#program/foundation/host-usage.js";
import { startEmbedded } from "#program/targets/embedded/embedded.js";
import { pairedCost, percent, report } from "./paired-cost.mjs";
import { resetNamespace } from "./reset-namespace.mjs";

const BOUND = 0.01;
const SAMPLES = 300;
const IDLE_CLIENTS = 16;
const BACKLOG = 1_000;
const namespace = "bench";

/**
 * The dialect with a sampler that counts the queue in every sample. Without this change it would count less often than it
 * does at the normal one sample per second.
 */
function withoutPauses(dialect) {
  const groups = dialect.sampler.groups.map((group) => ({ ...group, mostShare: undefined }));
  return { ...dialect, sampler: { ...dialect.sampler, groups } };
}

/** Milliseconds of CPU per sample, of server and program together. */
async function cpuMsOfSample() {
  const server = await startEmbedded({}, { maxConnectionsNeeded: IDLE_CLIENTS });
  const sessions = [];
  try {
    const admin = await connectAdmin(server.admin);
    sessions.push(admin);
    await resetNamespace(admin, { namespace, payload: "jsonb" });
    const documents = {
      documentBytes: 900,
      documentShape: /** @type {const} */ ("default"),
      preload: BACKLOG,
    };
    await preload(
      postgres,
      admin,
      { namespace, payload: "jsonb", dialect: "postgres", ids: "uuidv7", ...documents },
      1,
    );
    for (let i = 0; i < IDLE_CLIENTS; i++)
      sessions.push(await connectAdmin(server.admin, { purpose: "consumers" }));
    const dialect = withoutPauses(dialectOf("postgres"));
    const workload = sampledIn(trainEvents, "postgres", namespace);
    const sampler = new DatabaseSampler({ endpoint: server.admin, dialect, workload, isOwnServer: true });
    sessions.push(sampler);
    await sampler.open();
    const usage = () => hostUsage({ serverPid: server.serverPid, poolerPids: [] });
    const before = usage();
    for (let i = 0; i < SAMPLES; i++) {
      await sampler.sample();
      usage(); // a sample of the machine goes with it
    }
    const after = usage();
    const total = ({ serverCpuMs = NaN, clientCpuMs = NaN }) => serverCpuMs + clientCpuMs;
    return (total(after) - total(before)) / SAMPLES;
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
    await server.stop();
  }
}

const cpuMs = await cpuMsOfSample();
const share = cpuMs / 1000 / availableParallelism();
console.log(
  `a sample takes ${cpuMs.toFixed(1)} ms of CPU: ${percent(share)} of ${availableParallelism()} processors once a second; bound ${percent(BOUND)}`,
);
if (share > BOUND) process.exitCode = 1;
report("sampling", pairedCost("sampling.yaml", "off", "every-1s"), BOUND);
