// Settings that a server is started with, and settings that are refused before anything is started.
import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { SPARE_CONNECTIONS } from "../server-limits.js";
import { assertSettings, settingNamedIn, serverSettings } from "./server-settings.js";

const FACTS = {
  port: 6000,
  socketDirectory: "/private",
  maxConnectionsNeeded: 10,
  modules: new Set(["pg_stat_statements"]),
  tls: "off",
} as const;

describe("serverSettings", () => {
  it("leaves durability settings alone, and preloads pg_stat_statements if it is installed", () => {
    const settings = serverSettings({}, FACTS);
    expect(settings.filter((pair) => /^(fsync|synchronous_commit|full_page_writes)=/.test(pair))).toEqual([]);
    expect(settings).toContain("shared_preload_libraries=pg_stat_statements");
    expect(serverSettings({}, { ...FACTS, modules: new Set() }).join()).not.toContain("pg_stat_statements");
  });

  it("prefers the user's settings, regardless of case and hyphens in their names", () => {
    const settings = serverSettings({ "Shared-Buffers": "1GB" }, FACTS);
    expect(settings.filter((pair) => pair.startsWith("shared_buffers="))).toEqual(["shared_buffers=1GB"]);
  });

  it("turns wal_init_zero off unless the user sets this setting", () => {
    expect(serverSettings({}, FACTS)).toContain("wal_init_zero=off");
    expect(serverSettings({ wal_init_zero: "on" }, FACTS)).not.toContain("wal_init_zero=off");
  });

  it("sets max_connections to the scenario's connections and spare ones", () => {
    expect(serverSettings({}, FACTS)).toContain("max_connections=100");
    expect(serverSettings({}, { ...FACTS, maxConnectionsNeeded: 512 })).toContain(
      `max_connections=${512 + SPARE_CONNECTIONS}`,
    );
  });

  it("listens on loopback only", () => {
    expect(serverSettings({}, FACTS)).toEqual(
      expect.arrayContaining(["listen_addresses=127.0.0.1", "port=6000", "unix_socket_directories=/private"]),
    );
  });
});

describe("assertSettings", () => {
  it.each(["port", "listen_addresses", "Listen-Addresses", "data_directory", "hba_file"])(
    "refuses %s",
    (name) => {
      expect(() => assertSettings({ [name]: "x" }, 1)).toThrow(UsageError);
    },
  );

  it.each([
    ["archive_command", "cp %p /elsewhere"],
    ["Restore-Command", "sh"],
    ["ssl_passphrase_command", "sh"],
    ["ssl_key_file", "/etc/ssl/private/key.pem"],
    ["log_directory", "/elsewhere"],
    ["logging_collector", "on"],
    ["dynamic_library_path", "/elsewhere"],
    ["shared_preload_libraries", "pg_stat_statements,/elsewhere/x.so"],
    ["archive_library", "../../../x"],
  ])("refuses %s: %s, which could run programs or reach files elsewhere", (name, value) => {
    expect(() => assertSettings({ [name]: value }, 1)).toThrow(
      new RegExp(`target\\.settings\\.${name} cannot be set`),
    );
  });

  it("accepts installed libraries, and settings whose names resemble refused settings", () => {
    const settings = {
      shared_preload_libraries: "pg_stat_statements,auto_explain",
      log_min_duration_statement: "100ms",
      log_statement: "all",
      commit_delay: "10",
    };
    expect(() => assertSettings(settings, 1)).not.toThrow();
  });

  it("refuses a max_connections below the connections that the scenario needs", () => {
    expect(() => assertSettings({ max_connections: "100" }, 100)).toThrow(
      /max_connections is 100, but the scenario needs 113: 100 for its clients/,
    );
    expect(() => assertSettings({ max_connections: "113" }, 100)).not.toThrow();
  });
});

describe("blameSetting", () => {
  it("finds the user's setting that an error message names", () => {
    const complaint = 'FATAL: invalid value for parameter "work_mem": "lots"; HINT: Valid units are "kB"';
    expect(settingNamedIn(complaint, { shared_buffers: "1GB", Work_Mem: "lots" })).toBe("Work_Mem");
    expect(settingNamedIn("FATAL: no space left on device", { work_mem: "1MB" })).toBeUndefined();
  });

  it("does not match a part of a setting's name", () => {
    expect(settingNamedIn('unrecognized parameter "work_mem_x"', { work_mem: "1MB" })).toBeUndefined();
  });
});
