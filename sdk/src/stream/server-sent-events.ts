import type { RunEvent } from '@svc/core/client'
import { END_FRAME, KEEP_ALIVE_FRAME, KEEP_ALIVE_MS, toEventFrame, toSvcError } from '@svc/core/client'

/** The events of a run as the bytes of a stream of server-sent events. */
export async function* toEventStream(events: AsyncGenerator<RunEvent>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  try {
    let next = events.next()
    for (;;) {
      const come = await orSilence(next)
      if (come?.done) break
      yield encoder.encode(come === undefined ? KEEP_ALIVE_FRAME : toEventFrame(come.value, JSON.stringify(come.value)))
      if (come !== undefined) next = events.next()
    }
    yield encoder.encode(END_FRAME)
  } catch (thrown) {
    yield encoder.encode(`event: error\ndata: ${JSON.stringify(toSvcError(thrown).toInfo())}\n\n`)
  }
}

/** What comes; undefined where nothing does for so long that it is time to say so. */
async function orSilence<T>(next: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, KEEP_ALIVE_MS, undefined)
  })
  return Promise.race([next, silence]).finally(() => clearTimeout(timer))
}
