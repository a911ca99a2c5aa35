// The socket of a connection without TLS. What arrives is read into one buffer that all sockets of a thread share, and the
// driver gets a copy of its exact size at once. Left to itself Node allocates 64 kB for each read and takes what came
// through its streams; that was 3 % of a busy client's CPU time.
import { Socket, type ConnectOpts, type SocketConstructorOpts } from "node:net";

/** The most that one read takes: as much as Node's own. */
const READ_BYTES = 65_536;

let shared: Buffer | undefined;

/** Not connected yet. Its `data` events come as the bytes do; the rest is an ordinary socket. */
export function plainSocket(): Socket {
  shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
  // The constructor takes what `connect` is documented to take; the types know the latter only.
  const options: SocketConstructorOpts & ConnectOpts = {
    onread: {
      buffer: shared,
      callback(bytes, buffer) {
        // The driver keeps what is no whole message yet, so it cannot have the buffer itself.
        socket.emit("data", Buffer.from(buffer.subarray(0, bytes)));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  return socket;
}
