// The view of this moment and the past that the program keeps. Pure. A message may repeat an earlier one (after a
// reconnection, or for a second that came in parts): entries are replaced by name and never doubled.
import type { LiveNote, LivePoint, LiveSample, LiveTrialEnd, LiveUpdate, LiveView } from "./live-data.js";

/** Number of seconds and samples kept, the same as in the program. */
const ENTRIES_MAX = 600;

export class LiveStore {
  private pointsByName = new Map<string, LivePoint>();
  private samplesByName = new Map<string, LiveSample>();
  private endedByNumber = new Map<number, LiveTrialEnd>();
  private notesByNumber = new Map<number, LiveNote>();
  private latestView: LiveView | undefined;

  start(whole: LiveUpdate): void {
    this.pointsByName = new Map();
    this.samplesByName = new Map();
    this.endedByNumber = new Map();
    this.notesByNumber = new Map();
    this.add(whole);
  }

  add(update: LiveUpdate): void {
    this.latestView = update.view;
    for (const point of update.points) this.pointsByName.set(`${point.trial}:${point.second}`, point);
    for (const sample of update.samples) this.samplesByName.set(`${sample.trial}:${sample.atMs}`, sample);
    for (const each of update.ended) this.endedByNumber.set(each.number, each);
    for (const note of update.notes) this.notesByNumber.set(note.number, note);
    forgetOldest(this.pointsByName);
    forgetOldest(this.samplesByName);
  }

  get view(): LiveView | undefined {
    return this.latestView;
  }

  get points(): LivePoint[] {
    return [...this.pointsByName.values()];
  }

  get samples(): LiveSample[] {
    return [...this.samplesByName.values()];
  }

  get ended(): LiveTrialEnd[] {
    return [...this.endedByNumber.values()].sort((a, b) => a.number - b.number);
  }

  get notes(): LiveNote[] {
    return [...this.notesByNumber.values()];
  }
}

/** Forgets the oldest keys; a map yields its keys in the order of insertion. */
function forgetOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= ENTRIES_MAX) return;
    map.delete(key);
  }
}
