// Every fault with every family of workloads on a server that train-sim starts.
import { EMBEDDED, testMatrix } from "../support/fault-matrix.js";

await testMatrix("on an embedded server", EMBEDDED);
