/** A stream that can be iterated over in every browser. */
export type Readable<T> = ReadableStream<T> & AsyncIterable<T>

/**
 * Hands on items as they are asked for.
 *
 * @param open makes the items; its signal is aborted once the reader leaves, and they are to end then
 */
export function toReadable<T>(open: (left: AbortSignal) => AsyncGenerator<T>): Readable<T> {
  const leaving = new AbortController()
  const items = open(leaving.signal)
  const stream = new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await items.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        leaving.abort()
        while ((await items.next()).done !== true);
      },
    },
    { highWaterMark: 0 },
  )
  return Object.assign(stream, { [Symbol.asyncIterator]: () => iterate(stream) })
}

async function* iterate<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isOver = done
      if (done) return
      yield value
    }
  } finally {
    if (!isOver) await reader.cancel()
    reader.releaseLock()
  }
}
