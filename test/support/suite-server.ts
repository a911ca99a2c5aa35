// The suite's own server as the target of a scenario. A run on it costs a second of processor time less than a run that
// starts a server, so tests that do not depend on the server use it. Each scenario has a separate namespace, because all
// test files share the server.
import { inject } from "vitest";
import type { Endpoint } from "../../src/database/endpoint.js";
import { testNamespace } from "./namespace.js";

/** URL of an endpoint, as a scenario has it. */
export function urlOf({ user, password = "", host, port, database }: Endpoint): string {
  return `postgresql://${user}:${password}@${host}:${port}/${database}`;
}

/** Two lines of a scenario: its target, and a namespace that begins with `name`. */
export function onSuiteServer(name: string): string {
  return `namespace: ${testNamespace(name)}\ntarget: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }\n`;
}
