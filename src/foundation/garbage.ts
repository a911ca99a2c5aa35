// What preparations leave behind is collected before what is measured. V8 lets a young generation grow with what it was given
// to do, up to 48 MB, and makes it small again only in a thread that it finds idle when it happens to look. The inspector's
// way of asking does both in each Node, without a flag; it concerns the calling thread alone.

/** Tens of milliseconds for tens of megabytes that are alive. A Node that was built without an inspector does nothing. */
export async function collectAllGarbage(): Promise<void> {
  if (!process.features.inspector) return;
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
