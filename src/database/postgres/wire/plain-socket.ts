// The socket of a connection without TLS, read into one buffer that all sockets of a thread share: Node by itself allocates 64
// kB for each read. An answer in several pieces is read to its end first, so that its arrival has a time.
import { Socket, type ConnectOpts, type SocketConstructorOpts } from "node:net";
import { monotonicMs } from "../../../foundation/clock.js";

/** The most that one read takes: as much as Node's own. */
const READ_BYTES = 65_536;

let shared: Buffer | undefined;

export interface FirstReader {
  /** Whether more of the answer is to come: then these bytes are kept, and shown again with what follows. */
  goesOn(arrived: Buffer): boolean;
  /** Returns how many of these bytes it took, which are spent then; the rest goes to the driver. It must not keep them. */
  take(arrived: Buffer): number;
}

/** Its `data` events come as the bytes do; the rest is an ordinary socket. */
export class PlainSocket extends Socket {
  /** Monotonic milliseconds at which the last bytes arrived, before anything was done with them. */
  arrivedMs = 0;
  private firstReader: FirstReader | undefined;
  /** The beginning of an answer that goes on. It dies with the socket: of such an answer nobody needs a part. */
  private begun: Buffer | undefined;

  constructor() {
    shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
    // The constructor takes what `connect` is documented to take; the types know the latter only.
    const options: SocketConstructorOpts & ConnectOpts = {
      onread: { buffer: shared, callback: (bytes, buffer) => this.onArrived(buffer as Buffer, bytes) },
    };
    super(options);
  }

  /** Shows the answer that arrives next to `reader`, and nothing after it. */
  readFirst(reader: FirstReader): void {
    this.firstReader = reader;
  }

  private onArrived(buffer: Buffer, bytes: number): true {
    this.arrivedMs = monotonicMs();
    const piece = buffer.subarray(0, bytes);
    const arrived = this.begun ? Buffer.concat([this.begun, piece]) : piece;
    const { firstReader } = this;
    if (firstReader?.goesOn(arrived)) {
      this.begun = this.begun ? arrived : Buffer.from(piece);
      return true;
    }
    // It may ask the next thing as soon as it has its answer.
    this.firstReader = this.begun = undefined;
    const taken = firstReader?.take(arrived) ?? 0;
    // The driver keeps what is no whole message yet, so it cannot have the buffer itself.
    if (taken < arrived.length) this.emit("data", Buffer.from(arrived.subarray(taken)));
    return true;
  }
}
