// One direction of a connection: bytes arrive unaltered, complete and in order when the link lets them pass, with backpressure.
import type { Socket } from "node:net";
import type { Clock } from "../../foundation/clock.js";
import type { Link } from "./condition.js";

/** Maximum number of bytes that one direction of a connection holds back before it stops reading, as a TCP window does. */
export const HELD_BYTES_MAX = 256 * 1024;

type PieceContent = Buffer | "end" | "reset";

interface Piece {
  content: PieceContent;
  readonly arrivedMs: number;
}

export interface PipeOptions {
  readonly source: Socket;
  readonly sink: Socket;
  readonly clock: Clock;
  /** The link through which bytes pass at this moment. */
  readonly link: () => Link;
  /** Inspects bytes before they are sent on; returns false to drop them. */
  readonly admits: (bytes: Buffer) => boolean;
}

export class Pipe {
  private readonly pieces: Piece[] = [];
  private heldBytes = 0;
  /** Moment, in monotonic milliseconds, at which the first piece may leave; undefined until the link was asked about it. */
  private dueMs: number | undefined;
  private waitingAbort: AbortController | undefined;
  private isSinkFull = false;

  constructor(private readonly options: PipeOptions) {
    const { source, sink, admits } = options;
    source.on("data", (bytes: Buffer) => {
      if (admits(bytes)) this.take(bytes);
    });
    source.once("end", () => this.take("end"));
    source.on("error", () => this.take("reset"));
    sink.on("drain", () => {
      this.isSinkFull = false;
      this.pump();
    });
    sink.once("close", () => this.stop());
  }

  handleLinkChange(): void {
    this.dueMs = undefined;
    this.waitingAbort?.abort();
    this.waitingAbort = undefined;
    this.pump();
  }

  private take(content: PieceContent): void {
    if (this.options.sink.destroyed) return;
    this.pieces.push({ content, arrivedMs: this.options.clock.nowMs() });
    if (typeof content !== "string") this.heldBytes += content.length;
    this.pump();
  }

  private pump(): void {
    while (this.passFirst());
    const { source } = this.options;
    if (this.heldBytes >= HELD_BYTES_MAX) source.pause();
    else if (this.heldBytes < HELD_BYTES_MAX / 2 && source.isPaused()) source.resume();
  }

  /** Sends the first piece if it may leave now; returns false if no piece can pass. */
  private passFirst(): boolean {
    const [first] = this.pieces;
    const link = this.options.link();
    if (!first || this.isSinkFull || this.waitingAbort || !link.isOpen) return false;
    const bytes = this.cut(first, link.pieceBytes);
    const nowMs = this.options.clock.nowMs();
    this.dueMs ??= link.departureMs(bytes, first.arrivedMs, nowMs);
    if (this.dueMs > nowMs) {
      this.wait(this.dueMs - nowMs);
      return false;
    }
    this.dueMs = undefined;
    this.pieces.shift();
    this.heldBytes -= bytes;
    this.pass(first.content);
    return true;
  }

  /** Shortens the first piece to `mostBytes` and puts its rest behind it. Returns the size of the first piece in bytes. */
  private cut(first: Piece, mostBytes: number): number {
    const { content, arrivedMs } = first;
    if (typeof content === "string") return 0;
    if (content.length <= mostBytes) return content.length;
    first.content = content.subarray(0, mostBytes);
    this.pieces.splice(1, 0, { content: content.subarray(mostBytes), arrivedMs });
    return mostBytes;
  }

  private pass(content: PieceContent): void {
    const { sink } = this.options;
    if (content === "reset") resetSocket(sink);
    else if (content === "end") sink.end();
    else this.isSinkFull = !sink.write(content);
  }

  private wait(ms: number): void {
    const waiting = new AbortController();
    this.waitingAbort = waiting;
    void this.options.clock.sleep(ms, waiting.signal).then(() => {
      if (waiting.signal.aborted) return;
      this.waitingAbort = undefined;
      this.pump();
    });
  }

  private stop(): void {
    this.pieces.length = 0;
    this.heldBytes = 0;
    this.waitingAbort?.abort();
    // No more bytes are forwarded, but the source's socket closes only after it was read to its end.
    this.options.source.resume();
  }
}

/**
 * Resets a connection (RST) if that is possible. A socket that is shutting down is closed instead, because Node would leave
 * its handle open.
 */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  const isShuttingDown = socket.writableEnded && !socket.writableFinished;
  if (isShuttingDown || socket.remoteFamily === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
