import { signal } from '@preact/signals'

const EVERY_MS = 200
/** A `Date` header says no parts of a second, and is a little late where the server is busy. */
const GRAIN_MS = 2_000

/** What the server's clock is ahead of this one: between these, in milliseconds. */
let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
let offsetMs = 0

/** The time of the server, in milliseconds since the epoch: that of this machine may be hours off. */
export const serverNow = (): number => Date.now() + offsetMs

/** Asks the server, and learns what its clock says from the answer. */
export const askTimed: typeof fetch = async (...asked) => {
  const sentAt = Date.now()
  const response = await fetch(...asked)
  learn(Date.parse(response.headers.get('date') ?? ''), sentAt, Date.now())
  return response
}

/** Narrows down what the server's clock is ahead; begins again where one of the clocks was set. */
function learn(date: number, sentAt: number, answeredAt: number): void {
  if (Number.isNaN(date)) return
  const bounds = [date - answeredAt, date + GRAIN_MS - sentAt] as const
  least = Math.max(least, bounds[0])
  most = Math.min(most, bounds[1])
  if (least > most) [least, most] = bounds
  offsetMs = least <= 0 && most >= 0 ? 0 : (least + most) / 2
}

let timer: ReturnType<typeof setInterval>

/** The server's time, in milliseconds since the epoch; it goes on while somebody looks at it. */
export const clock = signal(serverNow(), {
  watched() {
    this.value = serverNow()
    timer = setInterval(() => (this.value = serverNow()), EVERY_MS)
  },
  unwatched: () => clearInterval(timer),
})
