// The server of ToyDB: documents in memory.
import { createServer, type Server } from "node:net";
import { createInterface } from "node:readline";

interface Row {
  readonly id: string;
  version: number;
  json: string;
}

/** Starts a server on a free port. It answers until it is closed. */
export async function startToyServer(): Promise<{ readonly port: number; readonly server: Server }> {
  let rows = new Map<string, Row>();
  const put = (id: string, json: string): void => void rows.set(id, { id, version: 0, json });
  const rowsOf = (id: string): Row[] => [rows.get(id) ?? []].flat();
  const METHODS: Readonly<Record<string, (...values: never[]) => unknown>> = {
    ping: () => true,
    clock: () => Date.now(),
    inserted: () => rows.size,
    reset: () => {
      rows = new Map();
      return true;
    },
    insert: (id: string, json: string) => {
      put(id, json);
      return true;
    },
    fill: (portion: readonly string[]) => {
      for (const json of portion) put((JSON.parse(json) as { id: string }).id, json);
      return portion.length;
    },
    read: (id: string) => rowsOf(id).map(({ json }) => json),
    update: (id: string, json: string) =>
      rowsOf(id).map((row) => {
        row.json = json;
        return ++row.version;
      }),
    scan: () =>
      [...rows.values()].map(({ id, version, json }) => ({
        id,
        version,
        text: json,
        documentBytes: json.length,
        rowBytes: json.length,
      })),
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      const [method, ...values] = JSON.parse(line) as [string, ...never[]];
      socket.write(`${JSON.stringify(METHODS[method]?.(...values) ?? null)}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { port: typeof address === "object" && address ? address.port : 0, server };
}
