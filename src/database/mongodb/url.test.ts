import { describe, expect, it } from "vitest";
import { describeEndpoint } from "../endpoint.js";
import { databaseOfUrl } from "../registry.js";
import { urls } from "./url.js";

const endpointOf = (url: string, env: NodeJS.ProcessEnv = {}) => urls.read({ url }, {}, env);

describe("URLs of MongoDB", () => {
  it("are recognised by both schemes, and an endpoint has the first", () => {
    expect(databaseOfUrl("mongodb://h/")?.name).toBe("MongoDB");
    expect(databaseOfUrl("mongodb+srv://h/")?.name).toBe("MongoDB");
    expect(endpointOf("mongodb://h").scheme).toBe("mongodb");
  });

  it("have defaults for port, database and log-in", () => {
    expect(endpointOf("mongodb://h")).toEqual({
      scheme: "mongodb",
      host: "h",
      port: 27_017,
      database: "admin",
      user: "",
    });
    expect(describeEndpoint(endpointOf("mongodb://h"))).toBe("mongodb://h:27017/admin");
  });

  it("give the driver the write concern, the log-in and the replica set", () => {
    const text =
      "mongodb://us%40er:p%2Fw@[::1]:27018/people?w=majority&journal=true&authSource=a&replicaSet=rs";
    const endpoint = endpointOf(text);
    expect(endpoint).toMatchObject({
      ...{ host: "::1", port: 27_018, database: "people", user: "us@er", password: "p/w" },
      parameters: { w: "majority", journal: "true", authSource: "a", replicaSet: "rs" },
    });
    expect(describeEndpoint(endpoint)).toBe("mongodb://us@er@::1:27018/people");
  });

  it("take the password of a user from PGPASSWORD, unless they state one", () => {
    const env = { PGPASSWORD: "secret" };
    expect(endpointOf("mongodb://u@h", env).password).toBe("secret");
    expect(endpointOf("mongodb://u:own@h", env).password).toBe("own");
    expect(endpointOf("mongodb://h", env)).not.toHaveProperty("password");
  });

  it.each([
    ["tls=false", "disable"],
    ["tls=true", "verify-full"],
    ["ssl=true", "verify-full"],
    ["tls=true&tlsAllowInvalidHostnames=true", "verify-ca"],
    ["tls=true&tlsAllowInvalidCertificates=true", "require"],
    ["tls=true&tlsInsecure=true", "require"],
    ["w=1", undefined],
  ])("state TLS by %s as sslmode %s", (query, sslmode) => {
    expect(urls.tlsKeysOf(`mongodb://h/?${query}`)["sslmode"]).toBe(sslmode);
  });

  it("name files of certificates, whose paths can be changed", () => {
    const url = "mongodb://h/?tls=true&tlsCAFile=ca.pem&tlsCertificateKeyFile=me.pem";
    const files = { ca: "ca.pem", cert: "me.pem", key: "me.pem" };
    expect(urls.tlsKeysOf(url)).toEqual({ sslmode: "verify-full", ...files });
    expect(urls.changeFilePaths(url, (file) => `/a/${file}`)).toBe(
      "mongodb://h/?tls=true&tlsCAFile=/a/ca.pem&tlsCertificateKeyFile=/a/me.pem",
    );
    const added = urls.addTlsParameters("mongodb://h/?w=1", { sslmode: "verify-full", ca: "ca.pem" });
    expect(urls.tlsKeysOf(added)).toEqual({ sslmode: "verify-full", ca: "ca.pem" });
  });

  it.each([
    ["mongodb+srv://h/", "names servers by DNS (mongodb+srv)"],
    ["mongodb://a,b/", "names several hosts"],
    ["mongodb://u:p@a:1,b:2/", "names several hosts"],
    ["mongodb:///", "names no host"],
    ["mongodb://%2Ftmp%2Fm.sock/", "names no host"],
    ["mongodb://u:p/w@h/", "cannot be read"],
    ["mongodb://u:p#w@h/", "cannot be read"],
    ["mongodb://u:p%w@h/", "cannot be read"],
    ["mongodb://h/?w=0", "acknowledges nothing"],
    ["mongodb://h/?w=all", "an invalid value of w; use majority, or a number"],
    ["mongodb://h/?journal=1", "an invalid value of journal; use true or false"],
    ["mongodb://h/?tls=yes", "an invalid value of tls; use true or false"],
    ["mongodb://h/?j=true", "write journal=true"],
    ["mongodb://h/?retryWrites=true", "train-sim tries again itself"],
    ["mongodb://h/?maxPoolSize=5", "the scenario's pool decides"],
    ["mongodb://h/?jurnal=true", "did you mean journal?"],
    ["mongodb://h/?hunter2=1", "an unknown parameter"],
  ])("are refused: %s %s", (url, words) => {
    const refusal = urls.refusal(url);
    expect(refusal).toContain(words);
    expect(refusal).not.toContain("hunter2");
    expect(() => endpointOf(url)).toThrow(words);
  });
});
