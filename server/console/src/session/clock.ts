import { signal } from '@preact/signals'

const EVERY_MS = 200

let timer: ReturnType<typeof setInterval>

/** The time, in milliseconds since the epoch; it goes on while somebody looks at it. */
export const clock = signal(Date.now(), {
  watched() {
    timer = setInterval(() => (this.value = Date.now()), EVERY_MS)
  },
  unwatched: () => clearInterval(timer),
})
