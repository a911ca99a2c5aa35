// Fingerprints as CockroachDB writes them, and their names.
import { expect, test } from "vitest";
import { fingerprintNamer } from "./cockroachdb-statements.js";

const nameOfFingerprint = fingerprintNamer(['"n".events', '"n".event_status', '"n".events_archive']);

test("a fingerprint is named by its verb and its table", () => {
  expect(
    nameOfFingerprint("INSERT INTO train_sim.events_archive(id) SELECT e.id FROM train_sim.events AS e"),
  ).toBe("INSERT INTO events_archive");
  expect(
    nameOfFingerprint(
      "UPDATE train_sim.event_status AS s SET status = a.status FROM (SELECT * FROM unnest($1))",
    ),
  ).toBe("UPDATE event_status");
  expect(
    nameOfFingerprint("WITH claimed AS (SELECT event_id FROM train_sim.event_status) SELECT _ FROM claimed"),
  ).toBe("SELECT event_status");
});

test("a fingerprint without a table of the workload has no name", () => {
  expect(
    ["COMMIT TRANSACTION", "SELECT version()", "SELECT _ FROM eventsource"].map(nameOfFingerprint),
  ).toEqual(Array(3).fill(undefined));
});
