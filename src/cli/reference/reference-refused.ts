// Scenarios that are refused, each for one reason. The page shows the program's own words, so they cannot be outdated.
import { STRATEGIES } from "../../pools/registry.js";
import { OWN_EXAMPLES } from "../../workloads/own.js";
import { WORKLOADS } from "../../workloads/registry.js";
import type { ScenarioExample } from "../../workloads/workload.js";

export const REFUSED_EXAMPLES: readonly ScenarioExample[] = [
  { title: "a misspelt key", yaml: "name: x\nlockng: nowait" },
  { title: "a number without its unit", yaml: "name: x\ntrial: { duration: 30 }" },
  {
    title: "a pool smaller than the threads",
    yaml: "name: x\npool: { strategy: pg-pool, size: 2 }",
  },
  {
    title: "session mode without a server connection for each client",
    yaml: "name: x\nclients: 16\npool: { strategy: pgbouncer, mode: session, size: 8 }",
  },
  {
    title: "several statements in statement mode",
    yaml: "name: x\npool: { strategy: pgbouncer, mode: statement }",
  },
  {
    title: "losses allowed although the audit cannot relate them to faults",
    yaml: "name: x\nworkload: accounts\nintegrity: { allow: [lost] }",
  },
  { title: "a key of another kind", yaml: "name: x\ntarget: { kind: container, port: 5432 }" },
  {
    title: "two places that a password would come from",
    yaml: "name: x\ntarget: { url: 'postgresql://a:b@c/d', passwordCommand: [cat, token] }",
  },
  {
    title: "a password that changes, behind a PgBouncer that is started with one",
    yaml: "name: x\npool: pgbouncer\ntarget: { url: postgresql://a@b/c, passwordCommand: [cat, token] }",
  },
  {
    title: "TLS files without TLS",
    yaml: "name: x\ntarget: { url: postgresql://a@b/c, ca: ca.crt }",
  },
  {
    title: "a fault that would end after the window",
    yaml: "name: x\nfaults: [{ at: 8s, kind: long-transaction, for: 5s }]",
  },
  {
    title: "faults that cannot happen at the same time",
    yaml: "name: x\nfaults: [{ at: 2s, kind: postgres-kill, for: 3s }, { at: 4s, kind: lock-holder, for: 1s }]",
  },
  {
    title: "a fault that is impossible on the target",
    yaml: "name: x\ntarget: { url: postgresql://a@b/c }\nfaults: [{ at: 2s, kind: postgres-kill }]",
  },
  {
    title: "a checkpoint that the target refuses",
    yaml: "name: x\ntarget: { url: postgresql://a@b/c, checkpoint: false }\nfaults: [{ at: 2s, kind: checkpoint }]",
  },
  {
    title: "a pause that would never begin",
    yaml: "name: x\npool: { strategy: pgbouncer, mode: session, size: 64 }\nfaults: [{ at: 2s, kind: pooler-pause, for: 1s }]",
  },
  ...WORKLOADS.flatMap(({ settings: { examples } }) => examples?.refused ?? []),
  ...OWN_EXAMPLES.flatMap(({ refused }) => refused),
  ...STRATEGIES.flatMap(({ settings }) => settings.examples?.refused ?? []),
];
