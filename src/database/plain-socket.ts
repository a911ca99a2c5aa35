// The socket of a connection without TLS. What arrives is read into one buffer that all sockets of a thread share, and the
// driver gets a copy of its exact size at once. Left to itself Node allocates 64 kB for each read and takes what came
// through its streams. Who waits for an answer may look at its beginning before the driver does, and take what it knows.
import { Socket, type ConnectOpts, type SocketConstructorOpts } from "node:net";

/** The most that one read takes: as much as Node's own. */
const READ_BYTES = 65_536;

let shared: Buffer | undefined;

export interface FirstReader {
  /** Returns how many of these bytes it took; the rest goes to the driver. It must not keep them. */
  take(arrived: Buffer): number;
}

/** Its `data` events come as the bytes do; the rest is an ordinary socket. */
export class PlainSocket extends Socket {
  private firstReader: FirstReader | undefined;

  constructor() {
    shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
    // The constructor takes what `connect` is documented to take; the types know the latter only.
    const options: SocketConstructorOpts & ConnectOpts = {
      onread: { buffer: shared, callback: (bytes, buffer) => this.onArrived(buffer as Buffer, bytes) },
    };
    super(options);
  }

  /** Shows the next bytes that arrive to `reader`, and none after them. */
  readFirst(reader: FirstReader): void {
    this.firstReader = reader;
  }

  private onArrived(buffer: Buffer, bytes: number): true {
    const arrived = buffer.subarray(0, bytes);
    const taken = this.firstReader?.take(arrived) ?? 0;
    this.firstReader = undefined;
    // The driver keeps what is no whole message yet, so it cannot have the buffer itself.
    if (taken < bytes) this.emit("data", Buffer.from(arrived.subarray(taken)));
    return true;
  }
}
