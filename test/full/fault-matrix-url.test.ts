// Every fault with every family of workloads on a server that runs already.
import { testMatrix } from "../support/fault-matrix.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";

const { endpoint } = ownDatabase("matrix");
await testMatrix("on a server by its URL", { kind: "url", urls: [urlOf(endpoint)] });
