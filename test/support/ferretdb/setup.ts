// Set-up of the vitest project `mongodb`: one FerretDB for all files, each of which works in separate databases.
import type { TestProject } from "vitest/node";
import { FerretDb } from "./ferretdb.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Port of the suite's FerretDB on 127.0.0.1. */
    ferretDbPort: number;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await FerretDb.start();
  project.provide("ferretDbPort", server.port);
  return () => server.stop();
}
