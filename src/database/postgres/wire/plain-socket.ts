// The socket of a connection without TLS, read into one buffer that all share: Node allocates 64 kB for each read.
import { Socket, type ConnectOpts, type SocketConstructorOpts } from "node:net";
import { monotonicMs } from "../../../foundation/clock.js";

/** Most bytes of one read, the same as Node's limit. */
const READ_BYTES = 65_536;

let shared: Buffer | undefined;

export interface FirstReader {
  /** True if more of the answer is to come: then these bytes are kept, and shown again together with the following ones. */
  goesOn(arrived: Buffer): boolean;
  /** Returns the number of bytes that it took, whose memory is used again; the rest goes to the driver. */
  take(arrived: Buffer): number;
}

/** A socket that may show an answer to a reader before the driver gets the rest as `data` events. */
export class PlainSocket extends Socket {
  /** Monotonic milliseconds at which the last bytes arrived, before they were processed. */
  arrivedMs = 0;
  private firstReader: FirstReader | undefined;
  /** Beginning of an incomplete answer. It dies with the socket: a part of such an answer is of no use. */
  private incompleteAnswer: Buffer | undefined;

  constructor() {
    shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
    // The constructor takes the options that `connect` is documented to take; the types know only the latter's.
    const options: SocketConstructorOpts & ConnectOpts = {
      onread: { buffer: shared, callback: (bytes, buffer) => this.onArrived(buffer as Buffer, bytes) },
    };
    super(options);
  }

  /** Shows the next answer to `reader`, and nothing after that answer. */
  readFirst(reader: FirstReader): void {
    this.firstReader = reader;
  }

  private onArrived(buffer: Buffer, bytes: number): true {
    this.arrivedMs = monotonicMs();
    const piece = buffer.subarray(0, bytes);
    const arrived = this.incompleteAnswer ? Buffer.concat([this.incompleteAnswer, piece]) : piece;
    const { firstReader } = this;
    if (firstReader?.goesOn(arrived)) {
      this.incompleteAnswer = this.incompleteAnswer ? arrived : Buffer.from(piece);
      return true;
    }
    // The reader may send the next call as soon as it has its answer.
    this.firstReader = this.incompleteAnswer = undefined;
    const taken = firstReader?.take(arrived) ?? 0;
    // The driver keeps bytes that are no whole message yet, so it cannot have the shared buffer itself.
    if (taken < arrived.length) this.emit("data", Buffer.from(arrived.subarray(taken)));
    return true;
  }
}
