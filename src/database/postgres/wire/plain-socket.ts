// The socket of a connection without TLS, read into one buffer that all share: Node allocates 64 kB for each read.
import { Socket, type ConnectOpts, type SocketConstructorOpts } from "node:net";
import { monotonicMs } from "../../../foundation/clock.js";

/** Maximum number of bytes that one read returns, the same as Node's own limit. */
const READ_BYTES_MAX = 65_536;

let sharedBuffer: Buffer | undefined;

export interface FirstReader {
  /**
   * Returns true if more of the answer must arrive first: the bytes are kept and shown again together with the next ones.
   */
  goesOn(arrived: Buffer): boolean;
  /** Returns the number of bytes that it took; their memory is used again, and the driver gets the rest. */
  take(arrived: Buffer): number;
}

/** A socket that can show an answer to a reader first; the driver gets the rest as `data` events. */
export class PlainSocket extends Socket {
  /** Monotonic milliseconds at which the last bytes arrived, taken before they are processed. */
  arrivedMs = 0;
  private firstReader: FirstReader | undefined;
  /**
   * Bytes of an answer that is not complete yet. They are lost with the socket, since a part of such an answer is of no
   * use.
   */
  private incompleteAnswer: Buffer | undefined;

  constructor() {
    sharedBuffer ??= Buffer.allocUnsafeSlow(READ_BYTES_MAX);
    // The options are documented for `connect` only, but the constructor takes them as well; its type lacks them.
    const options: SocketConstructorOpts & ConnectOpts = {
      onread: { buffer: sharedBuffer, callback: (bytes, buffer) => this.onArrived(buffer as Buffer, bytes) },
    };
    super(options);
  }

  /** Shows the next answer to `reader`; later answers go to the driver. */
  readFirst(reader: FirstReader): void {
    this.firstReader = reader;
  }

  private onArrived(buffer: Buffer, bytes: number): true {
    this.arrivedMs = monotonicMs();
    const piece = buffer.subarray(0, bytes);
    const arrivedBytes = this.incompleteAnswer ? Buffer.concat([this.incompleteAnswer, piece]) : piece;
    const { firstReader } = this;
    if (firstReader?.goesOn(arrivedBytes)) {
      this.incompleteAnswer = this.incompleteAnswer ? arrivedBytes : Buffer.from(piece);
      return true;
    }
    // Cleared before `take`: the reader may send the next call as soon as it has its answer.
    this.firstReader = this.incompleteAnswer = undefined;
    const takenBytes = firstReader?.take(arrivedBytes) ?? 0;
    // The driver keeps bytes of an incomplete message, so it gets a copy of the shared buffer.
    if (takenBytes < arrivedBytes.length) this.emit("data", Buffer.from(arrivedBytes.subarray(takenBytes)));
    return true;
  }
}
