import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ContentPart } from '../src/index.ts'
import { describeMedia, estimateMedia, measureMedia, toFullText, toMediaPart, toReadable } from '../src/text/index.ts'

const test = suite('images and PDFs')

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(33)
  bytes.set(hex('89504e470d0a1a0a 0000000d 49484452'))
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

const FILES: [string, Buffer, object | undefined][] = [
  ['PNG', png(640, 480), { mimeType: 'image/png', width: 640, height: 480 }],
  ['GIF', Buffer.concat([Buffer.from('GIF89a'), hex('8002 e001')]), { mimeType: 'image/gif', width: 640, height: 480 }],
  [
    'JPEG behind its other segments',
    hex('ffd8 ffe0 0006 4a464946 ffc4 0004 0000 ffc0 0011 08 01e0 0280 03 011100'),
    { mimeType: 'image/jpeg', width: 640, height: 480 },
  ],
  [
    'WebP, extended',
    Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8X'), hex('0a000000 00000000 7f0200 df0100')]),
    { mimeType: 'image/webp', width: 640, height: 480 },
  ],
  ['PDF', Buffer.from('%PDF-1.4 /Type /Pages /Type /Page /Type/Page\n'), { mimeType: 'application/pdf', pages: 2 }],
  ['a PNG without its head', png(1, 1).subarray(0, 12), { mimeType: 'image/png' }],
  ['text that is called so', Buffer.from('PNG'), undefined],
]
for (const [what, bytes, facts] of FILES) {
  test(`${what} is known by its bytes`, () => assert.equal(measureMedia(bytes), facts))
}

test('no bytes break the reading of sizes, and each image has a cost', () => {
  const starts = FILES.map(([, bytes]) => bytes)
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.nat(40), fc.uint8Array({ maxLength: 200 }), (start, kept, rest) => {
      const bytes = Buffer.concat([start.subarray(0, kept), rest])
      const part = toMediaPart(bytes)
      if (part === undefined) return
      const tokens = estimateMedia(part)
      assert.ok(Number.isInteger(tokens) && tokens >= 255, String(tokens))
      assert.ok(part.type === 'file' || tokens <= 4_784)
    }),
  )
})

test('an image costs what the dearer of the published rules says', () => {
  const cost = (width: number, height: number): number => {
    const part = toMediaPart(png(width, height))
    return part === undefined ? 0 : estimateMedia(part)
  }
  assert.is(cost(100, 100), 255)
  assert.is(cost(1_024, 1_024), 1_399)
  assert.is(cost(512, 2_048), 1_399)
  assert.is(cost(8_000, 8_000), 4_784)
})

test('what a model cannot see is there in words, and everything else as it was', () => {
  const image = toMediaPart(png(640, 480), 'a]\n.png') as ContentPart
  const file = toMediaPart(Buffer.from('%PDF-1.4 /Type /Page '), 'b.pdf') as ContentPart
  const content: ContentPart[] = [{ type: 'text', text: 'look' }, image, file]
  const unseen: string[] = []
  const note = (what: string): void => void unseen.push(what)
  assert.is(toReadable(content, {}, note), content)
  assert.is(toReadable(content, { vision: true }, note), content)
  assert.equal(toReadable(content, { pdf: false }, note).slice(0, 2), content.slice(0, 2))
  assert.equal(unseen, ['PDF b.pdf, 21 bytes, 1 page'])
  assert.is(
    toFullText(toReadable(content, { vision: false }, note)),
    'look\n[image a__.png, 33 bytes, 640x480: this model cannot see images]\n[PDF b.pdf, 21 bytes, 1 page: this model cannot read PDFs]',
  )
  assert.is(toReadable(content, { vision: false, pdf: true }, note)[2], file)
  assert.is(describeMedia({ type: 'image', mimeType: 'image/png', data: '' }), 'image, 0 bytes')
})

test.run()
