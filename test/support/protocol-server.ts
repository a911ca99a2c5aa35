// A small server that speaks the PostgreSQL wire protocol and knows no SQL: tests decide its answers. It stands in for
// databases that are not available here, so that their real error texts and codes reach the driver as bytes: inside a
// transaction, at its COMMIT, at the login, or as a connection that ends without a message. It listens on loopback only,
// without TLS, and refuses a message that it does not know.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

/** The fields of an ErrorResponse. */
export interface ServerError {
  readonly code: string;
  readonly message: string;
  /** FATAL ends the session. Default: ERROR. */
  readonly severity?: "ERROR" | "FATAL";
  readonly hint?: string;
  readonly detail?: string;
}

/** Status byte of ReadyForQuery: idle, in a transaction, in a failed transaction. */
export type TransactionStatus = "I" | "T" | "E";

export interface Call {
  /** Number of the connection in the order of connecting, from 0. */
  readonly session: number;
  readonly text: string;
  /** Values of parameters as the client has encoded them: arrays as bytes in binary format, others as text. */
  readonly parameters: readonly (Buffer | null)[];
}

export type Answer =
  | { readonly tag: string; readonly rows?: readonly Readonly<Record<string, string>>[] }
  | { readonly error: ServerError }
  /** The server closes the connection without an answer. */
  | "hang-up";

/** Answers of the server, which a test defines. */
export interface Backend {
  /** True if a login needs a password. */
  readonly asksPassword?: boolean;
  /** Error that refuses a login; undefined accepts it. */
  login?(session: number, password: string | undefined): ServerError | undefined;
  answer(call: Call): Answer;
  /** Transaction status of a session after an answer. */
  status(session: number): TransactionStatus;
}

export interface ProtocolServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startProtocolServer(backend: Backend): Promise<ProtocolServer> {
  const sockets = new Set<Socket>();
  let sessions = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay();
    socket.on("close", () => sockets.delete(socket));
    // A client may close its socket without a Terminate message.
    socket.on("error", () => undefined);
    new Session(socket, backend, sessions++);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const zeroEnded = (text: string): Buffer => Buffer.from(`${text}\0`);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function errorMessage({ severity = "ERROR", code, message: text, hint, detail }: ServerError): Buffer {
  const fields = { S: severity, V: severity, C: code, M: text, H: hint, D: detail };
  const parts = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [zeroEnded(`${field}${value}`)],
  );
  return message("E", ...parts, Buffer.from([0]));
}

const TEXT_TYPE = 25;

function rowMessages(rows: readonly Readonly<Record<string, string>>[]): Buffer[] {
  const columns = Object.keys(rows[0] ?? {});
  const described = columns.map((name) =>
    Buffer.concat([zeroEnded(name), int32(0), int16(0), int32(TEXT_TYPE), int16(-1), int32(-1), int16(0)]),
  );
  const values = rows.map((row) => {
    const cells = columns.map((name) => Buffer.from(row[name] ?? ""));
    return message("D", int16(cells.length), ...cells.flatMap((cell) => [int32(cell.length), cell]));
  });
  return [message("T", int16(columns.length), ...described), ...values];
}

/** Reads fields of a message one after the other. */
class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    const text = this.bytes.toString("utf8", this.at, end);
    this.at = end + 1;
    return text;
  }

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  value(): Buffer | null {
    const length = this.bytes.readInt32BE(this.at);
    this.at += 4;
    if (length < 0) return null;
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

class Session {
  private received: Buffer = Buffer.alloc(0);
  private phase: "startup" | "password" | "open" = "startup";
  private readonly statements = new Map<string, string>();
  private bound: Pick<Call, "text" | "parameters"> | undefined;
  /** True after an error in the extended protocol: messages are skipped until Sync. */
  private isSkipping = false;

  constructor(
    private readonly socket: Socket,
    private readonly backend: Backend,
    private readonly number: number,
  ) {
    socket.on("data", (bytes: Buffer) => {
      this.received = Buffer.concat([this.received, bytes]);
      while (this.takeMessage());
    });
  }

  /** Handles the next message if it is complete. Returns false if it is not. */
  private takeMessage(): boolean {
    const typeBytes = this.phase === "startup" ? 0 : 1;
    if (this.received.length < typeBytes + 4 || this.socket.destroyed) return false;
    const end = typeBytes + this.received.readInt32BE(typeBytes);
    if (this.received.length < end) return false;
    const type = this.received.toString("latin1", 0, typeBytes);
    const body = this.received.subarray(typeBytes + 4, end);
    this.received = this.received.subarray(end);
    if (this.phase === "open") this.handle(type, new Reader(body));
    else this.logIn(this.phase === "password" ? new Reader(body).text() : undefined);
    return true;
  }

  private logIn(password: string | undefined): void {
    if (this.phase === "startup" && this.backend.asksPassword) {
      this.phase = "password";
      this.socket.write(message("R", int32(3)));
      return;
    }
    const refusal = this.backend.login?.(this.number, password);
    if (refusal) return void this.socket.end(errorMessage({ severity: "FATAL", ...refusal }));
    this.phase = "open";
    this.socket.write(message("R", int32(0)));
    this.sendReady();
  }

  private handle(type: string, reader: Reader): void {
    if (type === "X") return void this.socket.end();
    if (type === "S") {
      this.isSkipping = false;
      this.sendReady();
    } else if (this.isSkipping) {
      return;
    } else if (type === "Q") {
      if (this.reply({ text: reader.text(), parameters: [] })) this.sendReady();
    } else if (type === "P") {
      this.statements.set(reader.text(), reader.text());
      this.socket.write(message("1"));
    } else if (type === "B") {
      this.bind(reader);
      this.socket.write(message("2"));
    } else if (type === "E" && this.bound) {
      this.isSkipping = !this.reply(this.bound);
    } else if (type !== "D" && type !== "H") {
      throw new Error(`a message of type ${type} is not spoken here`);
    }
  }

  private bind(reader: Reader): void {
    reader.text();
    const text = this.statements.get(reader.text());
    if (text === undefined) throw new Error("a statement was bound before it was parsed");
    for (let formats = reader.int16(); formats > 0; formats--) reader.int16();
    const parameters = Array.from({ length: reader.int16() }, () => reader.value());
    this.bound = { text, parameters };
  }

  /** Sends the answer to a call. Returns true if the client's next messages are to be handled as after a success. */
  private reply(call: Pick<Call, "text" | "parameters">): boolean {
    const answer = this.backend.answer({ session: this.number, ...call });
    if (answer === "hang-up") {
      this.socket.destroy();
      return false;
    }
    if ("error" in answer) {
      const bytes = errorMessage(answer.error);
      if (answer.error.severity === "FATAL") {
        this.socket.end(bytes);
        return false;
      }
      this.socket.write(bytes);
      // After an error the simple protocol is ready at once; the extended protocol skips messages until Sync.
      return this.bound === undefined;
    }
    const { tag, rows = [] } = answer;
    this.socket.write(
      Buffer.concat([...(rows.length > 0 ? rowMessages(rows) : []), message("C", zeroEnded(tag))]),
    );
    return true;
  }

  private sendReady(): void {
    this.bound = undefined;
    this.socket.write(message("Z", Buffer.from(this.backend.status(this.number))));
  }
}
