import { expect, it } from "vitest";
import type { OpenTarget } from "./target-keeper.js";
import { environmentOf } from "./environment.js";

function server(kind: string, version: string, workMem: string): Pick<OpenTarget, "server" | "target"> {
  return {
    target: { kind },
    server: { product: "PostgreSQL", version, versionText: `PostgreSQL ${version}`, settings: { workMem } },
  } as unknown as Pick<OpenTarget, "server" | "target">;
}

const pgBouncer = (version: string) => ({ product: "PgBouncer", version });

const OLD = server("embedded", "17.5", "4MB");
const NEW = server("url", "18.4", "4MB");

it("the environment lists each version, setting and target kind of several servers once", () => {
  const { versions, settings, machine } = environmentOf("1.0.0", [OLD, NEW, OLD], [pgBouncer("1.24.1")]);
  expect(versions).toMatchObject({
    "train-sim": "1.0.0",
    PostgreSQL: "17.5 | 18.4",
    server: "PostgreSQL 17.5 | PostgreSQL 18.4",
    PgBouncer: "1.24.1",
  });
  expect(settings).toEqual({ workMem: "4MB" });
  expect(machine["target"]).toBe("embedded | url");
});

it("the environment of a resumed run includes the environment of the interrupted run", () => {
  const earlier = environmentOf("1.0.0", [OLD], [pgBouncer("1.24.1")]);
  const { versions, machine } = environmentOf("1.0.0", [NEW], [pgBouncer("1.23.0")], earlier);
  expect(versions).toMatchObject({ PostgreSQL: "17.5 | 18.4", PgBouncer: "1.24.1, 1.23.0" });
  expect(machine["target"]).toBe("embedded | url");
});
