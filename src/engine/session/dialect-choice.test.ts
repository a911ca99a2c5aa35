import { describe, expect, test } from "vitest";
import { dialectOfProduct, productOf, versionOf } from "../../database/postgres/server-info.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "../../scenario/settings.js";
import { dialectFor, treatmentInDialect } from "./dialect-choice.js";

const COCKROACHDB = "CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu, built 2025/06/30 12:00:00, go1.23.7)";
const CLOUDBERRY =
  "PostgreSQL 14.4 (Apache Cloudberry 2.0.0-incubating build 1) on x86_64-pc-linux-gnu, compiled by gcc";
const GREENPLUM =
  "PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:e7c2b1f14bb42a1018ac57d14f4436880e0a0515) on x86_64";
const POSTGRESQL = "PostgreSQL 16.9 on aarch64-unknown-linux-gnu, compiled by gcc";

const server = (versionText: string, hasJobs = false) => {
  const product = productOf(versionText, hasJobs);
  return { product, dialect: dialectOfProduct(product), versionText };
};

function treatmentOf(yaml: string): Treatment {
  const text = `name: choice\ntarget: { kind: url, urls: ["postgresql://a@db.example:5432/a"] }\n${yaml}`;
  const [treatment] = parseScenario(text, "choice.yaml").treatments;
  if (!treatment) throw new Error("no treatment");
  return treatment;
}

test("a server's product and version follow from its version text, and Aurora DSQL from a system table", () => {
  expect([COCKROACHDB, CLOUDBERRY, GREENPLUM, POSTGRESQL].map((text) => productOf(text))).toEqual([
    "CockroachDB",
    "Cloudberry",
    "Greenplum",
    "PostgreSQL",
  ]);
  expect(productOf("PostgreSQL 16", true)).toBe("Aurora DSQL");
  expect([COCKROACHDB, CLOUDBERRY, GREENPLUM, POSTGRESQL].map(versionOf)).toEqual([
    "v25.2.1",
    "2.0.0",
    "7.1.0",
    "16.9",
  ]);
});

describe("dialect: auto", () => {
  test("becomes the server's dialect", () => {
    const treatment = treatmentOf(
      "dialect: auto\npayload: text\nlocking: for-update\nisolation: repeatable read\n",
    );
    expect(dialectFor(server(POSTGRESQL), treatment)).toBe("postgres");
    expect(dialectFor(server(GREENPLUM), treatment)).toBe("cloudberry");
    expect(dialectFor(server("PostgreSQL 16", true), treatment)).toBe("dsql");
    expect(treatmentInDialect(treatment, "dsql").settings).toMatchObject({
      dialect: "dsql",
      asksDialect: false,
    });
  });

  test("refuses all settings at once that the server's dialect lacks", () => {
    const treatment = treatmentOf("dialect: auto\n");
    expect(() => dialectFor(server("PostgreSQL 16", true), treatment)).toThrow(
      /cannot run on Aurora DSQL: .*payload: jsonb.*locking: skip-locked.*isolation: read committed/,
    );
    expect(() => dialectFor(server("MySQL 8"), treatment)).toThrow(
      /train-sim knows no server that calls itself "MySQL 8"/,
    );
  });
});

test("a dialect that the server does not speak is refused, but accepted for an unknown product", () => {
  expect(() => dialectFor(server(COCKROACHDB), treatmentOf(""))).toThrow(
    /has dialect: postgres, and the server is CockroachDB/,
  );
  expect(dialectFor(server(POSTGRESQL), treatmentOf(""))).toBe("postgres");
  expect(dialectFor(server("EnterpriseDB 17"), treatmentOf(""))).toBe("postgres");
});
