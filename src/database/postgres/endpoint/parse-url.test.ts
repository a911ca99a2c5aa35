// URLs that a user may write, the endpoints made from them, and that no message ever holds a password.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TrainSimError, UsageError } from "../../../foundation/errors.js";
import { makeCertificate } from "../../../../test/support/certificates.js";
import { parseConnectionUrl } from "./parse-url.js";
import { urlTarget } from "../../../targets/url/url.js";

/** Message and hint of the error that a call throws. */
function complaintOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return error instanceof TrainSimError ? `${error.message} | ${error.hint}` : "";
  }
  throw new Error("nothing was thrown");
}

describe("parseConnectionUrl", () => {
  it("reads every part of a URL", () => {
    expect(parseConnectionUrl("postgresql://rail:s%40crit@db.example:6432/trains", {}, {})).toEqual({
      scheme: "postgresql",
      host: "db.example",
      port: 6432,
      database: "trains",
      user: "rail",
      password: "s@crit",
    });
  });

  it("uses PostgreSQL's defaults for missing parts", () => {
    expect(parseConnectionUrl("postgres://", {}, {})).toEqual({
      scheme: "postgresql",
      host: "localhost",
      port: 5432,
      database: userInfo().username,
      user: userInfo().username,
    });
    expect(parseConnectionUrl("postgres://rail@db", {}, {})).toMatchObject({
      user: "rail",
      database: "rail",
    });
  });

  it("takes the password from PGPASSWORD if the URL has none", () => {
    const env = { PGPASSWORD: "from-env" };
    expect(parseConnectionUrl("postgresql://u@h/d", {}, env).password).toBe("from-env");
    expect(parseConnectionUrl("postgresql://u:own@h/d", {}, env).password).toBe("own");
  });

  it("reads IPv6 addresses and directories of Unix sockets", () => {
    expect(parseConnectionUrl("postgresql://u@[::1]:5433/d", {}, {})).toMatchObject({
      host: "::1",
      port: 5433,
    });
    expect(parseConnectionUrl("postgresql://u%3B@h/a%3Bb%2Fc%23%C3%BC%25", {}, {})).toMatchObject({
      user: "u;",
      database: "a;b/c#ü%",
    });
    expect(parseConnectionUrl("postgresql://u@/d?host=/run/postgresql", {}, {})).toMatchObject({
      host: "/run/postgresql",
      database: "d",
    });
  });

  it.each([
    ["localhost:5432/db", /is not a connection URL/],
    ["mysql://u:hunter2@h/d", /is not a connection URL/],
    ["postgresql://u:hunter2@h:port/d", /is not a valid connection URL/],
    ["postgresql://u:hunter2@h1:1,h2:2/d", /list several hosts as several URLs/],
    ["postgresql://u:hunter2@h:0/d", /port 0 is not a port/],
    ["postgresql://u:hun?ter2@h:x/d", /postgresql:\/\/u@h/],
    ["postgresql://u:hun?ter2=x@h/d", /percent-encode/],
    ["postgresql://u:hun/ter2@h:99999/d", /valid connection URL/],
    ["postgresql://u:hunter2", /valid connection URL/],
    ["postgresql://u:hunter2@h/d?sslmod=require", /unknown parameter sslmod .*sslmode/],
    ["postgresql://h/d?password=hunter2&colour=red", /an unknown parameter.*Known ones are/s],
    ["postgresql://u:p@:/?#hunter2@h/d", /percent-encode/],
    ["postgresql://u:5432#hunter2@h/d", /percent-encode/],
    ["postgresql://u:5432?hunter2", /an unknown parameter/],
    ["postgresql://u:hunter2@h/d?sslmode=prefer", /sslmode=prefer, which is not supported/],
  ])("refuses %s without its password", (url, reason) => {
    const complaint = complaintOf(() => parseConnectionUrl(url, {}, {}));
    expect(complaint).toMatch(reason);
    expect(complaint).not.toMatch(/hunter2|ter2|hun/);
  });
});

describe("TLS files of an endpoint", () => {
  let directory = "";
  const at = (name: string) => join(directory, name);
  const parse = (files: Parameters<typeof parseConnectionUrl>[1], url = "postgresql://u@h/d") =>
    parseConnectionUrl(url, files, {});

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "url-test-"));
    for (const name of ["one", "other"]) {
      const { cert, key } = await makeCertificate(name);
      writeFileSync(at(`${name}.crt`), cert);
      writeFileSync(at(`${name}.key`), key);
    }
    writeFileSync(at("garbage"), "not a certificate");
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("are read into the endpoint as text", () => {
    const files = {
      sslmode: "verify-full",
      ca: at("other.crt"),
      cert: at("one.crt"),
      key: at("one.key"),
    } as const;
    expect(parse(files).tls).toEqual({
      mode: "verify-full",
      ca: readFileSync(at("other.crt"), "utf8"),
      cert: readFileSync(at("one.crt"), "utf8"),
      key: readFileSync(at("one.key"), "utf8"),
    });
  });

  it("are taken from the URL before the scenario", () => {
    const url = `postgresql://u@h/d?sslmode=verify-ca&sslrootcert=${encodeURIComponent(at("one.crt"))}`;
    expect(parse({ sslmode: "require", ca: at("other.crt") }, url).tls).toEqual({
      mode: "verify-ca",
      ca: readFileSync(at("one.crt"), "utf8"),
    });
  });

  it("verify the server for require with a CA, as in libpq", () => {
    expect(parse({ sslmode: "require" }).tls).toEqual({ mode: "require" });
    expect(parse({ sslmode: "require", ca: at("one.crt") }).tls?.mode).toBe("verify-ca");
  });

  it("imply the strictest mode if none is stated, and no TLS without files and mode", () => {
    expect(parse({ ca: at("one.crt") }).tls?.mode).toBe("verify-full");
    expect(parse({ cert: at("one.crt"), key: at("one.key") }).tls?.mode).toBe("require");
    expect(parse({}).tls).toBeUndefined();
    expect(parse({ sslmode: "disable" }).tls).toBeUndefined();
  });

  it.each<[string, () => Parameters<typeof parseConnectionUrl>[1], RegExp]>([
    [
      "a missing file",
      () => ({ ca: at("nowhere.crt") }),
      /target\.ca: cannot read .*nowhere\.crt: there is no such file/,
    ],
    ["a directory", () => ({ ca: directory }), /it is a directory/],
    ["a file that is no certificate", () => ({ ca: at("garbage") }), /does not hold a certificate/],
    [
      "a file that is no key",
      () => ({ cert: at("one.crt"), key: at("garbage") }),
      /does not hold an unencrypted private key/,
    ],
    [
      "a key of another certificate",
      () => ({ cert: at("one.crt"), key: at("other.key") }),
      /do not belong together/,
    ],
    ["a certificate without key", () => ({ cert: at("one.crt") }), /key is missing/],
    ["verify-ca without CA", () => ({ sslmode: "verify-ca" }), /needs the CA/],
    ["files though TLS is disabled", () => ({ sslmode: "disable", ca: at("one.crt") }), /sslmode is disable/],
  ])("are refused: %s", (_, files, reason) => {
    expect(complaintOf(() => parse(files()))).toMatch(reason);
  });
});

describe("urlTarget", () => {
  it("has an endpoint for each URL and is administered through the first", () => {
    const urls = [
      { url: "postgresql://u@a/d", region: "east", weight: 2 },
      { url: "postgresql://u@b/d", weight: 1 },
    ];
    const target = urlTarget({ kind: "url", urls }, {});
    expect(target.endpoints).toMatchObject([{ region: "east", weight: 2 }, { weight: 1 }]);
    expect(target.endpoints[1]).not.toHaveProperty("region");
    expect(target.endpoints.map(({ host }) => host)).toEqual(["a", "b"]);
    expect(target.admin).toBe(target.endpoints[0]);
  });

  it("is administered through the endpoint that takes writes if the URLs require one", () => {
    const urls = ["a", "b"].map((host) => ({
      url: `postgresql://u@${host}/d?target_session_attrs=read-write`,
      weight: 1,
    }));
    const { admin, endpoints } = urlTarget({ kind: "url", urls }, {});
    expect(endpoints).toMatchObject([{ takesWrites: true }, { takesWrites: true }]);
    expect(admin).toMatchObject({ host: "a", alternatives: [{ host: "b" }] });
    const wrong = "postgresql://u@a/d?target_session_attrs=standby";
    expect(complaintOf(() => parseConnectionUrl(wrong, {}, {}))).toMatch(/not supported.*use read-write/is);
  });

  it("refuses an empty list of URLs", () => {
    expect(complaintOf(() => urlTarget({ kind: "url", urls: [] }, {}))).toMatch(/urls is empty/);
  });

  it("takes PGPASSWORD for the administrator if TRAIN_SIM_ADMIN_PASSWORD is empty", () => {
    const urls = [{ url: "postgresql://u@h/d", weight: 1 }];
    const settings = { kind: "url", urls, adminUrl: "postgresql://a@h/d" } as const;
    const passwordWith = (own: string): string | undefined =>
      urlTarget(settings, { PGPASSWORD: "general", TRAIN_SIM_ADMIN_PASSWORD: own }).admin.password;
    expect([passwordWith(""), passwordWith("own")]).toEqual(["general", "own"]);
  });
});
