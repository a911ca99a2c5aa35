// Families of the conformance suite for the workloads of the registry, one line each.
import type { AuditedFamily } from "./family.js";
import { accounts } from "./accounts.js";
import { calls } from "./calls.js";
import { connections } from "./connections.js";
import { jobs } from "./jobs.js";
import { documents } from "./documents.js";
import { trainEvents } from "./train-events.js";

export const AUDITED: readonly AuditedFamily[] = [trainEvents, connections, accounts, documents, calls, jobs];
