// Every fault with every family of workloads on a server with a standby.
import { testMatrix, WITH_STANDBY } from "../support/fault-matrix.js";

await testMatrix("on an embedded server with a standby", WITH_STANDBY);
