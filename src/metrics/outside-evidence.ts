// Metrics of a pooler and of the machine, which no database reports. They are part of the list in `evidence-catalogue.ts`.
import {
  evidenceReason,
  cost,
  counter,
  gauge,
  given,
  most,
  spread,
  total,
  type EvidenceMetric,
} from "./evidence-metric.js";

/** Title of the live chart of sessions and of clients of a pooler. */
export const SESSIONS_PANEL = "Sessions and clients";

export const OUTSIDE_EVIDENCE = [
  gauge("pooler.clientsActive", "clients", "pooler: clients that have a server connection, or need none", {
    source: "pooler",
  }),
  gauge("pooler.clientsWaiting", "clients", "pooler: clients that wait for a server connection", {
    source: "pooler",
    line: "Clients that wait for a server connection",
    live: {
      word: "waiting for the pooler",
      isInStatus: true,
      line: [SESSIONS_PANEL, "waiting for the pooler"],
    },
    window: spread("clientsWaiting", {
      reason: evidenceReason(
        "pooler",
        0.3,
        "{now} clients on average waited for a server connection of the pooler against {then}",
      ),
    }),
  }),
  gauge("pooler.serversActive", "connections", "pooler: server connections in use", {
    source: "pooler",
    line: "Server connections in use",
    window: spread("serversActive"),
  }),
  gauge("pooler.maxWaitMs", "ms", "pooler: how long the first of them has waited", {
    source: "pooler",
    line: "How long the first one has waited",
    window: most("maxWaitMs"),
  }),
  gauge("pooler.serversIdle", "connections", "pooler: server connections that are free", {
    source: "pooler",
  }),
  counter("pooler.transactions", "transactions", "pooler: transactions", {
    source: "pooler",
    window: given("transactions", { isWhole: true }),
  }),
  counter("pooler.waitMs", "ms", "pooler: time that clients waited for a server connection", {
    source: "pooler",
    window: given("waitMsPerTransaction", {
      help: "Wait for a server connection, as the pooler counted it",
      reason: evidenceReason(
        "pooler",
        0.2,
        "a transaction waited {now} for a server connection of the pooler against {then}",
      ),
    }),
  }),
  counter("pooler.queryMs", "ms", "pooler: time of queries since they arrived, that wait included", {
    source: "pooler",
    window: given("queryMsPerTransaction", { help: "Time of its queries, without that wait" }),
  }),
  counter("host.serverCpuMs", "ms", "CPU time of the database server, if its processes are on this machine", {
    source: "host",
    mayFall: true,
    window: total("serverCpuSeconds", { isSeconds: true, isThreshold: true }),
    perEvent: cost("serverCpuMs", "Server CPU per event", {
      reason: evidenceReason("cpu", 0.05, "the server took {now} of CPU time per event against {then}"),
    }),
  }),
  counter("host.poolerCpuMs", "ms", "CPU time of a pooler that train-sim started", {
    source: "host",
    window: total("poolerCpuSeconds", {
      isSeconds: true,
      reason: evidenceReason(
        "pooler CPU",
        0.02,
        "the pooler took {now} of CPU time per event against {then}",
        {
          per: "event",
        },
      ),
    }),
  }),
  counter("host.clientCpuMs", "ms", "CPU time of train-sim itself", {
    source: "host",
    perEvent: cost("clientCpuMs", "Client CPU per event", {
      reason: evidenceReason("client", 0.05, "train-sim took {now} of CPU time per event against {then}"),
    }),
  }),
  counter("host.programCpuMs", "ms", "CPU time of the queue's programs", {
    source: "host",
    perEvent: cost("programCpuMs", "CPU of the queue's programs per event"),
  }),
  counter("host.otherCpuMs", "ms", "CPU time of all other programs", { source: "host", mayFall: true }),
  counter("host.foreignCpuMs", "ms", "CPU time of the server's backends that serve others", {
    source: "host",
  }),
  counter("host.diskReadBytes", "bytes", "read by the machine's disks", {
    source: "host",
    window: total("diskReadBytes"),
  }),
  counter("host.diskWriteBytes", "bytes", "written by the machine's disks", {
    source: "host",
    window: total("diskWriteBytes"),
  }),
  gauge(
    "host.diskQueue",
    "",
    "requests in the queues of the machine's disks and in service, mean of a second",
    {
      source: "host",
      window: spread("diskQueue"),
    },
  ),
  counter(
    "host.serverVoluntarySwitches",
    "",
    "context switches in which a server process began to wait for a lock, a client or storage",
    { source: "host", window: total("voluntarySwitches") },
  ),
  counter(
    "host.serverInvoluntarySwitches",
    "",
    "context switches in which a server process lost its processor to another process",
    { source: "host", window: total("involuntarySwitches") },
  ),
] as const satisfies readonly EvidenceMetric[];
