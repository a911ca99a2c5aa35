// Keys and values that a scenario must not have, alone and in combination, each with its message.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { parseScenario } from "./loader.js";

const problemsOf = (yaml: string): string[] => scenarioProblems(`name: x\n${yaml}`);

describe("an invalid key or value", () => {
  test.each([
    ["an unknown key", "bach: 5", "x.yaml:2:1 bach: unknown key; did you mean batch?"],
    [
      "an unknown key without a near one",
      "trial: { cooldownPeriod: 5s }",
      "x.yaml:2:10 trial.cooldownPeriod: unknown key; valid keys: warmUp, duration, drain, coldCache",
    ],
    [
      "a wrong type",
      "trials: many",
      'x.yaml:2:9 trials: expected a number, or a mapping (key: value) (seen "many")',
    ],
    ["a key without a value", "trial:", "x.yaml:2:7 trial: expected a mapping (key: value) (seen nothing)"],
    ["a negative number", "preload: -1", "x.yaml:2:10 preload: must be at least 0 (seen -1)"],
    ["zero", "clients: 0", "x.yaml:2:10 clients: must be at least 1 (seen 0)"],
    ["an absurd number", "clients: 1e9", "x.yaml:2:10 clients: must be at most 100000 (seen 1000000000)"],
    [
      "a number beyond the safe integers",
      "batch: { max: 99999999999999999999 }",
      "x.yaml:2:15 batch.max: must be at most 1000000 (seen 100000000000000000000)",
    ],
    ["infinity", "batch: .inf", "x.yaml:2:8 batch: expected a number, or a mapping (key: value) (seen .inf)"],
    ["a number that is NaN", "seed: .nan", "x.yaml:2:7 seed: expected a number (seen .nan)"],
    [
      "a fraction",
      "trials: 2.5",
      "x.yaml:2:9 trials: expected a whole number, or a mapping (key: value) (seen 2.5)",
    ],
    [
      "a flag in words",
      "prepared: yes",
      'x.yaml:2:11 prepared: expected true or false, or simple (seen "yes")',
    ],
    [
      "an unknown payload",
      "payload: jsnob",
      'x.yaml:2:10 payload: not one of jsonb, jsonb-manual, text, text-generated; did you mean jsonb? (seen "jsnob")',
    ],
    [
      "an unknown pool",
      "pool: pgbounzer",
      'x.yaml:2:7 pool: not one of direct, pg-pool, in-process, own, pgbouncer, pgpool, odyssey; did you mean pgbouncer? (seen "pgbounzer")',
    ],
    [
      "a duration without a unit",
      "appDelay: 5",
      "x.yaml:2:11 appDelay: a duration needs a unit; did you mean 5ms or 5s? (seen 5)",
    ],
    ["a duration whose only valid unit is s", "evidence: { every: 5 }", /did you mean 5s\?/],
    ["a duration beyond all units", "appDelay: 99999999999", /a duration needs a unit \(seen 99999999999\)$/],
    ["a duration in quotes", "trial: { duration: '30' }", /did you mean 30ms or 30s\? \(seen "30"\)$/],
    [
      "a number in quotes",
      'clients: "4"',
      'x.yaml:2:10 clients: expected a number; remove the quotes (seen "4")',
    ],
    [
      "a number in quotes for a number or mapping",
      'batch: "4"',
      'x.yaml:2:8 batch: expected a number, or a mapping (key: value); remove the quotes (seen "4")',
    ],
    [
      "a flag in quotes",
      'prepared: "true"',
      'x.yaml:2:11 prepared: expected true or false, or simple; remove the quotes (seen "true")',
    ],
    [
      "a key of a nested mapping",
      "duration: 30s",
      "x.yaml:2:1 duration: unknown key; did you mean trial.duration?",
    ],
    [
      "a role at the top level",
      "producers: { clients: 4 }",
      "x.yaml:2:1 producers: unknown key; did you mean actors.producers?",
    ],
    [
      "a key of two nested mappings",
      "adminUrl: postgresql://u@h/d",
      /unknown key; did you mean target\.adminUrl or pool\.adminUrl\?/,
    ],
    [
      "a key of an outer mapping",
      "actors: { producers: { load: { workers: 2 } } }",
      "x.yaml:2:32 actors.producers.load.workers: unknown key; did you mean actors.producers.workers?",
    ],
    [
      "a key of an unrelated mapping",
      "batch: { size: 4 }",
      "x.yaml:2:10 batch.size: unknown key; valid keys: min, max",
    ],
    ["a unit in words", "trial: { duration: 5 minutes }", /did you mean 5m\? \(seen "5 minutes"\)$/],
    [
      "a rate with a word for its unit",
      "actors: { producers: { load: { executor: constant-arrival-rate, rate: 50 per sec, maxClients: 4 } } }",
      /load\.rate: expected a rate: .*; did you mean 50\/s\? \(seen "50 per sec"\)$/,
    ],
    [
      "a rate of 0",
      "actors: { producers: { load: { executor: constant-arrival-rate, rate: 0/s, maxClients: 4 } } }",
      /load\.rate: must be at least 0\.000001 \(seen "0\/s"\)$/,
    ],
    [
      "a rate as a number of clients",
      "actors: { producers: { load: { executor: ramping-clients, startClients: 1, stages: [{ target: 5/s, duration: 1s }] } } }",
      /stages\[0\]\.target: must be a whole number of clients$/,
    ],
    ["a negative duration", "appDelay: -5ms", /appDelay: a duration cannot be negative \(seen "-5ms"\)$/],
    ["an absurd duration", "trial: { warmUp: 999h }", /trial\.warmUp: must be at most 24h/],
    [
      "a cold cache with a warm-up",
      "trial: { coldCache: true }",
      /trial\.coldCache: a warm-up would fill the cache again before the window; set warmUp: 0/,
    ],
    [
      "a cold cache on a server that is not embedded",
      "target: postgresql://u@h/d\ntrial: { coldCache: true, warmUp: 0 }",
      /trial\.coldCache: empties the buffers of an embedded server only, and this target is url; leave it out/,
    ],
    ["a window of 0", "trial: { duration: 0 }", /trial\.duration: must be at least 1ms/],
    ["a size without a unit", "documentSize: 2000", /a size needs a unit; did you mean 2000B\?/],
    ["a document smaller than its fields", "documentSize: 10B", /documentSize: must be at least 900 B/],
    ["an invalid namespace", "namespace: public", /namespace: expected a lower-case name/],
    ["a misspelt isolation level", "isolation: serialisable", /did you mean serializable\?/],
    ["a threshold without p( )", "thresholds: { add: ['p99 < 5'] }", /thresholds\.add\[0\]: not a threshold/],
    ["a percentile over 100", "thresholds: { add: ['p(101)<5'] }", /thresholds\.add\[0\]: not a threshold/],
    ["a bare selector", "thresholds: { 'add{payload}': ['p(9)<5'] }", /not a metric in k6's syntax/],
    ["a missing end of a range", "appDelay: { min: 1ms }", /appDelay\.max: expected a duration/],
  ])("is refused with its message: %s", (_, yaml, expected) => {
    const found = problemsOf(yaml);
    expect(found).toEqual([typeof expected === "string" ? expected : expect.stringMatching(expected)]);
  });
});

describe("an invalid combination of keys", () => {
  test.each([
    [
      "swapped bounds of a batch",
      "batch: { min: 9, max: 3 }",
      /2:15 batch\.min: min must not be greater than max \(9 > 3\)$/,
    ],
    ["swapped bounds of an app delay", "appDelay: { min: 9ms, max: 3ms }", /appDelay\.min: .*\(9ms > 3ms\)$/],
    [
      "swapped bounds of a think time",
      "actors: { readers: { load: { thinkTime: { min: 2s, max: 1s } } } }",
      /actors\.readers\.load\.thinkTime\.min: min must not/,
    ],
    [
      "fewer clients than workers",
      "actors: { producers: { workers: 5 } }",
      /2:33 actors\.producers\.workers: 5 workers for 4/,
    ],
    [
      "a pool smaller than its threads",
      "pool: { strategy: pg-pool, size: 2 }",
      /2:34 pool\.size: 2 connections/,
    ],
    [
      "statement mode",
      "pool: { strategy: pgbouncer, mode: statement }",
      /pool\.mode: statement mode allows no/,
    ],
    [
      "a key of another workload",
      "payload: text\nworkload: connections",
      /2:1 payload: belongs to workload train-events, and this one is connections; remove it, or set workload: train-events/,
    ],
    [
      "a role of another workload",
      "actors: { clients: { clients: 3 } }",
      /2:11 actors\.clients: belongs to workload connections, and this one is train-events/,
    ],
    [
      "the simple protocol for statements with parameters",
      "prepared: simple",
      /2:11 prepared: statements of train-events have parameters, which the simple protocol lacks/,
    ],
    [
      "a key of another strategy",
      "pool: { strategy: direct, size: 2 }",
      /2:27 pool\.size: belongs to strategy pg-pool or/,
    ],
    [
      "a key of another kind",
      "target: { kind: embedded, image: x }",
      /2:27 target\.image: belongs to kind container/,
    ],
    [
      "url and urls together",
      "target: { url: 'postgresql://h/d', urls: ['postgresql://h/d'] }",
      /url and urls exclude/,
    ],
    [
      "a weight of 0",
      "target: { urls: [{ url: 'postgresql://h/d', weight: 0 }] }",
      /2:53 target\.urls\[0\]\.weight: must be above 0 \(seen 0\)/,
    ],
    [
      "a weight in words",
      "target: { urls: ['postgresql://h/d', { url: 'postgresql://g/d', weight: half }] }",
      /2:73 target\.urls\[1\]\.weight: expected a number \(seen "half"\)/,
    ],
    [
      "an endless weight",
      "pool: { strategy: pgbouncer, urls: [{ url: 'postgresql://h/d', weight: .inf }] }",
      /2:72 pool\.urls\[0\]\.weight: expected a number/,
    ],
    ["an endpoint without URL", "target: { urls: [{ region: west }] }", /2:18 target\.urls\[0\]/],
    [
      "an unknown key of an endpoint",
      "target: { urls: [{ url: 'postgresql://h/d', wieght: 2 }] }",
      /2:45 target\.urls\[0\]\.wieght: unknown key; did you mean weight\?/,
    ],
    [
      "a region of many words",
      "target: { urls: [{ url: 'postgresql://h/d', region: 'far, away' }] }",
      /2:53 target\.urls\[0\]\.region: expected a short name/,
    ],
    ["kind url without a URL", "target: { kind: url }", /target: kind url needs a url/],
    [
      "instances of an external PgBouncer",
      "pool: { strategy: pgbouncer, url: 'postgresql://h/d', instances: 2 }",
      /pool\.inst/,
    ],
    [
      "a console of a managed PgBouncer",
      "pool: { strategy: pgbouncer, adminUrl: 'postgresql://h/pgbouncer' }",
      /adminUrl/,
    ],
    [
      "certificates without TLS",
      "target: { url: 'postgresql://h/d', ca: ca.pem }",
      /target\.ca: has no effect/,
    ],
    [
      "certificates where the URL turns TLS off",
      "target: { url: 'postgresql://h/d?sslmode=disable', sslmode: require, ca: ca.pem }",
      /target\.ca: has no effect without TLS; take sslmode=disable out of the URL$/,
    ],
    [
      "a client certificate without its key",
      "target: { url: 'postgresql://h/d', sslmode: require, cert: c.pem }",
      /target\.cert: a client certificate needs both; key is missing/,
    ],
    [
      "roles of another topology",
      "topology: cycle\nactors: { consumers: {} }",
      /3:11 actors\.consumers: topology cycle/,
    ],
    [
      "cycle without its topology",
      "actors: { cycle: {} }",
      /actors\.cycle: topology actors has .*set topology: cycle/,
    ],
    ["a budget without an executor", "actors: { producers: { load: { iterations: 5 } } }", /has no budget/],
    [
      "an executor without a budget",
      "actors: { producers: { load: { executor: shared-iterations } } }",
      /actors\.producers\.load: executor shared-iterations needs iterations/,
    ],
    [
      "fewer iterations than clients",
      "actors: { producers: { load: { executor: shared-iterations, iterations: 3 } } }",
      /iterations: 3 shared iterations for 4 clients/,
    ],
    [
      "probabilities over 1",
      "advance: { complete: 0.9, fail: 0.2 }",
      /advance\.complete: complete \+ fail must be at most 1/,
    ],
    ["events that never finish", "advance: { complete: 0, fail: 0 }", /no event would ever finish/],
    ["events that never start", "advance: { claim: 0 }", /advance\.claim: 0 would leave every event PENDING/],
    [
      "a drain that cannot end",
      "actors: { consumers: false }\ntrial: { drain: true }",
      /3:17 trial\.drain: the queue cannot/,
    ],
    [
      "a retry base above its ceiling",
      "retry: { base: 2s }",
      /retry\.base: must not be longer than retry\.ceiling/,
    ],
    ["a batch above 512 MB", "batch: { max: 1000000 }", /batch\.max: 1000000 documents of 900 B make/],
    [
      "too many threads",
      `clients: 64\nactors: { ${["producers", "consumers", "archivers", "readers"].map((role) => `${role}: { workers: 64 }`).join(", ")} }`,
      /actors: 256 worker threads over all roles; at most 255/,
    ],
    [
      "no group at all",
      "actors: { producers: false, consumers: false, archivers: false }",
      /actors: every role is left out/,
    ],
  ])("is refused with its message: %s", (_, yaml, expected) => {
    expect(problemsOf(yaml)).toEqual([expect.stringMatching(expected)]);
  });
});

describe("certificates of a target", () => {
  const tls = "postgresql://h/d?sslmode=verify-full";
  test.each([
    ["a URL with TLS", `target: { url: '${tls}', ca: ca.pem }`],
    ["one of several URLs with TLS", `target: { urls: ['postgresql://h/d', { url: '${tls}' }], ca: ca.pem }`],
    ["an adminUrl with TLS", `target: { url: 'postgresql://h/d', adminUrl: '${tls}', ca: ca.pem }`],
    ["a URL with sslrootcert", "target: { url: 'postgresql://h/d?sslrootcert=/x', ca: ca.pem }"],
    ["a target with TLS", "target: { url: 'postgresql://h/d', sslmode: require, cert: c.pem, key: k.pem }"],
  ])("are accepted for %s", (_, yaml) => {
    expect(problemsOf(yaml)).toEqual([]);
  });

  test.each([
    [
      `target: { urls: ['postgresql://a/d?sslmode=disable', 'postgresql://b/d?sslmode=require'], ca: ca.pem }`,
      "a URL says sslmode=disable",
    ],
    [
      `target: { urls: ['postgresql://a/d', '${tls}'], sslmode: disable, ca: ca.pem }`,
      "target.sslmode is disable for another URL",
    ],
  ])("are refused for a URL without TLS: %s", (yaml, why) => {
    expect(problemsOf(yaml)).toEqual([expect.stringContaining(why)]);
  });
});

describe("TLS of an embedded server", () => {
  test.each([
    ["auth: cert, tls: false", /target\.tls: .*auth cert is a log-in over TLS: leave tls out/],
    ["tls: true, standbys: 1", /target\.tls: .*standbys replicate without TLS/],
    ["kind: url, url: 'postgresql://h/d', tls: true", /target\.tls: /],
  ])("is refused with %s", (keys, expected) => {
    expect(scenarioProblems(`name: x\ntarget: { ${keys} }`).join("\n")).toMatch(expected);
  });

  test("comes with auth cert, and is left out of the settings otherwise", () => {
    const targetOf = (auth: string) =>
      parseScenario(`name: x\ntarget: { auth: ${auth} }`, "x.yaml").treatments[0]?.settings.target;
    expect(targetOf("cert")).toMatchObject({ auth: "cert", tls: true });
    expect(targetOf("trust")).not.toHaveProperty("tls");
  });
});
