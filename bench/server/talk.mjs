import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 50
const REST = 'x'.repeat(100)

/** Milliseconds since the epoch, with parts of one. */
export const now = () => performance.timeOrigin + performance.now()

/** Says a line 20 times a second; each begins with when it was said. */
export async function talk(seconds, say) {
  const from = performance.now() + Math.random() * EVERY_MS
  for (let n = 0; n < (seconds * 1_000) / EVERY_MS; n++) {
    await sleep(Math.max(0, from + n * EVERY_MS - performance.now()))
    say(`at ${now().toFixed(2)} ${REST}`)
  }
}
