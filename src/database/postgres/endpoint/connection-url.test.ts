// Connection URLs and TLS that would certainly be refused later are refused when the scenario is loaded, with all other
// problems and without repeating the URL.
import { describe, expect, it } from "vitest";
import { scenarioProblems } from "../../../../test/support/scenario-problems.js";
import { changeFilePaths } from "./connection-url.js";
import { parseScenario } from "../../../scenario/loader.js";

const problemsOf = (yaml: string, ...set: string[]): string[] =>
  scenarioProblems(`name: x\n${yaml}`, { set });

describe("a connection URL in a scenario", () => {
  it.each([
    [
      "a mode that may fall back to no TLS",
      "?sslmode=prefer",
      /has sslmode=prefer, which is not supported; use one of/,
    ],
    [
      "a parameter of other programs",
      "?application_name=x",
      /has the parameter application_name, which is not supported; train-sim names its sessions itself/,
    ],
    ["a misspelt parameter", "?sslmod=require", /has the unknown parameter sslmod; did you mean sslmode\?/],
    ["a port that is none", "?port=x", /has an invalid port; ports are 1 to 65535/],
  ])("is refused at every key for %s", (_, query, expected) => {
    const url = `postgresql://a:hunter2@b/c${query}`;
    const places = {
      target: `target: "${url}"`,
      "target.adminUrl": `target: { url: postgresql://a@b/c, adminUrl: "${url}" }`,
      "target.urls[1]": `target: { urls: [postgresql://a@b/c, "${url}"] }`,
      "target.urls[0].url": `target: { urls: [{ url: "${url}" }] }`,
      "pool.urls[0]": `pool: { strategy: pgbouncer, urls: ["${url}"] }`,
      "pool.adminUrl": `pool: { strategy: pgbouncer, url: postgresql://a@b/c, adminUrl: "${url}" }`,
      "factors.pool[0].url": `factors: { pool: [{ strategy: pgbouncer, url: "${url}" }] }`,
    };
    for (const [path, yaml] of Object.entries(places)) {
      const [found = "", ...others] = problemsOf(yaml);
      expect(others).toEqual([]);
      expect(found).toContain(` ${path}: `);
      expect(found).toMatch(expected);
      expect(found).not.toContain("hunter2");
    }
  });

  it("is refused with port 0, and accepted with every supported parameter", () => {
    expect(problemsOf("target: postgresql://a@b:0/c")).toEqual([
      expect.stringMatching(/ports are 1 to 65535/),
    ]);
    const query =
      "?host=/run/postgresql&port=5433&user=u&sslmode=verify-full&sslrootcert=/ca&sslcert=/c&sslkey=/k";
    expect(problemsOf(`target: "postgresql://a@b/c${query}"`)).toEqual([]);
  });
});

describe("TLS settings of a URL and its target", () => {
  it.each([
    ["{ url: postgresql://a@b/c, sslmode: verify-ca }", /target\.sslmode: sslmode verify-ca needs the CA/],
    ["postgresql://a@b/c?sslmode=verify-ca", / target\.url: sslmode verify-ca needs the CA/],
    [
      "{ urls: ['postgresql://a@b/c?sslrootcert=/ca', postgresql://d@e/f], sslmode: verify-ca }",
      /target\.sslmode: .*needs the CA/,
    ],
    ["{ url: 'postgresql://a@b/c?sslcert=/c', sslmode: require }", / target\.url: .*and key is missing/],
    [
      "{ urls: [{ url: 'postgresql://a@b/c?sslrootcert=/ca' }], sslmode: disable }",
      /urls\[0\]\.url: .*is disable/,
    ],
    ["'postgresql://a@b/c?sslmode=disable&sslrootcert=/ca'", /target\.url: sslmode is disable, yet/],
  ])("are refused: %s", (target, expected) => {
    expect(problemsOf(`target: ${target}`)).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    "{ url: postgresql://a@b/c, sslmode: verify-ca, ca: ca.crt }",
    "{ url: 'postgresql://a@b/c?sslmode=verify-ca', ca: ca.crt }",
    "{ url: 'postgresql://a@b/c?sslrootcert=/ca', sslmode: verify-ca }",
    "{ url: 'postgresql://a@b/c?sslcert=/c', key: k.pem, cert: c.pem }",
  ])("are accepted: %s", (target) => {
    expect(problemsOf(`target: ${target}`)).toEqual([]);
  });

  it("do not apply to a pooler's URL if they are keys of the target", () => {
    const target = "target: { url: postgresql://a@b/c, sslmode: verify-ca, ca: ca.crt }";
    const pool = "pool: { strategy: pgbouncer, urls: ['postgresql://a@p/c?sslmode=verify-ca'] }";
    expect(problemsOf(`${target}\n${pool}`)).toEqual([
      expect.stringMatching(/ pool\.urls\[0\]: sslmode verify-ca needs the CA/),
    ]);
  });
});

describe("paths of files in a URL", () => {
  const absolute = (file: string): string => (file.startsWith("/") ? file : `/at/${file}`);

  it.each([
    [
      "postgresql://a@b/c?sslmode=require&sslrootcert=ca.crt",
      "postgresql://a@b/c?sslmode=require&sslrootcert=/at/ca.crt",
    ],
    [
      "postgres://a/c?sslcert=my%20c.pem&sslkey=k+1",
      "postgres://a/c?sslcert=/at/my%20c.pem&sslkey=/at/k%201",
    ],
    ["postgresql://a/c?sslrootcert=%2Fetc%2Fca", "postgresql://a/c?sslrootcert=%2Fetc%2Fca"],
    ["postgresql://a/c?sslrootcert=&sslkey", "postgresql://a/c?sslrootcert=&sslkey"],
    ["postgresql://a:b?sslkey=c@d/e", "postgresql://a:b?sslkey=c@d/e"],
    ["postgresql://a@b/c", "postgresql://a@b/c"],
    ["see ca.crt?sslrootcert=x", "see ca.crt?sslrootcert=x"],
  ])("are made absolute: %s becomes %s", (url, expected) => {
    expect(changeFilePaths(url, absolute)).toBe(expected);
  });

  it("are relative to the scenario, or to the working directory for --set", () => {
    const url = (host: string): string => `postgresql://a@${host}/c?sslmode=verify-full&sslrootcert=ca.crt`;
    const yaml = `name: x
target: { urls: ["${url("b")}", { url: "${url("c")}" }] }
factors: { pool: [direct, { strategy: pgbouncer, urls: ["${url("p")}"] }] }`;
    const set = [`target.adminUrl=${url("t")}`];
    const experiment = parseScenario(yaml, "/etc/sim/x.yaml", { set });
    const at = (host: string, directory: string): string =>
      url(host).replace("=ca.crt", `=${directory}/ca.crt`);
    const { target, pool } = experiment.treatments[1]?.settings ?? {};
    expect(target).toMatchObject({
      urls: [{ url: at("b", "/etc/sim") }, { url: at("c", "/etc/sim") }],
      adminUrl: at("t", process.cwd()),
    });
    expect(pool).toMatchObject({ urls: [{ url: at("p", "/etc/sim") }] });
    expect(parseScenario(experiment.yaml, "/elsewhere/y.yaml")).toEqual(experiment);
  });
});
