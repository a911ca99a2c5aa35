// A frame is one write, so nothing flickers. The cursor is hidden and lines are cut only within a frame: a program that is killed between
// two frames leaves a terminal as it was.

const ESC = "\u001b[";
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;
const NO_WRAP = `${ESC}?7l`;
const WRAP = `${ESC}?7h`;
const CLEAR_LINE = `${ESC}K`;
const CLEAR_BELOW = `${ESC}J`;
// Escape sequences such as colours, which take no column.
const MARKS = /\u001b\[[0-9;]*m/g;

export interface TerminalStream {
  readonly columns?: number;
  write(text: string): unknown;
}

export class Terminal {
  /** Lines of the board that are on the screen. */
  private drawn: readonly string[] = [];
  private drawnColumns = 0;
  private scrolling: string[] = [];

  constructor(private readonly stream: TerminalStream) {}

  scroll(line: string): void {
    this.scrolling.push(line);
  }

  /** Replaces the lines on the screen by these; writes nothing if nothing has changed. */
  draw(board: readonly string[]): void {
    const columns = this.stream.columns ?? 80;
    const isSame = columns === this.drawnColumns && board.join("\n") === this.drawn.join("\n");
    if (isSame && this.scrolling.length === 0) return;
    const scrolled = this.scrolling.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    const lines = board.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    this.stream.write(
      `${HIDE_CURSOR}${this.toTop(columns)}${scrolled}${NO_WRAP}${lines}${WRAP}${CLEAR_BELOW}${SHOW_CURSOR}`,
    );
    this.scrolling = [];
    this.drawn = board;
    this.drawnColumns = columns;
  }

  clear(): void {
    if (this.drawn.length > 0 || this.scrolling.length > 0) this.draw([]);
  }

  /**
   * Escape sequence that moves to the top of the board. If the terminal became narrower, drawn lines have wrapped and take
   * more rows.
   */
  private toTop(columns: number): string {
    const rows = this.drawn.reduce((sum, line) => {
      const width = line.replace(MARKS, "").length;
      return sum + Math.max(1, Math.ceil(width / Math.max(1, columns)));
    }, 0);
    return rows > 0 ? `\r${ESC}${rows}A` : "\r";
  }
}
