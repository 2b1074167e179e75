import type { Page } from 'playwright-core'

/** Frames of a page over a while: how many, and milliseconds from one to the next. */
export interface Frames {
  count: number
  perSecond: number
  medianMs: number
  p95Ms: number
  longestMs: number
}

/** Counts the frames that a page draws while something is done. */
export async function countFrames(page: Page, work: () => Promise<void>): Promise<Frames> {
  await page.evaluate(`{
    const times = (globalThis.frameTimes = [])
    const note = (at) => { times.push(at); globalThis.frameRequest = requestAnimationFrame(note) }
    requestAnimationFrame(note)
  }`)
  await work()
  const times = await page.evaluate<number[]>('cancelAnimationFrame(frameRequest), frameTimes')
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const sorted = gaps.sort((a, b) => a - b)
  const at = (part: number): number => Number((sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1))
  const totalMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return {
    count: gaps.length,
    perSecond: Number(((gaps.length * 1_000) / totalMs).toFixed(1)),
    medianMs: at(0.5),
    p95Ms: at(0.95),
    longestMs: at(1),
  }
}

/** Megabytes of a page that are in use once what is not needed has been collected. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return Number((usedSize / 1e6).toFixed(1))
}
