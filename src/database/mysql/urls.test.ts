import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { withoutPasswords } from "../../foundation/secrets.js";
import { urls } from "./urls.js";

const NO_VARIABLES = {};
const read = (url: string, env: NodeJS.ProcessEnv = NO_VARIABLES) => urls.read({ url }, {}, env);

describe("a URL of MySQL or MariaDB", () => {
  it("states host, port, user, database and password, percent-encoded where needed", () => {
    expect(read("mysql://app:p%40ss%2F@db.example/shop")).toEqual({
      scheme: "mysql",
      host: "db.example",
      port: 3306,
      user: "app",
      password: "p@ss/",
      database: "shop",
    });
    expect(read("mariadb://app@[::1]:3307/my%20shop")).toMatchObject({
      scheme: "mariadb",
      host: "::1",
      port: 3307,
      database: "my shop",
    });
    expect(read("mysql://app@localhost/shop?socket=%2Frun%2Fmysqld.sock").host).toBe("/run/mysqld.sock");
  });

  it("takes a missing password from MYSQL_PWD", () => {
    expect(read("mysql://app@db/shop", { MYSQL_PWD: "s" }).password).toBe("s");
    expect(read("mysql://app:own@db/shop", { MYSQL_PWD: "s" }).password).toBe("own");
  });

  it.each([
    ["disabled", undefined],
    ["REQUIRED", "require"],
    ["verify_identity", "verify-full"],
  ])("reads ssl-mode=%s", (mode, expected) => {
    expect(read(`mysql://app@db/shop?ssl-mode=${mode}`).tls?.mode).toBe(expected);
  });

  it.each([
    ["mysql:///shop", "names no host"],
    ["mysql://app@db", "names no database"],
    ["mysql://app:p@ss/w@db/shop", "cannot be read"],
    ["mysql://app@db:99999/shop", "cannot be read"],
    [
      "mysql://app@db/shop?ssl-mode=preferred",
      "a measurement must know whether its connections are encrypted",
    ],
    ["mysql://app@db/shop?ssl-cap=x", "did you mean ssl-ca?"],
    ["mysql://app@db/shop?q=x", "an unknown parameter"],
  ])("is refused: %s", (url, words) => {
    expect(urls.refusal(url)).toContain(words);
    expect(() => read(url)).toThrow(UsageError);
  });

  it("keeps its TLS keys and its files apart from the rest", () => {
    const url = "mysql://app@db/shop?ssl-ca=ca.pem";
    expect(urls.tlsKeysOf(url)).toEqual({ ca: "ca.pem" });
    expect(urls.changeFilePaths(url, (file) => `/etc/${file}`)).toBe(
      "mysql://app@db/shop?ssl-ca=/etc/ca.pem",
    );
    expect(urls.addTlsParameters(url, { sslmode: "verify-full", ca: "other.pem" })).toBe(
      `${url}&ssl-mode=verify_identity`,
    );
  });

  it("is shown without its password and without unknown parameters", () => {
    expect(withoutPasswords("mysql://app:secret@db/shop?ssl-mode=required&pasword=x")).toBe(
      "mysql://app@db/shop?ssl-mode=required",
    );
  });
});
