import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Frame, FrameReader, readFrames } from '../../src/remote/events/event-stream.ts'

const test = suite('reading server-sent events')

/** The frames of a text that arrives in pieces which end at these bytes. */
function read(text: string, cuts: readonly number[] = [], onRetry?: (ms: number) => void): Frame[] {
  const bytes = new TextEncoder().encode(text)
  const reader = new FrameReader(onRetry)
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].flatMap((end, index) => reader.read(bytes.subarray(ends[index - 1] ?? 0, end)))
}

test('fields, comments, several lines of data, and what is no field', () => {
  const text =
    ': ka\nid: 7\nevent: run.started\ndata: {"a":1}\n\ndata:first\ndata: second\n\n: nothing\n\nunknown: x\ndata\n\nevent: end\ndata: {}\n\n'
  assert.equal(read(text), [
    { event: 'run.started', data: '{"a":1}', id: '7' },
    { event: 'message', data: 'first\nsecond', id: '7' },
    { event: 'message', data: '', id: '7' },
    { event: 'end', data: '{}', id: '7' },
  ])
  assert.equal(read('data: not finished\n'), [], 'what is cut off is no frame')
})

test('the pause that the server asks for is handed on, where it is a number', () => {
  const asked: number[] = []
  read('retry: 2000\n\nretry: soon\n\nretry:10\n\n', [], (ms) => asked.push(ms))
  assert.equal(asked, [2000, 10])
})

test('the frames are the same whatever the line ends and the pieces', () => {
  const line = fc.stringMatching(/^[^\r\n]{0,20}$/)
  const frame = fc.record({
    event: fc.stringMatching(/^[a-z.]{1,12}$/),
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  })
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat(), { maxLength: 20 }),
      (frames, end, cuts) => {
        const text = frames
          .map(({ event, lines }, index) =>
            [`id: ${index}`, `event: ${event}`, ...lines.map((data) => `data: ${data}`), ': ka', '', ''].join(end),
          )
          .join('')
        const expected = frames.map(({ event, lines }, index) => ({ event, data: lines.join('\n'), id: String(index) }))
        assert.equal(read(text, cuts), expected)
      },
    ),
  )
})

test('a connection that says nothing counts as dead, and one that is left is ended', async () => {
  const read = async (silenceMs: number, signal: AbortSignal, onFrame = (): void => {}): Promise<string> => {
    let wasCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => {
        wasCancelled = true
      },
    })
    const seen: string[] = []
    try {
      for await (const { data } of readFrames(body, { silenceMs, signal, onRetry() {} })) {
        seen.push(data)
        onFrame()
      }
    } catch (thrown) {
      seen.push((thrown as Error).message)
    }
    return [...seen, wasCancelled].join()
  }
  assert.is(await read(300, new AbortController().signal), '1,nothing came for 300 ms,true')
  const leave = new AbortController()
  assert.is(await read(120_000, leave.signal, () => setImmediate(() => leave.abort())), '1,true')
})

test.run()
