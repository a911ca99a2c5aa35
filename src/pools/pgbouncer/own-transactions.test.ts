// The number of transactions that PgBouncer adds to each transaction of a client, by its settings.
import { describe, expect, it } from "vitest";
import { ownTransactions } from "./own-transactions.js";
import type { PgBouncerPool } from "./settings.js";

type Given = Partial<Pick<PgBouncerPool, "mode" | "reconnect" | "settings">>;
const own = (given: Given, asked?: Readonly<Record<string, string>>) =>
  ownTransactions({ mode: "transaction", reconnect: "never", ...given }, asked);
const always = (query?: string) => ({
  settings: {
    server_reset_query_always: "1",
    ...(query !== undefined && { server_reset_query: query }),
  },
});

describe("the number of PgBouncer's own transactions", () => {
  it.each<[Given, number]>([
    [{}, 0],
    [{ reconnect: "per-transaction" }, 0],
    [{ mode: "session" }, 0],
    [{ mode: "session", ...always() }, 0],
  ])("is 0 if no session is reset: %j", (given, count) => {
    expect(own(given)).toBe(count);
  });

  it.each<[Given, number]>([
    [{ mode: "session", reconnect: "per-transaction" }, 2],
    [always(), 2],
    [always("discard all"), 2],
    [always("DEALLOCATE ALL"), 1],
    [always(""), 0],
    [{ settings: { server_check_delay: "0" } }, 1],
    [{ settings: { server_check_delay: "0", server_check_query: "" } }, 0],
    [{ reconnect: "per-transaction", settings: { application_name_add_host: "1" } }, 1],
  ])("counts the reset, a SET of the client's name and a check: %j", (given, count) => {
    expect(own(given)).toBe(count);
  });

  it("follows the console's settings if they are known", () => {
    expect(own({}, { server_reset_query: "DISCARD ALL", server_reset_query_always: "1" })).toBe(2);
    expect(own(always(), { server_reset_query: "DISCARD ALL", server_reset_query_always: "0" })).toBe(0);
  });

  it("is unknown if only some clients' names are set", () => {
    expect(own({ settings: { application_name_add_host: "1" } })).toMatch(/does not count how often/);
    expect(own({ settings: { ...always().settings, application_name_add_host: "1" } })).toBe(2);
  });
});
