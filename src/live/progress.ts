// Progress on standard error: a board on a terminal, plain lines elsewhere. Standard output stays free for results. Nothing here keeps
// the program running.
import type { ExperimentObserver, LiveLook } from "../engine/session/observer.js";
import { colourMarks, plainMarks, printable } from "../foundation/text/text-table.js";
import type { TrialResult } from "../results/result-schema.js";
import type { Treatment } from "../scenario/settings.js";
import { renderBoard, type BoardPast, type Screen } from "./board.js";
import { secondsText, statusLine, trialEndLine } from "./lines.js";
import { lookWords } from "./page/live-words.js";
import type { LiveState } from "./live-state.js";
import { Terminal, type TerminalStream } from "./terminal.js";

const FRAME_INTERVAL_MS = 250;
const PLAIN_LINE_INTERVAL_MS = 10_000;
const PLAIN_LOOK_INTERVAL_MS = 1_000;

export interface ProgressStream extends TerminalStream {
  readonly isTTY?: boolean;
  readonly rows?: number;
}

export abstract class Progress implements ExperimentObserver {
  private readonly timer: NodeJS.Timeout;

  constructor(
    protected readonly state: LiveState,
    lookIntervalMs: number,
  ) {
    this.timer = setInterval(() => this.look(), lookIntervalMs).unref();
  }

  abstract look(): void;

  protected abstract print(line: string): void;

  close(): void {
    clearInterval(this.timer);
  }

  note(text: string): void {
    this.print(`${this.elapsedStamp()} ${printable(text)}`);
  }

  trialEnded(result: TrialResult, treatment: Treatment): void {
    const { trials } = this.state.view();
    const line = trialEndLine(this.state.endOf(result, treatment.id), trials, this.state.treatmentWidth);
    this.print(`${this.elapsedStamp()} ${line}`);
  }

  onLook(look: LiveLook): void {
    this.note(lookWords(look));
  }

  trialStarted(): void {
    this.look();
  }

  phaseStarted(): void {
    this.look();
  }

  second(): void {
    this.look();
  }

  evidence(): void {
    // Nothing to do: the next call of `look` reads the sample from the state.
  }

  thresholds(): void {
    // Nothing to do: the next call of `look` reads the thresholds from the state.
  }

  protected elapsedStamp(): string {
    return `[${secondsText(this.state.elapsedMs)}]`;
  }
}

/** Progress as plain lines, for a CI job's log or a file. */
export class PlainLines extends Progress {
  private printedMs = 0;

  constructor(
    state: LiveState,
    private readonly stream: TerminalStream,
  ) {
    super(state, PLAIN_LOOK_INTERVAL_MS);
  }

  override look(): void {
    if (this.state.elapsedMs - this.printedMs < PLAIN_LINE_INTERVAL_MS) return;
    this.print(`${this.elapsedStamp()} ${statusLine(this.state.view())}`);
  }

  protected override print(line: string): void {
    this.printedMs = this.state.elapsedMs;
    this.stream.write(`${line}\n`);
  }
}

/** Progress as a board on a terminal. */
export class Board extends Progress {
  private readonly terminal: Terminal;
  private drawnMs = Number.NEGATIVE_INFINITY;
  private readonly past: BoardPast;

  constructor(
    state: LiveState,
    private readonly stream: ProgressStream,
    private readonly looks: Pick<Screen, "isUnicode" | "marks">,
  ) {
    super(state, FRAME_INTERVAL_MS);
    this.terminal = new Terminal(stream);
    this.past = {
      eventsOf: (operation, seconds) => state.recentEvents(operation, seconds),
      evidenceOf: (name, samples) => state.recentEvidence(name, samples),
    };
  }

  override look(): void {
    const nowMs = this.state.elapsedMs;
    // Timers fire early by a fraction of a millisecond.
    if (nowMs - this.drawnMs < FRAME_INTERVAL_MS - 5) return;
    this.drawnMs = nowMs;
    const { columns = 80, rows = 24 } = this.stream;
    this.terminal.draw(renderBoard(this.state.view(), this.past, { columns, rows, ...this.looks }));
  }

  override close(): void {
    super.close();
    this.terminal.clear();
  }

  protected override print(line: string): void {
    this.terminal.addScrollingLine(line);
    this.look();
  }
}

/** True if the locale's characters are Unicode, by the rule of C programs. */
export function isUnicodeLocale(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment["LC_ALL"] || environment["LC_CTYPE"] || environment["LANG"] || "";
  return /utf-?8/i.test(locale);
}

/** Opens the progress display. `state` must receive each event before it does. */
export function openProgress(
  state: LiveState,
  stream: ProgressStream,
  environment: NodeJS.ProcessEnv,
): Progress {
  const canShowBoard = stream.isTTY === true && environment["TERM"] !== "dumb";
  if (!canShowBoard) return new PlainLines(state, stream);
  // https://no-color.org: colours are off if NO_COLOR is present and not empty.
  const marks = environment["NO_COLOR"] ? plainMarks : colourMarks;
  return new Board(state, stream, { isUnicode: isUnicodeLocale(environment), marks });
}
