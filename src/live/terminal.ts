// A frame is one write, so nothing flickers. The cursor is hidden and lines are cut only within a frame: a program that is killed between
// two frames leaves a terminal as it was.

const ESCAPE_PREFIX = "\u001b[";
const HIDE_CURSOR = `${ESCAPE_PREFIX}?25l`;
const SHOW_CURSOR = `${ESCAPE_PREFIX}?25h`;
const WRAP_OFF = `${ESCAPE_PREFIX}?7l`;
const WRAP_ON = `${ESCAPE_PREFIX}?7h`;
const CLEAR_LINE = `${ESCAPE_PREFIX}K`;
const CLEAR_BELOW = `${ESCAPE_PREFIX}J`;
// Escape sequences such as colours, which take no column.
const COLOUR_SEQUENCES = /\u001b\[[0-9;]*m/g;

export interface TerminalStream {
  readonly columns?: number;
  write(text: string): unknown;
}

export class Terminal {
  /** Lines of the board that are on the screen. */
  private drawnLines: readonly string[] = [];
  private drawnColumns = 0;
  private scrollingLines: string[] = [];

  constructor(private readonly stream: TerminalStream) {}

  addScrollingLine(line: string): void {
    this.scrollingLines.push(line);
  }

  /** Replaces the lines on the screen by these; writes nothing if nothing has changed. */
  draw(board: readonly string[]): void {
    const columns = this.stream.columns ?? 80;
    const isSame = columns === this.drawnColumns && board.join("\n") === this.drawnLines.join("\n");
    if (isSame && this.scrollingLines.length === 0) return;
    const scrolledText = this.scrollingLines.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    const lines = board.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    this.stream.write(
      `${HIDE_CURSOR}${this.moveToTopSequence(columns)}${scrolledText}${WRAP_OFF}${lines}${WRAP_ON}${CLEAR_BELOW}${SHOW_CURSOR}`,
    );
    this.scrollingLines = [];
    this.drawnLines = board;
    this.drawnColumns = columns;
  }

  clear(): void {
    if (this.drawnLines.length > 0 || this.scrollingLines.length > 0) this.draw([]);
  }

  /**
   * Escape sequence that moves to the top of the board. If the terminal became narrower, drawn lines have wrapped and take
   * more rows.
   */
  private moveToTopSequence(columns: number): string {
    const rows = this.drawnLines.reduce((sum, line) => {
      const width = line.replace(COLOUR_SEQUENCES, "").length;
      return sum + Math.max(1, Math.ceil(width / Math.max(1, columns)));
    }, 0);
    return rows > 0 ? `\r${ESCAPE_PREFIX}${rows}A` : "\r";
  }
}
