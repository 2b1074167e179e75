/** What the bytes of an image or a PDF say. */
export interface MediaFacts {
  /** `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `application/pdf`. */
  mimeType: string
  /** In pixels, of an image; absent where its bytes do not say. */
  width?: number
  height?: number
  /** Of a PDF; absent where its bytes do not show them. */
  pages?: number
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

/** The MIME type by the first bytes, whatever the file is called; undefined for all but PNG, JPEG, GIF, WebP and PDF. */
export function mediaTypeOf(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 16))
  const text = bytes.toString('latin1')
  if (bytes.subarray(0, 8).equals(PNG)) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'image/webp'
  return text.startsWith('%PDF-') ? 'application/pdf' : undefined
}

/** Type, and size or pages, of a whole file; undefined for what `mediaTypeOf` does not know. */
export function measureMedia(bytes: Buffer): MediaFacts | undefined {
  const mimeType = mediaTypeOf(bytes)
  if (mimeType === undefined) return undefined
  if (mimeType === 'application/pdf') {
    const pages = bytes.toString('latin1').match(/\/Type\s{0,9}\/Page(?![a-zA-Z])/g)?.length
    return { mimeType, ...(pages === undefined ? {} : { pages }) }
  }
  const size = SIZES[mimeType]?.(bytes)
  return size === undefined || size[0] === 0 || size[1] === 0
    ? { mimeType }
    : { mimeType, width: size[0], height: size[1] }
}

type Size = readonly [width: number, height: number]

const SIZES: Readonly<Record<string, (bytes: Buffer) => Size | undefined>> = {
  'image/png': (bytes) => (bytes.length < 24 ? undefined : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]),
  'image/gif': (bytes) => (bytes.length < 10 ? undefined : [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]),
  'image/jpeg': sizeOfJpeg,
  'image/webp': sizeOfWebp,
}

/** Segment by segment to the frame, whose markers are C0 to CF without the tables C4, C8 and CC. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
  if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
  const bits = bytes.readUInt32LE(21)
  return kind === 'VP8L' ? [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1] : undefined
}
